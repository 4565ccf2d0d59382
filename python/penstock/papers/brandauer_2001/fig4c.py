"""Figure 4 (c): mean queueing delay by the number of web sessions (Section 5)."""

from penstock.reproduce.figure import every

from .setup import OPTION, RED, claim, delay, sessions_figure, web_study

study = web_study

growth = delay(sessions=1400) - delay(sessions=800)
CLAIMS = (
    claim(
        "c23",
        every(
            delay.at_next_value("sessions") > delay,
            growth(scheme="REDopt") < growth(scheme=["TD", "REDstd", "GREDstd"]),
            delay(scheme="TD") > delay(scheme=RED),
        )(option=OPTION),
    ),
)

draw = sessions_figure("delay", "queueing delay (ms)")
