"""Table 1.2: the policy of each scheme (Section 1.5)."""

from penstock.laws.catalog import find_scheme
from penstock.papers.alemu_2004.registry import NAMES
from penstock.reproduce.figure import Claim, Effort, metric
from penstock.results.table import Labels


def rows(_: Effort) -> list[tuple[Labels, dict[str, float]]]:
    """1 for each scheme whose documentation has a Law section, else 0."""
    return [({"scheme": name}, {"law": float("# Law\n" in find_scheme(ours).doc)}) for name, ours in NAMES.items()]


CLAIMS = (
    Claim(
        "tab1.2/c1",
        "each scheme of the table is there, with its policy",
        metric("law") >= 1,
        "17 schemes, each with the section of its law that `penstock explain` shows",
        must_hold=True,
    ),
)
