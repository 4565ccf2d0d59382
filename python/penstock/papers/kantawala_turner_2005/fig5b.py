"""Figure 5 (b): goodput of the long cross traffic at the first router, three hops (Section 5.2)."""

from penstock.reproduce.figure import Readings, claims_if_measured, every

from .setup import FROM_400, HOPS, LAST, NEW, SEEN, SETTLED, buffer_figure, buffer_study, claim, fast, slow, used

study = buffer_study(HOPS, "long")

AT = Readings({SEEN: "", LAST: "at B = 5000"})

slack = claim("c18", fast(scheme=NEW).matches_printed(117.5, 110, 125))
one_queue = claim(
    "c19", every(fast.matches_printed(150, 140, 160), used.matches_printed(95, 93, 97))(scheme=["RED", "Tail-Drop"])
)
blue = claim("c20", every(fast.matches_printed(130, 120, 140), used.matches_printed(75, 70, 80)))

CLAIMS = claims_if_measured(
    SETTLED,
    slack(buffer=FROM_400),
    one_queue(buffer=AT),
    blue(scheme="Blue", buffer=AT),
    claim("c21", (used - (slow + fast) / 2).between(-2, 2)(buffer=SEEN)),
)

draw = buffer_figure("g_fast", "goodput, cross (%)")
