"""Figure 4 (e): standard deviation of the queueing delay by the number of web sessions (Section 5)."""

from functools import partial

from penstock.reproduce.figure import every

from .setup import OPTION, SCHEMES, STANDARD, claim, sd, sessions_figure, web_study

SHORTER = "REDopt, w_q 0.002"
study = partial(web_study, schemes=[*SCHEMES, SHORTER])  # and REDopt with the memory of the standard settings

tail_drop = sd(scheme="TD")
CLAIMS = (
    claim(
        "c24",
        every(tail_drop > sd(scheme="REDstd"), tail_drop(sessions=1400) < tail_drop(sessions=1200))(option=OPTION),
    ),
    claim(
        "c25",
        (sd(scheme="REDopt") > sd(scheme=[*STANDARD, SHORTER]))(option=OPTION),
        "sd(REDopt) > sd(REDstd), sd(GREDstd), and sd(REDopt) with w_q = 0.002, every load",
    ),
)

draw = sessions_figure("sd", "sd of delay (ms)")
