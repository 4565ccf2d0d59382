"""DTDRR with 400 packets, and one shared queue with every buffer: long flows of two round trips."""

from penstock.reproduce.figure import claims_if_measured

from .setup import ONE_QUEUE, SETTLED, TRIPS, buffers, claim, panel, runs, slow

SMALL = 400  # packets
study = runs(  # runs of Figure 4 (a)
    {"scheme": ["DTDRR", *ONE_QUEUE], "buffer": buffers(TRIPS, "long")},
    {"network": TRIPS, "load": "long"},
    where=lambda scheme, buffer: scheme in ONE_QUEUE or buffer == SMALL,
)

CLAIMS = claims_if_measured(SETTLED, claim("m1", slow(scheme="DTDRR", buffer=SMALL) > slow(scheme=ONE_QUEUE)))

draw = panel("g_slow", "goodput, 200 ms (%)")
