"""All schemes on the standard link: measure them, then write the data, the page and its figures.

`make schemes` runs this script. Without `--measure`, only the page and the figures are written, from the stored data.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from asked import Asked
from matplotlib.figure import Figure
from penstock import _native
from penstock.aqms.catalog import find_scheme, schemes
from penstock.explain import standard_case
from penstock.explain.standard_case import LOADS, RUNS, USUAL, Cell, MeanWithHalfWidth, StandardResults
from penstock.files import write_text
from penstock.plots import save, style
from penstock.scenario.document import read_document
from penstock.studies.compare import compare
from penstock.studies.store import Store
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
SCENARIO = ROOT / "scenarios" / "standard.toml"
DATA = ROOT / "python" / "penstock" / "explain" / "standard.json"
PAGE = ROOT / "docs" / "schemes-compared.md"
FIGURES = ROOT / "docs" / "images"

HEAD = """# All schemes on one link

This page compares all schemes of the registry on the same link, under the same load, with the same random draws. `make
schemes` measures all numbers and writes this page. `penstock explain SCHEME` ends with the numbers of that scheme.

## The case

`scenarios/standard.toml` is a common access line with a buffer that is too large, as buffers often are:

* The bottleneck has a rate of 10 Mbit/s and a buffer of 100 packets: three bandwidth-delay products (120 ms when full).
* The round trips are 24 to 56 ms (40 ms on average).
* 4, 16 or 64 long downloads use SACK TCP in the profile `ns2` (validated against ns-2.35), with packets of 1500 bytes.
* One sparse flow resembles a telephone call: 50 packets of 200 bytes per second, marked EF.

16 flows are the usual case. 4 flows show whether the link stays busy. With 64 flows, each flow has half a packet in the
pipe, so timeouts are common: this load shows how a scheme behaves under pressure.

