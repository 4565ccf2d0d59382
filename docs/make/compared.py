"""All schemes on the standard link: measure them, and write the data, the page and its figures.

`make schemes` runs this. Without `--measure` only the page and the figures are made again, from the data.
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
from penstock.explain import measured
from penstock.explain.measured import LOADS, RUNS, USUAL, Cell, Standard, Value
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

Every scheme of the registry on the same link, under the same load, with the same random draws: what one costs and what
it gains. `make schemes` measures it all again and writes this page; its numbers also stand at the end of
`penstock explain SCHEME`.

## The case

`scenarios/standard.toml`: a bottleneck of 10 Mbit/s with room for 100 packets, round trips of 24 to 56 ms (40 ms on
average), and 4, 16 or 64 long downloads by SACK TCP in the profile `ns2` (compared with ns-2.35 transmission by
transmission), with packets of 1500 bytes, beside one sparse flow like a telephone call (50 packets of 200 bytes a
second, marked EF). The room is three times the bandwidth times the delay: 120 ms when it is full. That is a common
access line with a common, too large buffer, where a scheme has something to gain. 16 flows are the usual case; 4 show
whether the link stays busy, and 64 flows have half a packet each in the pipe, so that timeouts are the rule and a
scheme shows what it does under pressure.

Each number is the mean of {runs} runs of 20 s after 10 s of warm-up, with half its 95 % interval (Student's t). Every
scheme has its default parameters, and `mean_packet = "1500B"` where it asks for the size of packets. What must be
given besides:

{settings}

Schemes that can mark have `ecn = true` throughout: without ECN the senders do not ask for marks, and every signal is a
drop; in the tables with ECN the downloads ask for marks and the sparse flow does not. Delay is queueing delay over all
packets, so that under a fair scheme its mean hides who waits; the losses of the sparse flow and Jain's index over the
downloads tell more. The link has no traffic for what some schemes are made for: everybody here responds to losses but
the sparse flow, only that has a code point, no data unit has fragments, and no L4S traffic runs.

One scheme by hand, next to drop-tail:

```sh
penstock compare scenarios/standard.toml --scheme droptail --scheme codel:ecn=true --runs 2 \\
    --vary traffic.bulk.count=4,16 --set traffic.bulk.ecn=true
```

## In one picture

![Mean delay, loss, utilization and Jain's index of every scheme](images/schemes-loads.png)

Without ECN; squares 4, triangles 16, diamonds 64 flows. The grey line is drop-tail with 16 flows.

![Loss and delay without and with ECN](images/schemes-ecn.png)

What marks change, with 16 flows: from the hollow end (drops) to the full end (marks).

## What stands out

{findings}

The tables sort by any column: select its head. Sorted by *family* they group like schemes.
"""


def measure(store: Store) -> str:
    """The text of the data: two comparisons, as `penstock compare` makes them."""
    base = read_document(str(SCENARIO), [])
    loads = {"traffic.bulk.count": list(LOADS)}
    all_of_them = measured.candidates()
    marking = [one for one in all_of_them if one.params.get("ecn")]
    rows = []
    for candidates, ecn in ((all_of_them, False), (marking, True)):
        found = compare(
            base, candidates, vary={**loads, "traffic.bulk.ecn": [ecn]}, runs=RUNS, progress=_say, store=store
        )
        rows += found.rows
    print(file=sys.stderr)
    return measured.dump(rows, _native.version, RUNS)


def page(data: Standard) -> str:
    """The page."""
    head = HEAD.format(runs=data.runs, settings="\n".join(_settings()), findings="\n".join(_findings(data)))
    return _wrapped(head) + "".join(_tables(data))


