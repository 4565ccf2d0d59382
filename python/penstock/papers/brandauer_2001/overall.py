"""Claims about all kinds of traffic (Sections 4 to 6)."""

from functools import partial
from itertools import combinations

from penstock.reproduce.figure import Table, by_table, every, some
from penstock.results.condition import Condition, all_of
from penstock.results.sample import Sample

from . import fig4b
from .setup import OPTION, OPTIONS, RED, claim, goodput, in_a_row

study = fig4b.study


def _alike(option: int, table: Table) -> Condition:
    """Tail-drop's losses in a row are alike with any two loads, over the seeds that all loads have."""
    lengths = {
        f"{at[axis]} {axis}": samples["in_a_row"].values
        for axis, low, own in (("flows", 64, {"setting": "simulation"}), ("sessions", 1200, {"option": option}))
        for at, samples in table.where(scheme="TD", **own).cells
        if at[axis] >= low
    }
    runs = min(map(len, lengths.values()))
    return all_of(
        (Sample(first[:runs]) / Sample(second[:runs])).between(1 / 1.5, 1.5).at(f"{a} and {b}")
        for (a, first), (b, second) in combinations(lengths.items(), 2)
    )


no_more = goodput(scheme=RED) / goodput(scheme="TD") <= 1.01
not_the_worst = some(in_a_row(scheme="GREDstd") <= in_a_row(scheme=["REDstd", "REDopt"]), "scheme")
no_better = every(no_more, not_the_worst)
ALIKE = "mean losses in a row: any two within a factor of 1.5, of N >= 64 and >= 1200 sessions"
CLAIMS = (
    *(
        claim("c18", by_table(partial(_alike, n), ALIKE), reading=words, must_hold=not words, needs={"option": n})
        for n, words in OPTIONS.items()
    ),
    claim(
        "c28",
        every(no_better(setting="simulation"), no_better(option=OPTION)),
        "goodput <= 1.01 TD everywhere; GREDstd's losses in a row not above both others'",
    ),
)
