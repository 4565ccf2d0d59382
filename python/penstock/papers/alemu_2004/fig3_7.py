"""Figure 3.7: the thresholds of the adaptive REDs (Section 3.2.4)."""

from penstock.papers.alemu_2004 import panels
from penstock.papers.alemu_2004.judge import falls, rises
from penstock.papers.alemu_2004.setup import AQS, AREDS, LOADS, PLR, VQS, feng, floyd, load, psand
from penstock.reproduce.figure import Choice, Claim, Curve, Sweep, every
from penstock.results.sample import Sample

SCHEMES = {"Feng": feng, "Floyd": floyd}
FLOWS, SEEDS = Choice([3, 103], LOADS), Choice(5, 100)

# Both with each pair of thresholds, and PSAND with the recommended ones (guess 14).
study = Sweep(
    lambda scheme, min_th, max_th, flows: load(SCHEMES[scheme](min_th=min_th, max_th=max_th), flows),
    {
        "scheme": AREDS,
        "min_th": Choice([0, 5], [0, 2, 5, 7, 9.5]),
        "max_th": Choice([10.5, 20, 35], [10.5, 15, 18, 20, 30, 35]),
        "flows": FLOWS,
    },
    SEEDS,
) + Sweep(lambda flows: load(psand(), flows), {"flows": FLOWS}, SEEDS, labels={"scheme": "PSAND"})


def fall(curve: Curve) -> Sample:
    """From the least value of the axis to the largest."""
    samples = list(curve.values())
    return samples[0] - samples[-1]


CLAIMS = (
    Claim(
        "fig3.7/c1",
        "with no thresholds are the adaptive REDs as good as PSAND with (0, 20)",
        every(*(q(scheme="PSAND") < q(scheme=AREDS) for q in (AQS, VQS))),
    ),
    Claim(
        "fig3.7/c2",
        "with Max the queue gets longer and steadier and losses fall negligibly",
        every(rises(AQS, "max_th"), falls(VQS, "max_th"), PLR.along("max_th", fall).between(0, 2))(scheme=AREDS),
    ),
)

draw = panels.of(
    *(
        panels.Panel(x, y, "flows", {"scheme": scheme, **where}, f"{scheme}, {name}")
        for scheme in AREDS
        for x, where, name in (("max_th", {"min_th": 5}, "Min 5"), ("min_th", {"max_th": 20}, "Max 20"))
        for y in ("AQS", "VQS")
    )
)
