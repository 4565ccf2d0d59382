"""Figure 5.7: the size of a block at a fixed share of redundancy (Section 5.4.2.1)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import blocks, judge, panels, tables5
from penstock.papers.alemu_2004.blocks import QUARTER, TENTH
from penstock.papers.alemu_2004.measures import of_codes as measure
from penstock.papers.alemu_2004.tables5 import numbers
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]


def study(effort: Effort) -> Study:
    """A quarter and a tenth of redundancy, 50 and 100 flows."""
    quick = [QUARTER[0], QUARTER[1], QUARTER[-1], TENTH[0], TENTH[1], TENTH[-1]]
    return blocks.study(effort, quick, [*QUARTER, *TENTH], [50, 100])


def claims(table: Table) -> Iterator[Claim]:
    """Drop-tail against the REDs."""
    for red, reading in tables5.reds(table):
        yield from _claims(table, red, reading)


def _claims(table: Table, red: str, reading: str) -> Iterator[Claim]:
    known = table.axis("code")
    quarter, tenth = ([code for code in codes if code in known] for codes in (QUARTER, TENTH))

    def of(metric: str, scheme: str, code: str, n: int) -> Sample:
        return table(metric, scheme=scheme, code=code, flows=n)

    def gap(code: str, n: int, metric: str = "PLR") -> Sample:
        """RED's losses above drop-tail's, in points."""
        return of(metric, red, code, n) - of(metric, "DT", code, n)

    yield Claim(
        id="fig5.7/c1",
        says="losses before correction do not depend on the block, those after it fall with its size",
        expected="for each share, n and scheme: PLRBC within 10 % over k; PLR falls with k",
        holds=all_of(
            condition.at(f"{scheme}, {codes[0]} to {codes[-1]}, {n} flows")
            for codes in (quarter, tenth)
            for n in (50, 100)
            for scheme in ("DT", red)
            for condition in (
                (judge.relative_spread([of("PLRBC", scheme, code, n) for code in codes]) <= 0.1).at("PLRBC"),
                judge.falling([of("PLR", scheme, code, n) for code in codes]).at("PLR"),
            )
        ),
        reading=reading,
    )
    yield Claim(
        id="fig5.7a/c1",
        says="50 flows, (8,2): drop-tail loses 2.9 times as much after correction, less before",
        expected="PLR(DT)/PLR(RED) 2.9 +- 30 %, PLRBC(RED) > PLRBC(DT)",
        holds=all_of(
            judge.ratio(of("PLR", "DT", "8,2", 50), of("PLR", red, "8,2", 50)).reads(2.9, share=0.3).at("ratio"),
            (gap("8,2", 50, "PLRBC") > 0.0).at("PLRBC"),
        ),
        reading=reading,
    )
    yield Claim(
        id="fig5.7a/c2",
        says="50 flows: RED's gain is larger at (8,2) than at (16,4); large blocks are repaired nearly all",
        expected="PLR(DT) - PLR(RED) larger; at (64,16) both at most 0.1 %",
        holds=all_of(
            (gap("8,2", 50) < gap("16,4", 50)).at("gain"),
            *((of("PLR", scheme, "64,16", 50) <= 0.1).at(f"(64,16), {scheme}") for scheme in ("DT", red)),
        ),
        reading=reading,
    )
    yield Claim(
        id="fig5.7b/c1",
        says="100 flows, (16,4): RED loses 0.5 points more after correction, 2.1 before",
        expected="each +- 0.5 points",
        holds=all_of(
            judge.gap(gap("16,4", 100), 0.5).at("after"),
            judge.gap(gap("16,4", 100, "PLRBC"), 2.1).at("before"),
        ),
        reading=reading,
    )
    yield Claim(
        id="fig5.7b/c2",
        says="100 flows, (16,4): 8.6 points are repaired behind RED, 7 behind drop-tail",
        expected="PLRBC - PLR, each +- 2 points",
        holds=all_of(
            judge.plr(of("PLRBC", s, "16,4", 100) - of("PLR", s, "16,4", 100), points).at(s)
            for s, points in ((red, 8.6), ("DT", 7))
        ),
        reading=reading,
    )
    yield Claim(
        id="fig5.7c/c1",
        says="50 flows, a tenth: RED is better for blocks below about (40,4), worse above",
        expected="PLR(RED) < PLR(DT) for k <= 30, > for k >= 50",
        holds=all_of(
            (gap(code, 50) < 0.0 if numbers(code)[0] <= 30 else gap(code, 50) > 0.0).at(f"({code})")
            for code in tenth
            if code != "40,4"
        ),
        reading=reading,
    )
    yield Claim(
        id="fig5.7d/c1",
        says="100 flows, (20,2): RED loses 2.1 points more after correction, and the more the larger the block",
        expected="2.1 +- 0.5 points; rises with k",
        holds=all_of(
            judge.gap(gap("20,2", 100), 2.1).at("(20,2)"),
            judge.rising([gap(code, 100) for code in tenth]).at("rising"),
        ),
        reading=reading,
    )
    yield Claim(
        id="fig5.7bd/c1",
        says="100 flows: RED's disadvantage is larger with a tenth of redundancy than with a quarter",
        expected="gap at (20,2) above that at (16,4), and so for the largest blocks",
        holds=all_of(
            (gap("20,2", 100) > gap("16,4", 100)).at("20, 16"),
            (gap(tenth[-1], 100) > gap(quarter[-1], 100)).at("largest"),
        ),
        reading=reading,
    )
    yield Claim(
        id="model5.rule/c4",
        says="as the model has it, with 100 flows redundancy is too small for RED, with 50 small blocks favour it",
        expected="PLR(RED) > PLR(DT) for k >= 16 at 100 flows; < for the smallest block at 50; both shares",
        holds=all_of(
            *((gap(code, 100) > 0.0).at(f"({code}), 100") for code in (*quarter, *tenth) if numbers(code)[0] >= 16),
            *((gap(codes[0], 50) < 0.0).at(f"({codes[0]}), 50") for codes in (quarter, tenth)),
        ),
        reading=reading,
    )


def draw(shown: SummaryTable) -> Figure:
    """The four panels, each as losses before and after correction."""
    return panels.draw(blocks.by_size(shown), blocks.panels([50, 100], "ratio", [0.25, 0.1]))
