"""Victims of DFQ: the last, a random, or the first packet out of profile (Section 2.2; mentioned, not evaluated)."""

from penstock.reproduce.figure import Claim, QuickOrFull

from . import setup
from .setup import HALF, SETTINGS, average, delay_sd, loss, swing, throughput

VICTIMS = ["last", "random", "first"]
study = setup.average_sweep(
    setup.victim_scenario,
    {
        "victim": VICTIMS,
        "setting": QuickOrFull(["Reno, strict"], list(SETTINGS)),
        "x": QuickOrFull([HALF], [0.2, 2.6, HALF, 6.8, 8.6]),
    },
    QuickOrFull(5, 8),
)

LEFT_OPEN = "a question that the work leaves open"
OTHERS = ["first", "random"]
GAINS = {
    "variants-swing": ("the average swings less", swing),
    "variants-queue": ("the average is shorter", average),
    "variants-jitter": ("delays vary less", delay_sd),
}
ALIKE = {"throughput": (throughput, 0.01), "loss": (loss, 0.05)}

# The text expects this of drops that inform the sender sooner; at half of the link.
CLAIMS = (
    *(
        Claim(
            name,
            f"{says} if the first, or any, packet out of profile is dropped instead of the last",
            (number(victim=OTHERS) < number(victim="last"))(x=HALF),
            reading=LEFT_OPEN,
        )
        for name, (says, number) in GAINS.items()
    ),
    *(
        Claim(
            f"variants-{name}",
            f"the {name} is the same",
            (number(victim=OTHERS) / number(victim="last")).between(1 - share, 1 + share)(x=HALF),
            reading=LEFT_OPEN,
        )
        for name, (number, share) in ALIKE.items()
    ),
)

draw = setup.sweep_figure("avg_sd", "sd of avg_ql (packets)", by="victim", setting="Reno, strict")
