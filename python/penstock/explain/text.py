"""The text of `penstock explain SCHEME`: algorithm, parameters, source, picture, and advice on its use."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.results.display import decimal_places, format_number

# Bits of the eight dots of a Braille character: left column from the top, right column from the top.
_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))


@dataclass(frozen=True)
class TerminalDrawing:
    """A picture for a terminal: its title, the drawing, and notes, such as the conditions for which it was drawn."""

    title: str
    plot: str
    notes: str


def explain(
    entry: Mapping[str, Any], drawings: Sequence[TerminalDrawing] = (), width: int = 100, measured: Sequence[str] = ()
) -> str:
    """The text for one entry of the registry of schemes, in lines of at most `width` characters."""
    parts = [
        _heading(f"{entry['title']}", "=")
        + _facts([
            ("name", entry["name"] + (f" (also {', '.join(entry['aliases'])})" if entry["aliases"] else "")),
            ("family", entry["family"]),
            ("source", entry["source"]),
            ("ECN", "marks instead of dropping with ecn = true" if entry["ecn"] else "never marks: it drops"),
            ("cost", entry["cost"]),
        ], width),
        algorithm_text(entry["doc"], width),
        _heading("Settings", "-") + parameter_text(entry["params"], width),
    ]  # fmt: skip
    if entry["class_params"]:
        parts.append(_heading("Settings of each class", "-") + parameter_text(entry["class_params"], width))
    for drawing in drawings:
        paragraphs = [part for part in (drawing.plot, _wrapped(drawing.notes, width)) if part]
        parts.append(_heading(drawing.title, "-") + "\n\n".join(paragraphs))
    use = [f"{title}: {entry[key]}" for title, key in (("Good at", "good"), ("Bad at", "bad")) if entry[key]]
    use += [" ".join(measured)] if measured else []
    if use:
        parts.append(_heading("When to use it", "-") + "\n\n".join(_wrapped(words, width) for words in use))
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def algorithm_text(doc: str, width: int = 100) -> str:
    """The documentation of an AQM (Markdown), laid out for a terminal."""
    blocks: list[str] = []
    for block in re.split(r"\n\s*\n|\n(?=# )", doc.strip()):
        text = block.strip()
        if not text:
            continue
        if text.startswith("# "):
            title, _, rest = text[2:].partition("\n")
            text = _heading(title, "-") + _paragraphs(rest, width)
        elif text.startswith("|"):
            text = _table(text, width)
        else:
            text = _paragraphs(text, width)
        blocks.append(text.rstrip())
    return "\n\n".join(blocks)


def parameter_text(params: Sequence[Mapping[str, Any]], width: int = 100) -> str:
    """One paragraph per parameter: name, default with unit, range; then its meaning."""
    if not params:
        return "None besides the limit of the queue."
    lines = []
    column = max(len(p["name"]) for p in params) + 2
    for param in params:
        facts = [f"default {default_text(param)}", range_text(param)]
        facts_text = "; ".join(f for f in facts if f)
        lines.append(textwrap.fill(f"{param['name']:<{column}}{facts_text}", width, subsequent_indent=" " * column))
        lines.append(_wrapped(param["doc"], width, " " * column))
    return "\n".join(lines)


def default_text(param: Mapping[str, Any]) -> str:
    """The default with its unit: `5 packets`, `"auto"`, or `none` if the parameter is required."""
    value = param["default"]
    if param.get("required"):
        return "none: required"
    if value is None:
        return "absent"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, Mapping):
        return _time(float(value["ns"])) if "ns" in value else " ".join(f"{v:g} {k}" for k, v in value.items())
    if isinstance(value, list):
        return f"{', '.join(map(_plain, value))} {param['unit']}".strip()
    unit = param["unit"].removesuffix("s") if value == 1 and len(param["unit"]) > 1 else param["unit"]
    return f"{_plain(value)} {unit}".strip()


def range_text(param: Mapping[str, Any]) -> str:
    """The allowed values: a range of numbers, a choice of words, or both."""
    allowed = []
    if param.get("choices"):
        allowed.append("one of " + ", ".join(f'"{c}"' for c in param["choices"]))
    if param.get("range"):
        low, high = param["range"]
        unit = param["unit"]
        if high is None:
            allowed.append(f"{_plain(low)} {unit}".strip() + " or more")
        else:
            allowed.append(f"from {_plain(low)} to {_plain(high)} {unit}".strip())
    allowed += [f'or "{word}"' for word in param.get("words") or ()]
    return " ".join(allowed)


def terminal_plot(
    xs: Sequence[float],
    ys: Sequence[float],
    columns: int = 60,
    rows: int = 12,
    axes: str = "average queue (packets) → drop probability",
) -> str:
    """A curve drawn with Braille dots, with its axes."""
    if not xs:
        return ""
    return terminal_curves([(xs, ys)], [], max(max(ys), 1e-12), columns, rows, axes)


def terminal_curves(
    curves: Sequence[tuple[Sequence[float], Sequence[float]]],
    marks: Sequence[tuple[float, float, str]],
    top: float,
    columns: int = 60,
    rows: int = 12,
    axes: str = "",
) -> str:
    """Curves up to `top` over the x range of the first; each marked point has a text that begins with a symbol."""
    left, right = min(curves[0][0]), max(curves[0][0])
    canvas = [[0] * columns for _ in range(rows)]

    def dot_position(x: float, y: float) -> tuple[int, int]:
        across = min(int((x - left) / ((right - left) or 1.0) * (columns * 2 - 1) + 0.5), columns * 2 - 1)
        return across, min(int((1 - y / top) * (rows * 4 - 1) + 0.5), rows * 4 - 1)

    for xs, ys in curves:
        for x, y in _dense(xs, ys, columns * 8):
            if y <= top:
                across, down = dot_position(x, y)
                canvas[down // 4][across // 2] |= _DOTS[across % 2][down % 4]
    lines = [[chr(0x2800 + c) for c in row] for row in canvas]
    free = [[True] * columns for _ in range(rows)]
    for x, y, words in marks:
        across, down = dot_position(x, y)
        start = min(across // 2, columns - len(words))
        # The symbol alone if the text would overlap another mark.
        label = words if all(free[down // 4][start : start + len(words)]) else words[:1]
        if free[down // 4][start]:
            lines[down // 4][start : start + len(label)] = label
            free[down // 4][start : start + len(label)] = [False] * len(label)
    top = 0.0 if top <= 1e-12 else top
    labels = {rows // 2: f"{top / 2:.2g}" if top else "", 0: f"{top:.3g}" if top else "", rows - 1: "0"}
    text = [f"{labels.get(i, ''):>6} ┤" + "".join(row).rstrip("\u2800") for i, row in enumerate(lines)]
    ends = f"{left:.2g}", format_number(right, decimal_places([right]))
    text.append(" " * 7 + "└" + "─" * columns)
    text.append(" " * 8 + ends[0] + ends[1].rjust(columns - len(ends[0])))
    text.append(" " * 8 + axes.center(columns).rstrip())
    return "\n".join(text)


def lane_plot(served: Sequence[tuple[int, float, float]], labels: Sequence[str], columns: int = 60) -> str:
    """The order of service: a lane per class, with its share of the link at the right."""
    end = max((end for _, _, end in served), default=0.0)
    if not end:
        return ""
    head = max(map(len, labels))
    lines = []
    for lane, label in enumerate(labels):
        row = [" "] * columns
        for which, start, stop in served:
            if which == lane:
                first, last = int(start / end * columns + 0.5), int(stop / end * columns + 0.5)
                row[first : max(last, first + 1)] = "█" * max(last - first, 1)
        part = sum(stop - start for which, start, stop in served if which == lane) / end
        lines.append(f"{label:>{head}} │{''.join(row[:columns])}│ {100 * part:.0f} %")
    lines.append(" " * (head + 1) + "└" + "─" * columns + "┘")
    lines.append(" " * (head + 2) + "0" + f"{1e3 * end:.3g} ms".rjust(columns - 1))
    return "\n".join(lines)


def _dense(xs: Sequence[float], ys: Sequence[float], points: int) -> list[tuple[float, float]]:
    """The points, with interpolated ones between them so that steep parts stay connected."""
    points_between = []
    steps = max(1, points // max(len(xs) - 1, 1))
    for i in range(len(xs) - 1):
        more = max(steps, 64 if abs(ys[i + 1] - ys[i]) > 0.05 else steps)
        points_between += [
            (xs[i] + (xs[i + 1] - xs[i]) * k / more, ys[i] + (ys[i + 1] - ys[i]) * k / more) for k in range(more)
        ]
    return [*points_between, (xs[-1], ys[-1])]


def _paragraphs(text: str, width: int) -> str:
    """Markdown paragraphs and lists, wrapped."""
    paragraphs = []
    for item in re.split(r"\n(?=\* )", text.strip()):
        bullet = item.startswith("* ")
        words = " ".join(item.removeprefix("* ").split()).replace("`", "")
        start = "• " if bullet else ""
        paragraphs.append(textwrap.fill(words, width, initial_indent=start, subsequent_indent="  " if bullet else ""))
    return "\n".join(paragraphs)


def _table(text: str, width: int) -> str:
    """A Markdown table as aligned columns; the last column is wrapped."""
    rows = [[cell.strip().replace("`", "") for cell in line.strip().strip("|").split("|")] for line in text.split("\n")]
    rows = [row for row in rows if not all(re.fullmatch(":?-+:?", cell) for cell in row)]
    columns = [max(map(len, column)) for column in zip(*(row[:-1] for row in rows), strict=True)]
    indent = " " * (sum(columns) + 2 * len(columns))
    heads = ["".join(f"{cell:<{size}}  " for cell, size in zip(row, columns, strict=False)) for row in rows]
    return "\n".join(
        textwrap.fill(row[-1], width, initial_indent=head, subsequent_indent=indent)
        for row, head in zip(rows, heads, strict=True)
    )


def _heading(title: str, rule: str) -> str:
    return f"{title}\n{rule * len(title)}\n"


def _facts(pairs: Sequence[tuple[str, str]], width: int) -> str:
    return "\n".join(
        textwrap.fill(words, width, initial_indent=f"{name:<8}", subsequent_indent=" " * 8) for name, words in pairs
    )


def _wrapped(text: str, width: int, indent: str = "") -> str:
    return textwrap.fill(" ".join(text.split()), width, initial_indent=indent, subsequent_indent=indent)


def _plain(value: float) -> str:
    return format_number(value, 0) if abs(value) >= 1e5 and value == round(value) else f"{value:g}"


def _time(ns: float) -> str:
    for size, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if ns >= size or ns == 0:
            return f"{ns / size:g} {unit}"
    return f"{ns:g} ns"