def _wrapped(text: str) -> str:
    """Items of lists in lines of at most 120 characters."""
    lines = (
        textwrap.fill(line, 120, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
        if line.startswith("* ") else line
        for line in text.split("\n")
    )  # fmt: skip
    return "\n".join(lines)


def figures(data: Standard, folder: Path) -> None:
    """Both figures, as PNG with a palette, which makes them a third as large."""
    for name, figure in (("loads", _loads_figure(data)), ("ecn", _ecn_figure(data))):
        file = folder / f"schemes-{name}.png"
        save(figure, file)
        Image.open(file).convert("RGB").quantize(32).save(file, optimize=True)


def _settings() -> Iterator[str]:
    for scheme in schemes():
        words = measured.settings_text(scheme.name)
        if words:
            yield f"* `{scheme.name}`: {words}"


def _findings(data: Standard) -> Iterator[str]:
    """Statements about the results, generated from the numbers."""
    usual = {name: cell for name in data.names() if (cell := data.cell(name)) is not None}
    plain = usual["droptail"]
    yield (
        f"* Drop-tail keeps its buffer nearly full: {_ms(plain['delay_mean_s'])} ms with {USUAL} flows, and the link "
        f"is never idle. It loses {_percent(plain['loss_rate'])} %: the shorter a queue, the more packets TCP must "
        "lose to stay within it, so that loss is the price of a short delay and not a defect of the scheme."
    )
    busy = {name: cell for name, cell in usual.items() if cell["utilization"].mean >= 0.98}
    yield f"* Shortest mean delay at a utilization of at least 98 %, {USUAL} flows: " + _ranked(
        busy, lambda cell: cell["delay_mean_s"].mean, lambda cell: f"{_ms(cell['delay_mean_s'])} ms"
    )
    idle = {name: cell for name, cell in usual.items() if cell["utilization"].mean < 0.97}
    yield f"* The link is not filled (below 97 %, {USUAL} flows): " + _ranked(
        idle, lambda cell: cell["utilization"].mean, lambda cell: f"{_percent(cell['utilization'])} %"
    )
    marked = {
        name: cell for name in data.names()
        if (cell := data.cell(name, USUAL, True)) is not None and cell["utilization"].mean >= 0.98
        and cell["delay_mean_s"].mean < 0.5 * plain["delay_mean_s"].mean
    }  # fmt: skip
    yield (
        f"* With ECN, fewest losses with less than half the delay of drop-tail and 98 % of the link, {USUAL} flows: "
    ) + _ranked(marked, lambda cell: cell["loss_rate"].mean, lambda cell: f"{_percent(cell['loss_rate'])} %")
    unfair = {name: cell for name in data.names() if (cell := data.cell(name, 64)) is not None}
    yield "* Least fair to 64 flows (Jain's index): " + _ranked(
        unfair, lambda cell: cell["jain"].mean, lambda cell: f"{cell['jain'].mean:.2f}"
    )
    spared = [name for name in data.names() if all(_sparse_loss(data, name, flows) < 0.0005 for flows in LOADS)]
    yield "* The sparse flow loses nothing at any load: " + ", ".join(map(_link, spared)) + "."


def _sparse_loss(data: Standard, name: str, flows: int) -> float:
    cell = data.cell(name, flows)
    return 1.0 if cell is None else cell["sparse_loss_rate"].mean


def _ranked(cells: dict[str, Cell], rank: Callable[[Cell], float], told: Callable[[Cell], str], most: int = 6) -> str:
    """The first few of the cells, each with its number."""
    first = sorted(cells, key=lambda name: rank(cells[name]))[:most]
    return (", ".join(f"{_link(name)} {told(cells[name])}" for name in first) or "none") + "."


def _link(name: str) -> str:
    return f"[`{name}`](generated/schemes/{name}.md)"


def _tables(data: Standard) -> Iterator[str]:
    for ecn in (False, True):
        for flows in LOADS:
            yield f"\n## {flows} flows, {'with' if ecn else 'without'} ECN\n\n:::{{container}} sortable\n"
            marks = " marks (%) |" if ecn else ""
            yield (
                f"| scheme | family | delay (ms) | 99 % in (ms) | loss (%) |{marks} link used (%) | Jain |"
                " sparse loss (%) |\n"
                "| --- | --- |" + " ---: |" * (7 if ecn else 6) + "\n"
            )
            for name in data.names():
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


def _plus_minus(value: Value, factor: float, digits: int) -> str:
    return f"{factor * value.mean:.{digits}f} ± {factor * value.half_width:.{digits}f}"


def _ms(value: Value) -> str:
    return f"{1e3 * value.mean:.3g}"


def _percent(value: Value) -> str:
    return f"{100 * value.mean:.3g}"


PANELS = (
    ("delay_mean_s", 1e3, "mean delay (ms)", "log"), ("loss_rate", 100, "loss (%)", "log"),
    ("utilization", 100, "utilization (%)", "linear"), ("jain", 1, "Jain's index", "linear"),
)  # fmt: skip


def _loads_figure(data: Standard) -> Figure:
    names = data.names()
    with style.styled():
        figure = Figure(figsize=(7.2, 0.4 + 0.13 * len(names)), layout="constrained")
        for ax, (metric, factor, label, scale) in zip(figure.subplots(1, 4, sharey=True), PANELS, strict=True):
            for index, flows in enumerate(LOADS):
                cells = [data.cell(name, flows) for name in names]
                points = [(factor * c[metric].mean, row) for row, c in enumerate(cells) if c is not None]
                look = style.line(index + 1) | {"linestyle": "", "markersize": 3.6}
                ax.plot([x for x, _ in points], [row for _, row in points], **look)
            usual = data.cell("droptail")
            if usual is not None:
                ax.axvline(factor * usual[metric].mean, color="#8a92a0", linewidth=0.6)
            ax.set_xscale(scale)
            ax.set_xlabel(label)
            _name_rows(ax, names)
    return figure


def _ecn_figure(data: Standard) -> Figure:
    names = [name for name in data.names() if data.cell(name, USUAL, True) is not None]
    with style.styled():
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
    """Measure if asked to, then write the page and its figures."""
    asked = Asked.parse(__doc__)
    if asked.measure:
        DATA.parent.mkdir(exist_ok=True)
        write_text(DATA, measure(Store(asked.store)))
    data = measured.load()
    write_text(PAGE, page(data))
    figures(data, FIGURES)


if __name__ == "__main__":
    main()
