"""The lessons: the queues in the panes of their benches, the changes to try, and the tables of numbers on their pages.

`make lessons` runs everything in seconds and writes the tables of the pages. Each lesson is a scenario and a page of
the same name in `docs/lessons/`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from penstock.engine.run import run_batch
from penstock.files import write_text
from penstock.live.page_data import live_page_data
from penstock.scenario.document import Document, read_document

FOLDER = Path(__file__).parents[1] / "lessons"
TABLE = re.compile(r"(?<=<!-- numbers -->\n).*?(?=<!-- end of numbers -->)", re.S)
SERIES_POINTS = 10**6
"""More than the number of samples of any lesson."""

Result = Mapping[str, Any]
"""A run in the format of `penstock run --json`."""


@dataclass(frozen=True)
class Case:
    """A queue on the link: its name in the table, the scheme (empty: the scenario's own), and other settings."""

    title: str
    scheme: str = ""
    settings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Column:
    """A column of the table."""

    title: str
    read: Callable[[Result], float]
    spread: Callable[[Result], float] | None = None

    def show(self, result: Result) -> str:
        """The number and its spread, with three digits."""
        value = _three_digits(self.read(result))
        return value if self.spread is None or value == "–" else f"{value} ± {_three_digits(self.spread(result))}"


@dataclass(frozen=True)
class Lesson:
    """A lesson: the queues of the panes (first the scenario's own), and the changes that the reader tries."""

    name: str
    panes: tuple[Case, ...]
    tries: tuple[Case, ...]
    columns: tuple[Column, ...]

    @property
    def scenario(self) -> Path:
        """The scenario of the bench."""
        return FOLDER / f"{self.name}.toml"

    @property
    def page(self) -> Path:
        """The page with the bench in it."""
        return FOLDER / f"{self.name}.md"

    @property
    def bench(self) -> str:
        """The file of the bench, relative to the folder of the built pages."""
        return f"lessons/bench/{self.name}.html"

    @property
    def command(self) -> str:
        """The command that opens the bench."""
        options = [f"--scheme {pane.scheme}" for pane in self.panes[1:]]
        return " ".join([f"penstock live docs/lessons/{self.name}.toml", *options])

    def document(self, case: Case | None = None) -> Document:
        """The scenario, with the settings of a case."""
        return read_document(self.scenario, case.settings if case else ())

    def material(self) -> dict[str, Any]:
        """The content of the bench."""
        return live_page_data(self.document(), [pane.scheme for pane in self.panes[1:]], None)

    def results(self, seeds: Sequence[int]) -> dict[str, list[Result]]:
        """The runs of each case by its title, first the cases of the panes."""
        cases = (*self.panes, *self.tries)
        texts = [self._engine_text(case) for case in cases]
        runs = run_batch([text for text in texts for _ in seeds], [seed for _ in texts for seed in seeds])
        parts = (runs[at : at + len(seeds)] for at in range(0, len(runs), len(seeds)))
        return {case.title: [json.loads(run) for run in part] for case, part in zip(cases, parts, strict=True)}

    def _engine_text(self, case: Case) -> str:
        document = self.document(case)
        bench = live_page_data(document, [case.scheme] if case.scheme else (), None)
        text = document.resolve().for_engine(flows=True, series=True, series_points=SERIES_POINTS)
        scenario = json.loads(text)
        scenario["links"][bench["link"]]["queue"] = bench["panes"][1 if case.scheme else 0]
        return json.dumps(scenario)

    def table(self, results: Mapping[str, Sequence[Result]]) -> str:
        """The table of the page, from the first runs."""
        heads = ["", *(column.title for column in self.columns)]
        rows = [[title, *(column.show(runs[0]) for column in self.columns)] for title, runs in results.items()]
        lines = [heads, ["---", *["---:"] * len(self.columns)], *rows]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)

    def written(self, results: Mapping[str, Sequence[Result]]) -> str:
        """The page with these numbers in its table."""
        return TABLE.sub(lambda _: self.table(results), self.page.read_text(encoding="utf-8"))


