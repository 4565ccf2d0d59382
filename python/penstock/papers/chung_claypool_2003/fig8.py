"""Figure 8: the queue of flows whose window is limited (Section III)."""

from .constant import GRID, SAME, figure_against_p, limited, probability_at_queue, queue
from .setup import claim

study = limited

difference = (queue(limit=6) - queue(limit=12))(p=0.01)
CLAIMS = (
    claim(
        "c08",
        (difference / queue(limit=6, p=GRID[0])).matches_printed(0, -SAME, SAME),
        "difference 0, within 5 % of the height of the graph",
        others={"1 within 10 %": (queue(limit=6) / queue(limit=12)).between(0.9, 1.1)(p=0.01)},
    ),
    claim(
        "c09",
        (probability_at_queue(3000)(limit=6) / probability_at_queue(3000)(limit=12)).matches_printed(2.0, 1.6, 2.6),
        must_hold=True,
    ),
)

draw = figure_against_p("limit")
