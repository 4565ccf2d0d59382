"""What Tables 5.1 and 5.2 and Figure 5.4 have in common: datagrams with a code beside 10 to 100 transfers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from penstock.papers.alemu_2004 import cells, judge
from penstock.papers.alemu_2004.setup import FEC_QUEUES, fec
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Condition, Sample, all_of
from penstock.results.table import Table
from penstock.studies.study import Study

TEN = list(range(10, 101, 10))
REDS = (("RED", ""), ("automatic RED", "RED as in ns-2 since 2001: 6.25, 18.75, 0.0004"))
CODES: Sequence[str] = ["16,1", "16,2", "16,4", "8,2"]
"""Of Figure 5.4: k and h."""


def study(
    effort: Effort,
    codes: Sequence[str] = CODES,
    flows: Sequence[int] | None = None,
    schemes: Sequence[str] = tuple(FEC_QUEUES),
    sources: int = 1,
) -> Study:
    """The codes behind drop-tail and both REDs, beside 10 to 100 transfers or other numbers of them."""
    return Study(
        lambda code, scheme, flows: fec(scheme, flows, *numbers(code), sources),
        {
            "code": list(codes),
            "scheme": list(schemes),
            "flows": effort.choose([10, 50, 100], TEN) if flows is None else list(flows),
        },
        seeds=effort.choose(5, 50),
        labels={"sources": sources},
    )


def reds(table: Table) -> list[tuple[str, str]]:
    """The REDs of a table, each with the name of its reading (guess 9)."""
    return [(red, reading) for red, reading in REDS if table.has(scheme=red)]


def numbers(code: str) -> tuple[int, int]:
    """Data and redundancy packets of a block."""
    k, h = code.split(",")
    return int(k), int(h)


def printed(name: str, code: str, red: str = "RED") -> list[cells.Cell]:
    """The cells of a table; its RED is one of the two."""

    def place(row: str, column: str) -> tuple[str, Mapping[str, Any]]:
        metric, scheme = column.split()
        at = {"code": code, "scheme": red if scheme == "RED" else scheme, "flows": int(row.split()[0])}
        return metric, at

    return cells.read(name, place)


def crossing(table: Table, code: str, red: str) -> Sample:
    """Number of flows from which on RED leaves more losses after correction than drop-tail."""
    flows = table.axis("flows")
    first, second = ([table("PLR", code=code, scheme=s, flows=n) for n in flows] for s in (red, "DT"))
    return judge.crossing(flows, first, second)


def claims(table: Table, name: str, code: str, last: int) -> Iterator[Claim]:
    """A row for each number of flows, and up to which one (`last`) RED is the better."""
    title = name.replace("-", ".")
    for red, reading in REDS:
        own = [cell for cell in printed(name, code, red) if table.has(**cell.at)]
        for row in dict.fromkeys(cell.row for cell in own):
            chosen = [cell for cell in own if cell.row == row]
            yield Claim(
                id=f"{title}/c{row.split()[0]}",
                says=f"the row of {row}",
                expected=", ".join(f"{cell.column} {cell.printed:g} %" for cell in chosen),
                holds=cells.fits(table, chosen, {"PLRBC": judge.plr, "PLR": judge.plr}),
                reading=reading,
            )
        yield Claim(
            id=f"{title}/cells",
            says="cells whose print is inside the 95 % interval",
            expected="all",
            holds=cells.inside(table, own),
            reading=f"no tolerance; {reading}" if reading else "no tolerance",
        )
        yield Claim(
            id=f"{title}/c1",
            says=f"after correction RED loses less than drop-tail up to {last} flows, and more beyond",
            expected=f"PLR_RED - PLR_DT < 0 for n <= {last}, > 0 for n >= {last + 10}",
            holds=_signs(table, code, red, last),
            reading=reading,
        )


def _signs(table: Table, code: str, red: str, last: int) -> Condition:
    def gap(flows: int) -> Sample:
        return table("PLR", code=code, scheme=red, flows=flows) - table("PLR", code=code, scheme="DT", flows=flows)

    return all_of((gap(n) < 0.0 if n <= last else gap(n) > 0.0).at(f"{n} flows") for n in table.axis("flows"))
