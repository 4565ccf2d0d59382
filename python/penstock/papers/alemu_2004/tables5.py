"""What chapter 5 has in common: datagrams with a code beside 10 to 100 transfers, behind drop-tail and both REDs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from penstock.papers.alemu_2004 import cells, judge
from penstock.papers.alemu_2004.setup import FEC_QUEUES, PLR, PLRBC, fec
from penstock.reproduce.choice import Range
from penstock.reproduce.figure import Choice, Claim, Readings, Sweep, above, at_most, every, needing

TEN = list(range(10, 101, 10))
SETTLED = {"flows": 20}
"""A cell that only a full sweep has: where the schemes change places takes all numbers of flows."""
REDS = {"RED": "", "automatic RED": "RED as in ns-2 since 2001: 6.25, 18.75, 0.0004"}
"""The REDs, each with the name of its reading (guess 9)."""
RED, TAIL = Readings(REDS), "DT"
BOTH = [TAIL, RED]
CODES = ["16,1", "16,2", "16,4", "8,2"]
"""Of Figure 5.4: k and h."""
GAP, GAP_BEFORE = (q(scheme=RED) - q(scheme=TAIL) for q in (PLR, PLRBC))
"""RED's losses above drop-tail's after and before correction, in points."""
CROSSING = GAP.along("flows", judge.crossing, "where it rises above 0", unit="flows")
"""The number of flows from which on RED leaves more losses after correction than drop-tail."""
Several = Sequence[Any] | Choice[Sequence[Any]]


def study(
    codes: Several,
    flows: Several = Choice([10, 50, 100], TEN),  # noqa: B008
    schemes: Several = tuple(FEC_QUEUES),
    sources: int = 1,
) -> Sweep:
    """These codes behind drop-tail and both REDs, beside 10 to 100 transfers or other numbers of them."""
    return Sweep(
        lambda code, scheme, flows: fec(scheme, flows, *numbers(code), sources),
        {"code": codes, "scheme": schemes, "flows": flows},
        seeds=Choice(5, 50),
        labels={"sources": sources},
    )


def for_each_red(claims: Callable[[str], Iterator[Claim]], **needs: str) -> Iterator[Claim]:
    """Claims on one of the REDs, made for each RED; left out where no cell has it and these labels."""
    for red, reading in REDS.items():
        for claim in claims(red):
            own = "; ".join(filter(None, [claim.reading, reading]))
            yield from needing({"scheme": red, **needs}, replace(claim, reading=own))


def numbers(code: str) -> tuple[int, int]:
    """Data and redundancy packets of a block."""
    k, h = code.split(",")
    return int(k), int(h)


def codes(text: str, chosen: Callable[[int, int], bool]) -> Range:
    """The codes with such numbers of data and redundancy packets."""
    return Range(text, lambda code: code is not None and chosen(*numbers(code)))


def printed(name: str, code: str, red: str = "RED") -> list[cells.Cell]:
    """The cells of a table; its RED is one of the two."""

    def place(row: str, column: str) -> tuple[str, Mapping[str, Any]]:
        metric, scheme = column.split()
        at = {"code": code, "scheme": red if scheme == "RED" else scheme, "flows": int(row.split()[0])}
        return metric, at

    return cells.read(name, place)


def claims(name: str, code: str, last: int) -> Iterator[Claim]:
    """A claim for each row, and that RED loses less up to `last` flows."""
    title = name.replace("-", ".")
    yield from for_each_red(partial(_rows, name, code))
    yield Claim(
        f"{title}/c1",
        f"after correction RED loses less than drop-tail up to {last} flows, and more beyond",
        every((GAP < 0)(flows=at_most(last)), (GAP > 0)(flows=above(last)))(code=code),
        f"PLR_RED - PLR_DT < 0 for n <= {last}, > 0 for n >= {last + 10}",
    )


def _rows(name: str, code: str, red: str) -> Iterator[Claim]:
    title = name.replace("-", ".")
    all_cells = printed(name, code, red)
    for row in dict.fromkeys(cell.row for cell in all_cells):
        own = [cell for cell in all_cells if cell.row == row]
        text = ", ".join(f"{cell.column} {cell.printed:g} %" for cell in own)
        fits = cells.rows_fit(own, {"PLRBC": judge.plr, "PLR": judge.plr}, text)
        yield Claim(f"{title}/c{row.split()[0]}", f"the row of {row}", fits, needs={"flows": own[0].at["flows"]})
    yield cells.all_inside(title, all_cells)