Each number is the mean of {runs} runs of 20 s after a warm-up of 10 s, with the half-width of its 95 % interval
(Student's t). Every scheme has its default parameters, and `mean_packet = "1500B"` if this parameter has to be set. The
other required parameters are:

{settings}

Schemes that can mark have `ecn = true` in all tables. In the tables without ECN, no sender uses ECN, so the schemes
drop instead of marking. In the tables with ECN, the downloads use ECN and the sparse flow does not.

Delay is the queueing delay over all packets. Under a fair scheme, this mean does not show which flows wait; the losses
of the sparse flow and Jain's index over the downloads show more. Some schemes are made for traffic that is missing
here: unresponsive flows (except the sparse one), several drop precedences, fragmented data units and L4S.

To compare one scheme with drop-tail:

```sh
penstock compare scenarios/standard.toml --scheme droptail --scheme codel:ecn=true --runs 2 \\
    --vary traffic.bulk.count=4,16 --set traffic.bulk.ecn=true
```

## In one picture

![Mean delay, loss, utilization and Jain's index of every scheme](images/schemes-loads.png)

Without ECN; squares are 4 flows, triangles 16, diamonds 64. The grey line is drop-tail with 16 flows.

![Loss and delay without and with ECN](images/schemes-ecn.png)

The effect of marks with 16 flows: hollow circles are without ECN (drops), full circles with ECN (marks).

## What stands out

Statements without "ECN" are about the runs without ECN.

{findings}

Select a column heading to sort a table. Sorting by *family* groups similar schemes.
"""


def measure(store: Store) -> str:
    """The text of the data file: two comparisons, as made by `penstock compare`."""
    base = read_document(str(SCENARIO), [])
    loads = {"traffic.bulk.count": list(LOADS)}
    all_candidates = standard_case.measured_candidates()
    marking = [candidate for candidate in all_candidates if candidate.params.get("ecn")]
    rows = []
    for candidates, ecn in ((all_candidates, False), (marking, True)):
        found = compare(
            base, candidates, vary={**loads, "traffic.bulk.ecn": [ecn]}, runs=RUNS, progress=_say, store=store
        )
        rows += found.summary()
    print(file=sys.stderr)
    return standard_case.results_json(rows, _native.version, RUNS)


def page(data: StandardResults) -> str:
    """The page."""
    head = HEAD.format(runs=data.run_count, settings="\n".join(_settings()), findings="\n".join(_findings(data)))
    return _wrapped(head) + "".join(_tables(data))


def _wrapped(text: str) -> str:
    """The text with list items wrapped to lines of at most 120 characters."""
    lines = (
        textwrap.fill(line, 120, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
        if line.startswith("* ") else line
        for line in text.split("\n")
    )  # fmt: skip
    return "\n".join(lines)


def figures(data: StandardResults, folder: Path) -> None:
    """Save both figures as PNG with a palette, which reduces their size to a third."""
    for name, figure in (("loads", _loads_figure(data)), ("ecn", _ecn_figure(data))):
        file = folder / f"schemes-{name}.png"
        save(figure, file)
        Image.open(file).convert("RGB").quantize(32).save(file, optimize=True)


def _settings() -> Iterator[str]:
    for scheme in schemes():
        words = standard_case.settings_text(scheme.name)
        if words:
            yield f"* `{scheme.name}`: {words}"


def _findings(data: StandardResults) -> Iterator[str]:
    """Statements about the results, generated from the numbers."""
    usual = {name: cell for name in data.measured_schemes() if (cell := data.cell(name)) is not None}
    plain = usual["droptail"]
    yield (
        f"* Drop-tail keeps its buffer nearly full: with {USUAL} flows, its mean delay is {_ms(plain['delay_mean_s'])} "
        f"ms and the link is never idle. It loses {_percent(plain['loss_rate'])} %. The shorter a queue, the more "
        "packets TCP must lose to stay within it, so loss is the price of a short delay and not a defect of a scheme."
    )
    busy = {name: cell for name, cell in usual.items() if cell["utilization"].mean >= 0.98}
    yield f"* Shortest mean delay with {USUAL} flows, at a utilization of at least 98 %: " + _ranked(
        busy, lambda cell: cell["delay_mean_s"].mean, lambda cell: f"{_ms(cell['delay_mean_s'])} ms"
    )
    idle = {name: cell for name, cell in usual.items() if cell["utilization"].mean < 0.97}
    yield f"* Utilization below 97 % with {USUAL} flows: " + _ranked(
        idle, lambda cell: cell["utilization"].mean, lambda cell: f"{_percent(cell['utilization'])} %"
    )
    marked = {
        name: cell for name in data.measured_schemes()
        if (cell := data.cell(name, USUAL, True)) is not None and cell["utilization"].mean >= 0.98
        and cell["delay_mean_s"].mean < 0.5 * plain["delay_mean_s"].mean
    }  # fmt: skip
    yield (
        f"* Fewest losses with ECN and {USUAL} flows, at less than half the delay of drop-tail and at least 98 % "
        "utilization: "
    ) + _ranked(marked, lambda cell: cell["loss_rate"].mean, lambda cell: f"{_percent(cell['loss_rate'])} %")
    unfair = {name: cell for name in data.measured_schemes() if (cell := data.cell(name, 64)) is not None}
    yield "* Least fair with 64 flows (Jain's index): " + _ranked(
        unfair, lambda cell: cell["jain"].mean, lambda cell: f"{cell['jain'].mean:.2f}"
    )
    spared = [
        name for name in data.measured_schemes() if all(_sparse_loss(data, name, flows) < 0.0005 for flows in LOADS)
    ]
    yield "* The sparse flow loses no packet at any load: " + ", ".join(map(_link, spared)) + "."


def _sparse_loss(data: StandardResults, name: str, flows: int) -> float:
    cell = data.cell(name, flows)
    return 1.0 if cell is None else cell["sparse_loss_rate"].mean


def _ranked(cells: dict[str, Cell], rank: Callable[[Cell], float], text: Callable[[Cell], str], most: int = 6) -> str:
    """The first cells in the order of `rank`, each with its number."""
    first = sorted(cells, key=lambda name: rank(cells[name]))[:most]
    return (", ".join(f"{_link(name)} {text(cells[name])}" for name in first) or "none") + "."


def _link(name: str) -> str:
    return f"[`{name}`](generated/schemes/{name}.md)"


def _tables(data: StandardResults) -> Iterator[str]:
    for ecn in (False, True):
        for flows in LOADS:
            yield f"\n## {flows} flows, {'with' if ecn else 'without'} ECN\n\n:::{{container}} sortable\n"
            marks = " marks (%) |" if ecn else ""
            yield (
                f"| scheme | family | delay (ms) | delay, 99 % (ms) | loss (%) |{marks} utilization (%) | Jain |"
                " sparse loss (%) |\n"
                "| --- | --- |" + " ---: |" * (7 if ecn else 6) + "\n"
            )
            for name in data.measured_schemes():
                cell = data.cell(name, flows, ecn)
                if cell is not None:
                    yield _line(name, cell, ecn)
            yield ":::\n"


def _line(name: str, cell: Cell, ecn: bool) -> str:
    shown = [
        _plus_minus(cell["delay_mean_s"], 1e3, 1), _plus_minus(cell["delay_p99_s"], 1e3, 1),
        _plus_minus(cell["loss_rate"], 100, 2), *([_plus_minus(cell["mark_rate"], 100, 2)] if ecn else []),
        _plus_minus(cell["utilization"], 100, 1), _plus_minus(cell["jain"], 1, 3),
        _plus_minus(cell["sparse_loss_rate"], 100, 1),
    ]  # fmt: skip
    return f"| {_link(name)} | {find_scheme(name).family} | {' | '.join(shown)} |\n"


def _plus_minus(value: MeanWithHalfWidth, factor: float, digits: int) -> str:
    return f"{factor * value.mean:.{digits}f} ± {factor * value.half_width:.{digits}f}"


def _ms(value: MeanWithHalfWidth) -> str:
    return f"{1e3 * value.mean:.3g}"


def _percent(value: MeanWithHalfWidth) -> str:
    return f"{100 * value.mean:.3g}"


PANELS = (
    ("delay_mean_s", 1e3, "mean delay (ms)", "log"), ("loss_rate", 100, "loss (%)", "log"),
    ("utilization", 100, "utilization (%)", "linear"), ("jain", 1, "Jain's index", "linear"),
)  # fmt: skip


def _loads_figure(data: StandardResults) -> Figure:
    names = data.measured_schemes()
    with style.figure_style():
        figure = Figure(figsize=(7.2, 0.4 + 0.13 * len(names)), layout="constrained")
        for ax, (metric, factor, label, scale) in zip(figure.subplots(1, 4, sharey=True), PANELS, strict=True):
            for index, flows in enumerate(LOADS):
                cells = [data.cell(name, flows) for name in names]
                points = [(factor * c[metric].mean, row) for row, c in enumerate(cells) if c is not None]
                look = style.line_style(index + 1) | {"linestyle": "", "markersize": 3.6}
                ax.plot([x for x, _ in points], [row for _, row in points], **look)
            usual = data.cell("droptail")
            if usual is not None:
                ax.axvline(factor * usual[metric].mean, color="#8a92a0", linewidth=0.6)
            ax.set_xscale(scale)
            ax.set_xlabel(label)
            _name_rows(ax, names)
    return figure


def _ecn_figure(data: StandardResults) -> Figure:
    names = [name for name in data.measured_schemes() if data.cell(name, USUAL, True) is not None]
    with style.figure_style():
        figure = Figure(figsize=(7.2, 0.4 + 0.14 * len(names)), layout="constrained")
        for ax, (metric, factor, label, scale) in zip(figure.subplots(1, 2, sharey=True), PANELS[:2], strict=True):
            for row, name in enumerate(names):
                ends = [data.cell(name, USUAL, ecn) for ecn in (False, True)]
                least = 1e-4 if metric == "loss_rate" else 0.0
                xs = [factor * max(cell[metric].mean, least) for cell in ends if cell is not None]
                ax.plot(xs, [row] * len(xs), color="#8a92a0", linewidth=0.8)
                ax.plot(xs[:1], [row], "o", color=style.COLOURS[2], markerfacecolor="white", markersize=3.6)
                ax.plot(xs[1:], [row], "o", color=style.COLOURS[1], markersize=3.6)
            ax.set_xscale(scale)
            ax.set_xlabel(label + (", 0.01 or less at the left end" if metric == "loss_rate" else ""))
            _name_rows(ax, names)
    return figure


def _name_rows(ax: object, names: Sequence[str]) -> None:
    ax.set_yticks(range(len(names)), names, fontsize=6.5)  # type: ignore[attr-defined]
    ax.set_ylim(len(names) - 0.4, -0.6)  # type: ignore[attr-defined]


def _say(finished: int, planned: int) -> None:
    print(f"\r{finished} of {planned} runs", end="", file=sys.stderr, flush=True)


def main() -> None:
    """Measure if requested, then write the page and its figures."""
    asked = Asked.parse(__doc__)
    if asked.measure:
        DATA.parent.mkdir(exist_ok=True)
        write_text(DATA, measure(Store(asked.store)))
    data = standard_case.load_results()
    write_text(PAGE, page(data))
    figures(data, FIGURES)


if __name__ == "__main__":
    main()
