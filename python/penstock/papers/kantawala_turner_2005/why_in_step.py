"""Why c14 and c19 are contradicted: without jitter (here up to 5 ms) flows lose packets simultaneously (three hops)."""

from penstock.reproduce.figure import CurveFigure, QuickOrFull, claims_if_measured, claims_under_reading

from . import fig5a, fig5b
from .setup import HOPS, LAST, SETTLED, in_authors_setup, paper_study, queue

JITTER = {"uniform": ["0ms", "5ms"]}

study = in_authors_setup(
    paper_study(
        {"scheme": QuickOrFull(["Tail-Drop"], ["RED", "Tail-Drop"]), "buffer": QuickOrFull([2000], [LAST])},
        seeds=QuickOrFull(1, 5),
        discipline=queue,
        network=HOPS,
        jitter=JITTER,
    )
)

READING = "access takes up to 5 ms more for each packet; RED's first setting"
CLAIMS = claims_if_measured(SETTLED, *claims_under_reading(READING, [fig5a.one_queue, fig5b.one_queue]))

draw = CurveFigure("scheme", "g_slow", labels=("with jitter", "goodput, three hops (%)"))
