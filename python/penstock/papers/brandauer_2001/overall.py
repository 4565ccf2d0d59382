"""Claims about all kinds of traffic (Sections 4 to 6)."""

from functools import partial
from itertools import combinations

from penstock.reproduce.figure import Table, at_least, every, some, table_statement
from penstock.results.condition import Condition, all_of
from penstock.results.sample import RunSample

from . import fig4b
from .setup import EQUAL, FLOWS, OPTION, OPTIONS, RED, claim, goodput, in_a_row

study = fig4b.study


def _alike(option: int, table: Table) -> Condition:
    """Tail-drop's losses in a row are alike with any two loads, over the seeds that all loads have."""
    lengths = {
        f"{at[axis]} {axis}": samples["in_a_row"].values
        for axis, low, page in (("flows", 64, None), ("sessions", 1200, option))
        for at, samples in table.where(scheme="TD", option=page).cells
        if (at[axis] or 0) >= low
    }
    runs = min(map(len, lengths.values()))
    return all_of(
        (RunSample(first[:runs]) / RunSample(second[:runs])).between(1 / 1.5, 1.5).at(f"{a} and {b}")
        for (a, first), (b, second) in combinations(lengths.items(), 2)
    )


no_more = goodput(scheme=RED) / goodput(scheme="TD") <= EQUAL
not_the_worst = some(in_a_row(scheme="GREDstd") <= in_a_row(scheme=["REDstd", "REDopt"]), "scheme")
no_better = every(no_more, not_the_worst)
ALIKE = "mean losses in a row: any two within a factor of 1.5, of N >= 64 and >= 1200 sessions"
CLAIMS = (
    *(
        claim(
            "c18", table_statement(partial(_alike, n), ALIKE), reading=words, must_hold=not words, needs={"option": n}
        )
        for n, words in OPTIONS.items()
    ),
    claim(
        "c28",
        every(no_better(flows=at_least(FLOWS[0])), no_better(option=OPTION)),
        f"goodput <= {EQUAL} TD everywhere; GREDstd's losses in a row not above both others'",
    ),
)
