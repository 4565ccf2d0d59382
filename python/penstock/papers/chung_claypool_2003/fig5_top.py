"""Figure 5, top: the queue against the number of flows, drops (Section III)."""

from .constant import against_p, drops_and_marks

study = drops_and_marks

CLAIMS = ()  # that the queue is linear in N is decided with figure 4, from the same runs (c03)

draw = against_p("flows", where={"by": "drop"})
