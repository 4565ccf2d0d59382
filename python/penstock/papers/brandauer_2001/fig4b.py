"""Figure 4 (b): loss of UDP packets by the number of web sessions (Section 5)."""

from collections.abc import Callable

from penstock.reproduce.choice import Range
from penstock.reproduce.figure import Effort, Number, Study, each_run, every, formula, mean, most
from penstock.results.sample import Sample

from .setup import OPTION, RED, claim, everlasting, udp_loss, web_panel, web_study


def study(effort: Effort) -> Study:
    """Web sessions, and everlasting flows to compare the shapes of the curves."""
    return web_study(effort) + everlasting(effort)


def _slope(axis: str, at: Callable[..., Sample]) -> Number:
    """The slope of the loss up to the next value of an axis."""
    # The value of the axis in each cell that has a loss.
    here = each_run(lambda _, value: value, udp_loss, formula(at, axis), text="{1}")
    return (udp_loss.next(axis) - udp_loss) / (here.next(axis) - here)


over_sessions = _slope("sessions", lambda sessions: Sample(float(sessions)))
over_flows = _slope("flows", lambda flows: Sample(float(flows)))
tail_drop = udp_loss(scheme="TD")
distance = udp_loss(scheme=RED).along("scheme", mean) - tail_drop
ELSEWHERE = Range("other than 1200", lambda sessions: sessions != 1200)

CLAIMS = (
    claim(
        "c21",
        every(
            (over_sessions.next("sessions") > over_sessions)(option=OPTION),
            (over_flows.next("flows") < over_flows)(setting="simulation"),
        ),
        "each slope over the sessions larger than the one before; over the flows smaller",
    ),
    claim(
        "c22",
        every(
            (tail_drop < udp_loss(scheme=RED))(sessions=1200),
            most(0.75, tail_drop < udp_loss(scheme=RED)),
            distance(sessions=1200) > distance(sessions=ELSEWHERE),
        )(option=OPTION),
        "TD < each variant of RED with 1200 sessions and in 3 of 4 cases elsewhere; its mean distance to them "
        "is largest with 1200",
    ),
)

draw = web_panel("udp_loss", "UDP loss (%)")
