"""Table 2.2: average and variance of the queue and losses of PSAND and the adaptive REDs."""

import itertools
from collections.abc import Sequence
from functools import partial

from penstock.papers.alemu_2004 import cells, judge, tables2
from penstock.papers.alemu_2004.setup import AREDS, OTHERS, PLR, VQS
from penstock.papers.alemu_2004.tables2 import HIGH, study
from penstock.reproduce.figure import Claim, Number, Statement, every

__all__ = ["CLAIMS", "JUDGES", "PRINTED", "draw", "study"]

JUDGES = {"AQS": judge.aqs, "VQS": judge.vqs, "PLR": judge.plr}
PRINTED = tables2.printed("tab2-2")


def _of(number: Number, row: str) -> Number:
    """Of a row, PSAND's with the main reading of its bound."""
    return number(row=row, high=HIGH, acks="each") if row in tables2.PSANDS else number(row=row, acks="each")


def _beside(number: Number, rows: Sequence[str]) -> Number:
    return number(row=list(rows), acks="each")


def _order(number: Number, *rows: str) -> Statement:
    return every(*(_of(number, a) < _of(number, b) for a, b in itertools.pairwise(rows)))(flows=28)


lost, varied = partial(_of, PLR), partial(_of, VQS)
less = _beside(PLR, OTHERS) - lost("PSAND1")
AREDS_VARIED = _beside(VQS, AREDS)

CLAIMS = (
    *tables2.rows("tab2.2", JUDGES, because=tables2.BECAUSE),
    cells.all_inside("tab2.2", PRINTED),
    cells.all_inside("tab2.2", tables2.printed("tab2-2", acks="delayed"), "no tolerance; delayed acknowledgements"),
    Claim(
        "tab2.2/c6",
        "PSAND1 loses less than RED and the adaptive REDs: by 0.2 points at 3 flows, by almost 2 at 28",
        every(less(flows=3).reads(0.2, -0.3, 0.7), less(flows=28).reads(2, 1.5, 2.5)),
        "0.2 +- 0.5 and 2 +- 0.5 points (Table 2.2 itself has 1.3 and 1.2 at 28)",
    ),
    Claim(
        "tab2.2/c7",
        "the queue of PSAND1 varies less than that of the adaptive REDs at 3 flows, more at 28",
        every((varied("PSAND1") < AREDS_VARIED)(flows=3), (varied("PSAND1") > AREDS_VARIED)(flows=28)),
        "VQS(PSAND1) < VQS(ARED) at 3, > at 28",
    ),
    Claim(
        "tab2.2/c8",
        "the queue of PSAND2 varies less than that of the adaptive REDs; it loses more than PSAND1 at 3 flows",
        every(varied("PSAND2") < AREDS_VARIED, (lost("PSAND2") > lost("PSAND1"))(flows=3)),
        "VQS(PSAND2) < VQS(ARED) at 3 and 28; PLR(PSAND2) > PLR(PSAND1) at 3",
    ),
    Claim(
        "tab2.2/c9",
        "PSAND3 improves on PSAND2",
        every((varied("PSAND3") < varied("PSAND2"))(flows=28), (lost("PSAND3") < lost("PSAND2"))(flows=3)),
        "lower VQS at 28, lower PLR at 3",
    ),
    Claim(
        "tab2.2/c10",
        "the order of VQS at 28 flows",
        _order(VQS, "PSAND3", "PSAND2", "Feng", "Floyd", "PSAND1"),
        "PSAND3 < PSAND2 < Feng < Floyd < PSAND1",
    ),
    Claim(
        "tab2.2/c11",
        "the order of PLR at 28 flows",
        _order(PLR, "PSAND1", "PSAND3", "PSAND2", "Floyd", "Feng"),
        "PSAND1 < PSAND3 < PSAND2 < Floyd < Feng",
    ),
)

draw = partial(cells.draw, cells=PRINTED)
