"""Why the first packet out of profile is not always the best victim: acknowledgements among the candidates."""

from penstock.reproduce.figure import Claim, QuickOrFull, every, metric

from . import setup
from .setup import SETTINGS, UNTAGGED, average, delay_sd, swing
from .variants import LEFT_OPEN, OTHERS, VICTIMS

IN_PROFILE = "AF11"
study = setup.average_sweep(
    setup.victim_scenario,
    {"acks": [UNTAGGED, IN_PROFILE], "victim": VICTIMS, "setting": QuickOrFull(["Reno, strict"], list(SETTINGS))},
    QuickOrFull(5, 8),
)

of_acks = metric("loss_ack", says="loss of acknowledgements")
CLAIMS = (
    Claim(
        "victim-acks",
        "the first victim is an acknowledgement more often than the last",
        (of_acks(victim="first") > of_acks(victim="last"))(acks=UNTAGGED),
        reading=LEFT_OPEN,
    ),
    *(
        Claim(
            name,
            "where no acknowledgement is a candidate, the sooner the sender is told the less the queue swings",
            every(number(victim="first") < number(victim="random"), number(victim="random") < number(victim="last"))(
                acks=IN_PROFILE
            ),
            reading=LEFT_OPEN,
        )
        for name, number in (("victim-avg", swing), ("victim-delay", delay_sd))
    ),
    Claim(
        "victim-queue",
        "and the queue is then no longer with one than with another",
        (average(victim=OTHERS) / average(victim="last")).between(0.97, 1.03)(acks=IN_PROFILE),
        reading=LEFT_OPEN,
    ),
)
