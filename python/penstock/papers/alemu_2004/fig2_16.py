"""Figure 2.16: the upper bound of PSAND's max_p, with factor and power 1 (Section 2.4.5)."""

from penstock.papers.alemu_2004 import panels
from penstock.papers.alemu_2004.fig2_15 import bounds
from penstock.papers.alemu_2004.setup import AQS, VQS
from penstock.reproduce.figure import Claim, every

ONE, FIG2_15 = "1, 1", "1.75, 1.5"

study = bounds(1, 1, {"pair": ONE}) + bounds(1.75, 1.5, {"pair": FIG2_15})

CLAIMS = (
    Claim(
        "fig2.16b/c1",
        "the bound does not lower the mean queue significantly, which stays above that of Figure 2.15",
        every((AQS(high=1.0) / AQS(high=0.1)).reads(1, share=0.25)(pair=ONE), AQS(pair=ONE) > AQS(pair=FIG2_15)),
    ),
    Claim("fig2.16a/c1", "the variance is above that of Figure 2.15", VQS(pair=ONE) > VQS(pair=FIG2_15)),
)

draw = panels.of(*(panels.Panel("high", metric, "flows", {"pair": ONE}) for metric in ("VQS", "AQS")))
