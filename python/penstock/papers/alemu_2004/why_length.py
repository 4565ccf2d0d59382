"""A shorter queue loses more: among the schemes with unequal round trips, and among the thresholds of PSAND.

`fig2.9/length-PLR` shows it for RED, the adaptive REDs and PSAND. Claims that a scheme has both a shorter queue and
fewer losses contradict this. AVQ is left out: it counts bytes, and hardly drops acknowledgements.
"""

from collections.abc import Iterator
from functools import partial

from penstock.reproduce import shape
from penstock.reproduce.figure import Claim, QuickOrFull, Sweep, Table, table_statement
from penstock.results.condition import Condition

from .own import own_claim_factory
from .setup import CONTROLLERS, controller_load_scenario, psand, steady_flows_scenario
from .table3_1 import MAXIMA, MINIMA

SCHEMES = [scheme for scheme in CONTROLLERS if not scheme.startswith("AVQ")]
MANY = [73, 88, 103]
"""Numbers of flows at which PSAND is said to lose least (Section 4.6.2)."""

# Six schemes with many flows, and the rows of Table 3.1.
study = Sweep(
    lambda scheme, flows: controller_load_scenario(scheme, flows, "diff"),
    {"scheme": SCHEMES, "flows": QuickOrFull([103], MANY)},
    seeds=QuickOrFull(5, 20),
    labels={"part": "schemes"},
) + Sweep(
    lambda max_th, min_th: steady_flows_scenario(psand(1, 1, 0.5, min_th=min_th, max_th=max_th), 23),
    {"max_th": MAXIMA, "min_th": MINIMA},
    seeds=QuickOrFull(5, 20),
    labels={"part": "thresholds", "flows": 23},
)


def _falls_with_length(table: Table, **at: str | int) -> Condition:
    cells = [samples for _, samples in table.where(**at).cells]
    return shape.rank_correlation([of["AQS"] for of in cells], [of["PLR"] for of in cells]) < 0.0


def _claims(part: str, among: str, flows: list[int]) -> Iterator[Claim]:
    for n in flows:
        yield own_claim_factory("why-length")(
            f"{part}-{n}",
            table_statement(partial(_falls_with_length, part=part, flows=n), "rank correlation of AQS and PLR below 0"),
            needs={"part": part, "flows": n},
            says=f"{among}, {n} flows: the shorter the queue, the more it loses",
        )


CLAIMS = (
    *_claims("schemes", "BLUE, PI, REM, LRED, LRED* and PSAND with unequal round trips", MANY),
    *_claims("thresholds", "the rows of Table 3.1", [23]),
)