def _three_digits(value: float) -> str:
    if math.isnan(value):
        return "–"
    rounded = float(f"{value:.3g}")
    return f"{rounded:.0f}" if abs(rounded) >= 100 else f"{rounded:g}"


# ---- columns --------------------------------------------------------------------------------------------------------


def link(title: str, metric: str, scale: float = 1) -> Column:
    """A metric of the watched link."""
    return Column(title, lambda result: scale * float(result["links"]["bottleneck"][metric]))


def traffic(title: str, group: str, metric: str, scale: float = 1) -> Column:
    """A metric of a traffic group."""
    return Column(title, lambda result: scale * float(result["traffic"][group][metric]))


def queue_sd(result: Result) -> float:
    """Standard deviation of the queue, in packets."""
    return float(result["links"]["bottleneck"]["length_var_pkts2"]) ** 0.5


def average_sd(result: Result) -> float:
    """Standard deviation of RED's average, in packets, from its samples after a warm-up of 10 s."""
    series = result["series"]["bottleneck"]
    return float(np.array(series["avg"]["mean"])[np.array(series["t_ns"]) > 10e9].std())


QUEUE = Column("queue (packets)", lambda result: float(result["links"]["bottleneck"]["length_mean_pkts"]), queue_sd)
AVERAGE = Column(
    "average (packets)", lambda result: result["links"]["bottleneck"].get("average_mean_pkts", math.nan), average_sd
)
DELAY = link("delay, mean (ms)", "delay_mean_s", 1e3)
P99 = link("delay, 99th percentile (ms)", "delay_p99_s", 1e3)
LOSS = link("lost (%)", "loss_rate", 100)
USED = link("link used (%)", "utilization", 100)
FORCED = link("dropped above `max_th`", "drops_forced")
FULL = link("dropped at a full buffer", "drops_overflow")

# ---- lessons --------------------------------------------------------------------------------------------------------


def _flows(number: int, group: str = "downloads") -> tuple[str, ...]:
    return (f"traffic.{group}.count={number}",)


def _red(**changed: object) -> str:
    """RED as in the lessons about it, with changed parameters."""
    params = {"min_th": 10, "max_th": 40, "max_p": 0.1, "w_q": 0.002} | changed
    return "red:" + ",".join(f"{name}={value}" for name, value in params.items())


PI = "pi:target=100p,a=0.0003,b=0.0002985"
GENTLE_SLOPE = "red:min_th=30,max_th=150,max_p=0.02,gentle=true"

