"""Drops of packets that were already stored, which cost memory bandwidth (Sections 2 and 3)."""

from penstock.papers.kantawala_turner_2005.setup import BUFFERS, SEEN, TRIPS, against_buffer, panel
from penstock.reproduce.figure import Choice, Claim, every, metric

study = against_buffer(TRIPS, "long", ["DTDRR", "DSDRR", "QSDRR", "DRR", "TDRR"], Choice([400], BUFFERS))

stored = metric("stored", says="stored packets among drops")
CLAIMS = (
    Claim(
        "c32",
        "QSDRR, DRR and TDRR mostly drop packets that are stored, DTDRR and DSDRR never",
        every(stored(scheme=["DTDRR", "DSDRR"]) <= 0, stored(scheme=["QSDRR", "DRR", "TDRR"]) >= 0.8)(buffer=SEEN),
        must_hold=True,
    ),
)

draw = panel("stored", "stored packets among drops")
