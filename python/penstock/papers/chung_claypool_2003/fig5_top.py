"""Figure 5, top: the queue against the number of flows, drops (Section III)."""

from penstock.reproduce.figure import Curves

from .constant import drops_and_marks, of_queue

study = drops_and_marks
measure = of_queue

CLAIMS = ()  # that the queue is linear in N is decided with figure 4, from the same runs (c03)

draw = Curves("p", "q", "flows", where={"by": "drop"}, labels=("drop probability", "mean queue (packets)"), log="x")
