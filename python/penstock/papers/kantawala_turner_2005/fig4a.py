"""Figure 4 (a): goodput of the long flows of 200 ms against the buffer, two round trips (Section 5.1)."""

from penstock.reproduce.figure import claims_if_measured, every, within

from .setup import COMPARED, LAST, NEW, POINTS, SEEN, SETTLED, TRIPS, buffer_figure, buffer_study, claim, slow, used

study = buffer_study(TRIPS, "long", COMPARED.full)

OF_INTEREST = within(200, 1000)  # packets, 5 to 25 % of the bandwidth-delay product (Section 5)
FROM_1000 = within(1000, LAST)  # packets

c01 = claim("c01", slow(buffer=SEEN).matches_printed(40, 30, 50))
c03 = claim("c03", slow(buffer=400).matches_printed(80, 70, 90))
qsdrr_is_better = (slow(scheme="QSDRR") > slow(scheme=NEW))(buffer=200)
both_are_close = (slow(scheme="QSDRR") - slow(scheme=NEW)).between(-POINTS, POINTS)
dsdrr_is_close = (slow(scheme="QSDRR") - slow(scheme="DSDRR")).between(-POINTS, POINTS)

CLAIMS = (
    *claims_if_measured(
        SETTLED,
        c01(scheme=["RED", "Blue"]),
        claim("c02", slow(scheme=NEW, buffer=FROM_1000) >= 80),
        c03(scheme=NEW),
        claim(
            "c05",
            # c25 covers DTDRR with 400 packets, where Section 3 calls it worse.
            every(qsdrr_is_better, dsdrr_is_close(buffer=400), both_are_close(buffer=FROM_1000)),
            others={"DTDRR with 400 packets, too": every(qsdrr_is_better, both_are_close(buffer=within(400, LAST)))},
        ),
        claim(
            "c25",
            every(
                (slow(scheme="DTDRR") < slow(scheme="QSDRR"))(buffer=within(200, 400)),
                (slow(scheme="DTDRR") - slow(scheme="QSDRR") >= -POINTS)(buffer=FROM_1000),
            ),
        ),
        claim("c33", every(*(n(scheme=["RED", "Blue"]) < n(scheme="QSDRR") for n in (slow, used)))(buffer=OF_INTEREST)),
    ),
    claim("c04", slow(scheme=NEW, buffer=100).matches_printed(40, 30, 50)),
)

draw = buffer_figure("g_slow", "goodput, 200 ms (%)")
