"""Figure 4 (e): standard deviation of the queueing delay by the number of web sessions (Section 5)."""

from functools import partial

from penstock.reproduce.figure import every

from .setup import OPTION, RED, SCHEMES, STANDARD, also, claim, sd, web_panel, web_study

SHORTER = "REDopt, w_q 0.002"
study = partial(web_study, schemes=[*SCHEMES, SHORTER])  # and REDopt with the memory of the standard settings

tail_drop = sd(scheme="TD")
most_of_all = tail_drop > sd(scheme=RED)
CLAIMS = (
    claim("c24", every(most_of_all, tail_drop.next("sessions") < tail_drop)(option=OPTION)),
    claim(
        "c24",
        every(most_of_all, tail_drop(sessions=1400) < tail_drop(sessions=1200))(
            option=also("from 1200 sessions on, where the queue comes near the buffer")
        ),
    ),
    claim(
        "c25",
        every(sd(scheme="REDopt") > sd(scheme=STANDARD), (sd(scheme=SHORTER) / sd(scheme="REDstd")).reads(1.0))(
            option=OPTION
        ),
        "sd(REDopt) > sd(REDstd), sd(GREDstd); with w_q = 0.002 its interval contains REDstd's; every load",
    ),
)

draw = web_panel("sd", "sd of delay (ms)")