LESSONS = (
    Lesson(
        "bloat",
        panes=(
            Case("A: room for 1000 packets"),
            Case("B: 33 packets, one BDP", "droptail:limit=33p"),
            Case("C: 5 packets", "droptail:limit=5p"),
        ),
        tries=(
            Case("A, 16 downloads", settings=_flows(16)),
            Case("C, 16 downloads", "droptail:limit=5p", _flows(16)),
            Case("B, round trip 200 ms", "droptail:limit=33p", ("links.bottleneck.delay=96ms",)),
        ),
        columns=(DELAY, LOSS, USED),
    ),
    Lesson(
        "red-average",
        panes=(Case("A: RED, 20 downloads"), Case("B: drop-tail, 20 downloads", "droptail")),
        tries=(
            Case("A, 5 downloads", settings=_flows(5)),
            Case("A, 40 downloads", settings=_flows(40)),
            Case("A, 40 downloads, `max_p` 0.3", _red(max_p=0.3), _flows(40)),
        ),
        columns=(
            QUEUE,
            AVERAGE,
            LOSS,
            FORCED,
            FULL,
        ),
    ),
    Lesson(
        "red-weight",
        panes=(
            Case("A: `w_q` 0.002"),
            Case("B: `w_q` 1", _red(w_q=1)),
            Case("C: `w_q` 0.00002", _red(w_q="0.00002")),
        ),
        tries=(Case("`w_q` 0.0001", _red(w_q=0.0001)), Case("drop-tail", "droptail")),
        columns=(
            traffic("bursts: lost (%)", "bursts", "loss_rate", 100),
            traffic("downloads: lost (%)", "downloads", "loss_rate", 100),
            QUEUE,
            P99,
            FULL,
        ),
    ),
    Lesson(
        "swing",
        panes=(
            Case("A: RED, steep"),
            Case("B: PI", PI),
            Case("C: RED, flat", GENTLE_SLOPE),
        ),
        tries=(
            Case("A, round trip 60 ms", settings=("links.bottleneck.delay=50ms",)),
            Case("B, 40 downloads", PI, _flows(40)),
            Case("C, 40 downloads", GENTLE_SLOPE, _flows(40)),
        ),
        columns=(QUEUE, link("queue empty (%)", "empty_share", 100), LOSS, USED),
    ),
    Lesson(
        "codel",
        panes=(Case("A: CoDel"), Case("B: drop-tail", "droptail")),
        tries=(
            Case("A, `target` 20 ms", "codel:target=20ms"),
            Case("A, 20 downloads", settings=_flows(20)),
            Case("A, 1 download", settings=_flows(1)),
        ),
        columns=(DELAY, P99, LOSS, USED),
    ),
    Lesson(
        "calls",
        panes=(Case("A: drop-tail"), Case("B: CoDel", "codel"), Case("C: FQ-CoDel", "fq-codel")),
        tries=(
            Case("DRR in C", "drr"),
            Case("B, 16 downloads", "codel", _flows(16)),
            Case("C, 16 downloads", "fq-codel", _flows(16)),
        ),
        columns=(
            traffic("calls: one-way delay (ms)", "calls", "owd_mean_s", 1e3),
            traffic("99th percentile (ms)", "calls", "owd_p99_s", 1e3),
            traffic("calls: lost (%)", "calls", "loss_rate", 100),
            traffic("MOS", "calls", "mos"),
            USED,
        ),
    ),
    Lesson(
        "l4s",
        panes=(Case("A: CoDel, drops"), Case("B: CoDel, marks", "codel:ecn=true"), Case("C: DualPI2", "dualpi2")),
        tries=(Case("FQ-CoDel in B", "fq-codel"), Case("C, 4 CUBIC flows", "dualpi2", _flows(4, "cubic"))),
        columns=(
            link("lost (%)", "loss_rate", 100),
            link("marked (%)", "mark_rate", 100),
            traffic("Prague (Mbit/s)", "prague", "goodput_bps", 1e-6),
            traffic("CUBIC (Mbit/s)", "cubic", "goodput_bps", 1e-6),
            traffic("Prague: one-way delay (ms)", "prague", "owd_mean_s", 1e3),
            traffic("CUBIC: one-way delay (ms)", "cubic", "owd_mean_s", 1e3),
        ),
    ),
    Lesson(
        "bbr",
        panes=(
            Case("A: 16 packets, half a BDP"),
            Case("B: 264 packets, 8 BDP", "droptail:limit=264p"),
            Case("C: FQ-CoDel", "fq-codel:limit=264p"),
        ),
        tries=(
            Case("A, 66 packets", "droptail:limit=66p"),
            Case("A, 132 packets", "droptail:limit=132p"),
            Case("A, 4 CUBIC flows", settings=_flows(4, "cubic")),
            Case("B, 4 CUBIC flows", "droptail:limit=264p", _flows(4, "cubic")),
            Case("C, 4 CUBIC flows", "fq-codel:limit=264p", _flows(4, "cubic")),
        ),
        columns=(
            traffic("BBR (Mbit/s)", "bbr", "goodput_bps", 1e-6),
            traffic("CUBIC, together (Mbit/s)", "cubic", "goodput_bps", 1e-6),
            DELAY,
            traffic("BBR: lost (%)", "bbr", "loss_rate", 100),
            traffic("CUBIC: lost (%)", "cubic", "loss_rate", 100),
        ),
    ),
)


def main() -> None:
    """Write the tables."""
    for lesson in LESSONS:
        seed = int(lesson.document().resolve().readable["seed"])
        write_text(lesson.page, lesson.written(lesson.results([seed])))


if __name__ == "__main__":
    main()
