"""A few cells of each reference file against ns-2.35; `make validate` runs them all."""

import math

import pytest

from validation.known import explanation
from validation.reference import FILES, Cell, Reference, compare
from validation.runner import validate
from validation.table import text

# (file, cells by their names): one of each kind, the cheap ones.
QUICK = {
    "thesis_link": [
        "topo=same scheme=DropTail N=3 minrto=1.0",
        "topo=same scheme=RED N=28 minrto=1.0",
        "topo=same scheme=ARED_Floyd N=28 minrto=0.2",
        "topo=diff scheme=RED N=28 minrto=1.0",
        "topo=same scheme=PI N=3 minrto=1.0",
        "topo=same scheme=AVQ98 N=3 minrto=1.0",
        "topo=same scheme=REM N=3 minrto=1.0",
    ],
    "queue_law": [
        "N=100 p=0.1 mode=drop minrto=1.0",
        "N=100 p=0.1 mode=mark minrto=1.0",
    ],
    "red_family": [
        "scheme=RED N=50 minrto=1.0",
        "scheme=ARED N=50 minrto=0.2",
        "scheme=gREDECN N=50 minrto=1.0",
    ],
    "open_loop": [
        "kind=poisson scheme=RED rho=0.9",
        "kind=poisson scheme=gRED rho=1.5",
        "kind=poisson scheme=ARED_Feng rho=1.5",
        "kind=poisson scheme=PI rho=1.5",
        "kind=poisson scheme=AVQ rho=1.5",
        "kind=poisson scheme=REM rho=1.5",
    ],
    "open_flows": [
        "scheme=DRR mix=equal kind=poisson rho=1.5",
        "scheme=DRR mix=mixed kind=poisson rho=1.5",
        "scheme=FQ mix=equal kind=poisson rho=1.5",
        "scheme=CBQ mix=equal kind=poisson rho=1.5",
        "scheme=WRR mix=equal kind=poisson rho=1.5",
        "scheme=SFQ mix=equal kind=poisson rho=1.5",
        "scheme=RIO mix=equal kind=poisson rho=1.5",
        "scheme=WRED mix=equal kind=poisson rho=1.1",
    ],
    "wred": ["scheme=WRED tcp=Sack1 cir=0 minrto=1.0"],
    "multirtt": ["scheme=gRED B=200 minrto=1.0"],
    "fec": ["scheme=gRED N=10 load=1.0625 minrto=1.0", "scheme=RED N=50 load=1.25 minrto=1.0"],
    "thesis_claims": [
        "scheme=PSAND when=load N=28 min=0 max=20",
        "scheme=PSAND when=leaves N=50 min=0 max=20",
        "scheme=Floyd when=joins N=50 min=5 max=15",
        "scheme=AVQ when=first N=8 min=5 max=15",
    ],
    "thesis_setup": [
        "scheme=PSAND N=23 coef=1 gamma=1 high=0.5 min=0 max=20 reverse=closed",
        "scheme=PSAND N=8 coef=1.75 gamma=1.5 high=0.75 min=0 max=20 reverse=open",
        "scheme=Floyd N=28 reverse=closed",
    ],
    "br_claims": ["scheme=REDopt flows=16", "scheme=TD flows=256"],
    "kt_claims": ["network=trips scheme=DRR B=400 queues=100 tcp=Tahoe"],
}


@pytest.mark.parametrize("file", FILES)
def test_quick_cells_agree_with_ns2(file: str) -> None:
    report = validate([file], runs=10, wanted=lambda cell: cell.name in QUICK[file])
    assert {c.cell.name for c in report.comparisons} == set(QUICK[file]), "a cell of the list is not in the file"
    # Seeds are fixed, so nothing flickers: each number agrees or stands in validation/known.py with its reason.
    differing = [c for c in report.comparisons if not c.agrees and not explanation(c)]
    assert not differing, "\n" + text(differing)


def test_the_tolerance_is_two_errors_or_three_percent() -> None:
    cell = Cell("open_loop", {}, {"util": Reference(1.0, 0.0, 3), "q_var": Reference(10.0, None, 1)})
    assert math.isclose(compare(cell, "util", [1.0, 1.0, 1.0]).tolerance, 0.03)
    # One seed there: its spread is taken to be ours, here sqrt(2).
    noise = 2.2 * math.sqrt(2 / 2 + 2 / 1)
    assert math.isclose(compare(cell, "q_var", [9.0, 11.0]).tolerance, noise)
    assert math.isclose(compare(cell, "q_var", [10.0, 10.0]).tolerance, 0.8)
