"""Table 4.2: the schemes rated, equal round trips (Section 4.6.1)."""

from functools import partial

from penstock.papers.alemu_2004 import controllers, symbols
from penstock.papers.alemu_2004.setup import CONTROLLERS
from penstock.reproduce.figure import Claim, Table, by_table
from penstock.results.sample import Condition, Sample, all_of

PRINTED = symbols.read("tab4-2")
study = controllers.study("same")
draw = partial(symbols.draw, printed=PRINTED)


def _only_psand(_: Table) -> Condition:
    """PSAND's worst printed symbol is ++ or better, that of each other scheme is not."""
    worst = {s: Sample(float(min(symbols.rating(column[s]) for column in PRINTED.values()))) for s in CONTROLLERS}
    return all_of((own >= 2 if scheme == "PSAND" else own < 2).at(scheme) for scheme, own in worst.items())


CLAIMS = (
    *symbols.claims("tab4.2", PRINTED),
    Claim(
        "tab4.2/c6",
        "PSAND is the only scheme with at least ++ everywhere",
        by_table(_only_psand, "the least of its printed symbols is ++, that of each other scheme is less"),
        must_hold=True,
    ),
)
