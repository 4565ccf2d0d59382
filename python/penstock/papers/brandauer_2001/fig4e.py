"""Figure 4 (e): standard deviation of the queueing delay by the number of web sessions (Section 5)."""

from functools import partial

from penstock.papers.brandauer_2001.setup import OPTION, RED, SCHEMES, STANDARD, also, sd, web_panel, web_study
from penstock.reproduce.figure import Claim, every

SHORTER = "REDopt, w_q 0.002"
study = partial(web_study, schemes=[*SCHEMES, SHORTER])  # and REDopt with the memory of the standard settings

tail_drop = sd(scheme="TD")
most_of_all = tail_drop > sd(scheme=RED)
SAYS = "tail-drop's delay varies most, and less when the load increases"
CLAIMS = (
    Claim("c24", SAYS, every(most_of_all, tail_drop.next("sessions") < tail_drop)(option=OPTION)),
    Claim(
        "c24",
        SAYS,
        every(most_of_all, tail_drop(sessions=1400) < tail_drop(sessions=1200))(
            option=also("from 1200 sessions on, where the queue comes near the buffer")
        ),
    ),
    Claim(
        "c25",
        "REDopt's delay varies more than that of standard RED, for its w_q is smaller: its memory is longer",
        every(sd(scheme="REDopt") > sd(scheme=STANDARD), (sd(scheme=SHORTER) / sd(scheme="REDstd")).reads(1.0))(
            option=OPTION
        ),
        "sd(REDopt) > sd(REDstd), sd(GREDstd); with w_q = 0.002 its interval contains REDstd's; every load",
    ),
)

draw = web_panel("sd", "sd of delay (ms)")
