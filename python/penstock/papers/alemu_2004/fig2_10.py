"""Figure 2.10: how often the queue is empty, long and near its target (Section 2.4.2.2)."""

from penstock.papers.alemu_2004 import judge, panels
from penstock.papers.alemu_2004.judge import swept
from penstock.papers.alemu_2004.loads import OWN, study
from penstock.papers.alemu_2004.setup import AREDS, EMPTY, LONGER, LU, NEAR, NEARER, OTHERS
from penstock.reproduce.figure import Claim, Table, above, below, by_table, every
from penstock.results.sample import Condition, all_of

__all__ = ["CLAIMS", "draw", "study"]

SCHEMES = [*OTHERS, "PSAND"]


def _same_shape(table: Table) -> Condition:
    """Rank correlation of the two curves over the numbers of flows."""

    def trend(scheme: str) -> Condition:
        wide, narrow = ([x for _, x in table.along("flows", q, scheme=scheme)] for q in ("5 to 15", "8 to 11"))
        return judge.trend(narrow, [x.mean for x in wide]) >= 0.8

    return all_of(trend(scheme).at(scheme) for scheme in SCHEMES)


CLAIMS = (
    Claim(
        "fig2.10a/c1",
        "PSAND's queue is empty less often, by 2 points at least",
        swept(EMPTY(scheme=OTHERS) - EMPTY(scheme=OWN) > 2),
        "P(X=0) of PSAND 2 points below the others for every N (Table 2.3 has 1.4 for Floyd's at 28)",
    ),
    Claim("fig2.10a/c2", "so PSAND uses the link best", swept(EMPTY(scheme=OTHERS) - EMPTY(scheme=OWN) > 0)),
    Claim(
        "fig2.10a/c2",
        "so PSAND uses the link best",
        swept(LU(scheme="PSAND") > LU(scheme=OTHERS)),
        reading="utilization by the bytes sent",
    ),
    Claim(
        "fig2.10b/c1", "PSAND's queue is almost full least often", swept(LONGER(scheme=OTHERS) - LONGER(scheme=OWN) > 0)
    ),
    *(
        Claim(
            f"fig2.10{panel}/c1",
            "PSAND is near the target less often than the adaptive REDs with few flows, more often with many",
            swept(
                every(
                    (q(scheme=OWN) < q(scheme=AREDS))(flows=below(28)),
                    (q(scheme=OWN) - q(scheme=AREDS) > 0)(flows=above(28)),
                )
            ),
        )
        for panel, q in (("c", NEAR), ("d", NEARER))
    ),
    Claim(
        "fig2.10d/c2",
        "the wider interval is the more probable, and the curves have the same shape",
        every(
            swept(NEAR(scheme=SCHEMES) > NEARER(scheme=SCHEMES)),
            by_table(_same_shape, "rank correlation of the two curves of each scheme >= 0.8"),
        ),
    ),
)

names = ("empty", "25 to 35", "5 to 15", "8 to 11")
draw = panels.of(*(panels.Panel("flows", metric, "scheme", title=metric) for metric in names))
