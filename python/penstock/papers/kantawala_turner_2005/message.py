"""DTDRR with 400 packets, and one shared queue with every buffer: long flows of two round trips."""

from penstock.reproduce.figure import claims_if_measured

from .setup import ONE_QUEUE, SETTLED, TRIPS, buffer_figure, buffer_sizes, claim, paper_study, slow

SMALL = 400  # packets
study = paper_study(  # runs of Figure 4 (a)
    {"scheme": ["DTDRR", *ONE_QUEUE], "buffer": buffer_sizes(TRIPS, "long")},
    {"network": TRIPS, "load": "long"},
    where=lambda scheme, buffer: scheme in ONE_QUEUE or buffer == SMALL,
)

CLAIMS = claims_if_measured(SETTLED, claim("m1", slow(scheme="DTDRR", buffer=SMALL) > slow(scheme=ONE_QUEUE)))

draw = buffer_figure("g_slow", "goodput, 200 ms (%)")
