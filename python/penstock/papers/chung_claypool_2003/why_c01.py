"""Why c01: marks at larger probabilities, with windows halved to whole or to real numbers."""

from penstock.reproduce.figure import Choice, Number, Statement, Sweep, at_most, formula

from .constant import GRID, against_p, constant, law, queue, window
from .setup import RTLD, claim, service_rate

FLOWS = 200


study = Sweep(  # ns-2 halved to whole packets in 2003 and now halves to real numbers
    lambda halving, p: constant("mark", FLOWS, p, halving=halving),
    {"halving": ["whole", "real"], "p": Choice([0.05, 0.2], [p for p in GRID if 0.01 <= p <= 0.2])},
)


def _near(predicted: Number) -> Statement:
    return abs(queue / predicted - 1) <= 0.1


CLAIMS = (
    claim(
        "c01",
        _near(window * FLOWS - RTLD * service_rate())(p=at_most(0.05)),
        "q within 10 % of N W - RTLD SR for p <= 0.05 (windows of 4 packets and more), N = 200",
        reading="the senders' mean windows in place of the model's",
    ),
    claim(
        "c01",
        _near(formula(lambda p: float(law("mark").queue(FLOWS, p)), "the law"))(halving="real"),
        "within 10 % for p <= 0.2, N = 200",
        reading="senders that halve to real numbers",
    ),
)

draw = against_p(
    "halving",
    "window",
    labels=("probability of a mark", "mean window (packets)"),
    theory=lambda halving, p: float(law("mark").window(p)),
    log="xy",
)
