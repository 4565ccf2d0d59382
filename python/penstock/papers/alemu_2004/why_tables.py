"""Why Tables 2.2, 2.3 and 3.1 are missed: what a window of 8 packets or delayed acknowledgements would change."""

from functools import partial
from typing import Any

from penstock.reproduce.figure import Choice, Statement, Sweep, every, metric
from penstock.scenario.scenario import Document

from . import cells, judge, tables2, why
from .setup import DELAYED, feng, floyd, load, psand
from .tables2 import FLOWS, PSANDS

CHANGES: dict[str, dict[str, Any]] = {
    "as printed": {},
    "window 8": {"window": 8},
    "delayed acknowledgements": {"delayed_ack": DELAYED},
    "timeout 0.2 s": {"min_rto": "200ms"},
}
NS2 = {
    ("Floyd", 3): {"AQS": 11.07, "VQS": 31.72, "PLR": 1.577, "empty": 8.73},
    ("Floyd", 28): {"AQS": 13.44, "VQS": 65.17, "PLR": 15.08, "empty": 4.739},
    ("Feng", 3): {"AQS": 11.23, "VQS": 33.43, "PLR": 1.656, "empty": 9.643},
    ("Feng", 28): {"AQS": 10.14, "VQS": 66.87, "PLR": 15.69, "empty": 12.34},
}
"""ns-2.35 with the set-up as printed, means of ten runs."""
ROWS = ["Feng", "Floyd", *PSANDS]


JUDGES = {"AQS": judge.aqs, "VQS": judge.vqs, "PLR": judge.plr}


def _scenario(change: str, row: str, flows: int) -> Document:
    queue = {"Feng": feng, "Floyd": floyd}[row]() if row not in PSANDS else psand(*PSANDS[row][flows])
    document = load(queue, flows).document()
    for name in ("base1", "reverse", "base2", *(["extra"] if flows > 3 else [])):
        for key, value in CHANGES[change].items():
            document = document.set(f"traffic.{name}.{key}", value, "vary")
    return document


# The rows of Table 2.2 with one thing changed for all flows.
study = Sweep(_scenario, {"change": list(CHANGES), "row": ROWS, "flows": FLOWS}, seeds=Choice(5, 100))


def _cells(change: str) -> list[cells.Cell]:
    return [
        cells.Cell(cell.row, cell.column, cell.printed, cell.metric,
                   {"change": change, "row": cell.row, "flows": cell.at["flows"]})
        for name in ("tab2-2", "tab2-3")
        for cell in tables2.printed(name)
    ]  # fmt: skip


def _as_ns2(name: str, value: float, **at: Any) -> Statement:
    margin = 1.0 if name in ("PLR", "empty") and value < 15 else 0.1 * value
    return metric(name).reads(value, value - margin, value + margin)(**at)


own = why.own("why-tables")
CLAIMS = (
    own(
        "ns2",
        "ns-2.35 with the set-up as printed gives what is measured here, not what is printed",
        every(
            *(
                _as_ns2(name, value, change="as printed", row=row, flows=n)
                for (row, n), values in NS2.items()
                for name, value in values.items()
            )
        ),
        "AQS, VQS, PLR and P(X=0) of Feng's and Floyd's scheme within 10 % (1 point below 15 %)",
    ),
    *(
        own(
            f"{change.replace(' ', '-')}-{n}",
            f"{change}: the columns of Table 2.2 at {n} flows",
            cells.rows_fit(
                [cell for cell in _cells(change) if cell.metric in JUDGES and cell.at["flows"] == n],
                JUDGES,
                "its tolerances",
            ),
        )
        for change in CHANGES
        for n in FLOWS
    ),
)

# Table 2.2 with windows of 8 packets.
draw = partial(cells.draw, cells=[cell for cell in _cells("window 8") if cell.metric in JUDGES])
