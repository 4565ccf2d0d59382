"""Figure 4 (c): mean queueing delay by the number of web sessions (Section 5)."""

from penstock.papers.brandauer_2001.setup import OPTION, RED, delay, web_panel, web_study
from penstock.reproduce.figure import Claim, every

study = web_study

growth = delay(sessions=1400) - delay(sessions=800)
CLAIMS = (
    Claim(
        "c23",
        "delay grows with the sessions, with REDopt only moderately; tail-drop's is the longest",
        every(
            delay.next("sessions") > delay,
            growth(scheme="REDopt") < growth(scheme=["TD", "REDstd", "GREDstd"]),
            delay(scheme="TD") > delay(scheme=RED),
        )(option=OPTION),
    ),
)

draw = web_panel("delay", "queueing delay (ms)")
