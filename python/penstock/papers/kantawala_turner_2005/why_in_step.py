"""Why c14, c19 and c20 fail: without jitter (here up to 5 ms) flows over three hops lose packets simultaneously."""

from penstock.reproduce.figure import Choice, Curves, needing, read_as

from . import fig5a, fig5b
from .setup import HOPS, LAST, ONE_QUEUE, SETTLED, queue, runs

JITTER = {"uniform": ["0ms", "5ms"]}

study = runs(
    {
        "flavour": Choice(["reno"], ["reno", "newreno"]),
        "scheme": Choice(["Tail-Drop"], ONE_QUEUE),
        "buffer": Choice([2000], [LAST]),
    },
    seeds=Choice(1, 5),
    discipline=queue,
    network=HOPS,
    jitter=JITTER,
)

claims_of_one_queue = [fig5a.one_queue, fig5b.one_queue, fig5b.blue(scheme="Blue")]
READING = "access takes up to 5 ms more for each packet; RED's and Blue's first setting"
CLAIMS = needing(
    SETTLED,
    *read_as(READING, claims_of_one_queue, flavour="reno"),
    *read_as(f"NewReno; {READING}", claims_of_one_queue, flavour="newreno"),
)

draw = Curves("scheme", "g_slow", "flavour", labels=("uneven access", "goodput, three hops (%)"))
