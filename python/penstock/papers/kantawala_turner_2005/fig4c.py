"""Figure 4 (c): completion times of bursts, 200 ms over 40 ms, against the buffer, two round trips (Section 5.1)."""

from penstock.reproduce.figure import claims_if_measured, every, within

from .setup import DRR_BASED, LAST, NEW, SEEN, SETTLED, TRIPS, buffer_figure, buffer_study, claim, ratio

study = buffer_study(TRIPS, "short")

c09 = claim("c09", ratio(scheme=NEW).between(1.0, 1.3))
relative = ratio / ratio(scheme="QSDRR")
alike = relative.between(0.9, 1.1)
c11 = claim("c11", every((relative <= 1.2)(buffer=within(100, 400)), alike(buffer=LAST)))
c11_alike = claim("c11", alike)
"""The part of c11 on buffers in which the ratios are equal."""

CLAIMS = claims_if_measured(
    SETTLED,
    c09(buffer=within(2000, LAST)),
    c11(scheme=NEW),
    claim(
        "c10",
        every(
            ratio(scheme="Blue", buffer=LAST).matches_printed(3, 2.4, 3.4),
            (ratio(scheme="Blue") > ratio(scheme=[*DRR_BASED, "RED", "Tail-Drop"]))(buffer=SEEN),
        ),
    ),
)

draw = buffer_figure("ratio", "time, 200 ms / 40 ms")
