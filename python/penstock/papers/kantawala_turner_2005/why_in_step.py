"""Why c14 and c19 are contradicted: without jitter (here up to 5 ms) flows lose packets simultaneously (three hops)."""

from penstock.reproduce.figure import Choice, Curves, needing, read_as

from . import fig5a, fig5b
from .setup import HOPS, LAST, SETTLED, in_authors_setup, queue, runs

JITTER = {"uniform": ["0ms", "5ms"]}

study = in_authors_setup(
    runs(
        {"scheme": Choice(["Tail-Drop"], ["RED", "Tail-Drop"]), "buffer": Choice([2000], [LAST])},
        seeds=Choice(1, 5),
        discipline=queue,
        network=HOPS,
        jitter=JITTER,
    )
)

READING = "access takes up to 5 ms more for each packet; RED's first setting"
CLAIMS = needing(SETTLED, *read_as(READING, [fig5a.one_queue, fig5b.one_queue]))

draw = Curves("scheme", "g_slow", labels=("with jitter", "goodput, three hops (%)"))
