"""Drops of packets that were already stored, which cost memory bandwidth (Sections 2 and 3)."""

from penstock.reproduce.figure import QuickOrFull, every, metric

from .setup import BUFFERS, SEEN, TRIPS, buffer_figure, buffer_study, claim

study = buffer_study(TRIPS, "long", ["DTDRR", "DSDRR", "QSDRR", "DRR", "TDRR"], QuickOrFull([400], BUFFERS))

stored = metric("stored", says="stored packets among drops")
CLAIMS = (
    claim(
        "c32",
        every(stored(scheme=["DTDRR", "DSDRR"]) <= 0, stored(scheme=["QSDRR", "DRR", "TDRR"]) >= 0.8)(buffer=SEEN),
        must_hold=True,
    ),
)

draw = buffer_figure("stored", "stored packets among drops")
