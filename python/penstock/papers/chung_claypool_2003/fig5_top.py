"""Figure 5, top: the queue against the number of flows, drops (Section III)."""

from .constant import drops_and_marks, figure_against_p

study = drops_and_marks

CLAIMS = ()  # that the queue is linear in N is decided with figure 4, from the same runs (c03)

draw = figure_against_p("flows", where={"by": "drop"})
