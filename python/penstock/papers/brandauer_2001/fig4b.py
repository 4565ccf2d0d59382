"""Figure 4 (b): loss of UDP packets by the number of web sessions (Section 5)."""

from collections.abc import Callable

from penstock.reproduce.figure import Number, ReproductionEffort, Study, at_least_share, every, formula, mean, within
from penstock.reproduce.label_values import ValueRange

from .setup import OPTION, RED, claim, everlasting, sessions_figure, udp_loss, web_study


def study(effort: ReproductionEffort) -> Study:
    """The study of web sessions, with everlasting flows to compare the shapes of the curves."""
    return web_study(effort) + everlasting(effort)


def _chord(axis: str, first: int, last: int, along: Callable[..., float]) -> Number:
    """The straight line between the losses at both ends of an axis; `along` maps the axis to 0 .. 1."""
    low, high = udp_loss(**{axis: first}), udp_loss(**{axis: last})
    return low + formula(along, f"share of the {axis}") * (high - low)


over_sessions = _chord("sessions", 800, 1400, lambda sessions: (sessions - 800) / 600)
over_flows = _chord("flows", 16, 256, lambda flows: (flows - 16) / 240)
tail_drop = udp_loss(scheme="TD")
distance = udp_loss(scheme=RED).along("scheme", mean) - tail_drop
ELSEWHERE = ValueRange("other than 1200", lambda sessions: sessions != 1200)

CLAIMS = (
    claim(
        "c21",
        every(
            (udp_loss < over_sessions)(sessions=within(801, 1399), option=OPTION),
            (udp_loss > over_flows)(flows=within(17, 255)),
        ),
        "over the sessions below the straight line between the ends of the curve; over the flows above it",
    ),
    claim(
        "c22",
        every(
            (tail_drop < udp_loss(scheme=RED))(sessions=1200),
            at_least_share(0.75, tail_drop < udp_loss(scheme=RED)),
            distance(sessions=1200) > distance(sessions=ELSEWHERE),
        )(option=OPTION),
        "TD < each variant of RED with 1200 sessions and in 3 of 4 cases elsewhere; its mean distance to them "
        "is largest with 1200",
    ),
)

draw = sessions_figure("udp_loss", "UDP loss (%)")
