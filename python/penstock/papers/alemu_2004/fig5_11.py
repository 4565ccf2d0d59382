"""Figure 5.11: losses grouped into runs (Section 5.5)."""

import penstock as ps
from penstock.papers.alemu_2004.measures import Numbers
from penstock.papers.alemu_2004.setup import losing
from penstock.reproduce.figure import Claim, Sweep, every, metric

GROUPS = {"alone": [6, 9, 20], "in pairs": [6, 7, 12, 13], "of 1, 2 and 3": [4, 11, 12, 18, 19, 20, 30]}
"""Numbers of lost packets."""

study = Sweep(lambda lost: losing(GROUPS[lost], "2s"), {"lost": list(GROUPS)})


def measure(run: ps.Run) -> Numbers:
    """Groups, and the share of those of each size, as in Figure 5.6."""
    code = run.traffic["fec"]
    shares = [*code.loss_run_pmf, 0, 0, 0][:3]
    return {"groups": code.loss_runs, **{f"of {size}": float(share) for size, share in enumerate(shares, 1)}}


def _sizes(lost: list[int]) -> list[int]:
    """The sizes of the groups of consecutive numbers, in order."""
    starts = [i for i, number in enumerate(lost) if i == 0 or number != lost[i - 1] + 1]
    return [end - start for start, end in zip(starts, [*starts[1:], len(lost)], strict=True)]


SIZES = {name: _sizes(lost) for name, lost in GROUPS.items()}
CLAIMS = (
    Claim(
        "fig5.11/c1",
        "the losses fall into groups of consecutive ones, whose sizes are the runs of Figure 5.6",
        every(
            *(abs(metric("groups")(lost=name) - len(own)) <= 1e-6 for name, own in SIZES.items()),
            *(
                abs(metric(f"of {size}")(lost=name) - own.count(size) / len(own)) <= 1e-6
                for name, own in SIZES.items()
                for size in (1, 2, 3)
            ),
        ),
        "chosen losses: the number of groups, and the share of those of 1, 2 and 3, to 1e-6",
        must_hold=True,
    ),
)
