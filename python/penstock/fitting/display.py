"""Text of a fit: the bottleneck, then a row per flow."""

from __future__ import annotations

from collections.abc import Iterator

from penstock.fitting.bottleneck import Bottleneck
from penstock.fitting.estimate import Estimate
from penstock.fitting.fitted_link import FittedLink
from penstock.units import format_rate

__all__ = ["bottleneck_summary", "fit_text"]

MAX_ROWS = 20
"""Flows in the table; the JSON has all of them."""


def bottleneck_summary(link: Bottleneck) -> str:
    """Rate and kind of queue in a few words."""
    rate = "a link that never filled" if link.rate.value is None else _number(link.rate.value, "bit/s")
    queue = "unknown queue" if link.queue.value is None else str(link.queue.value)
    return f"{rate}, {queue}"


def fit_text(fit: FittedLink) -> str:
    """The estimates, each with its interval or the reason why it is unknowable from this capture."""
    traffic = f"{len(fit.flows)} TCP flows in {fit.duration_s:.1f} s, {fit.packet_count} packets"
    first = f"{bottleneck_summary(fit.forward)}; {traffic}"
    lines = [first[0].upper() + first[1:], ""]
    names = {name: each for name, each in fit.estimates.items() if not name.startswith("flow")}
    if fit.reverse.rate.value is None:  # then the other estimates of that direction are unknowable as well
        names = {name: each for name, each in names.items() if "reverse" not in name or name.endswith("rate")}
    width = max(map(len, names))
    lines += [f"{name:{width}}  {value_text(each)}{_why(each)}" for name, each in names.items()]
    lines += ["", *_table(fit)]
    return "\n".join(lines)


def value_text(estimate: Estimate) -> str:
    """The value with its interval, if any."""
    if estimate.value is None:
        return "unknowable from this capture"
    value = _number(estimate.value, estimate.unit)
    if estimate.low is None or estimate.high is None:
        return value
    return f"{value} [{_number(estimate.low, estimate.unit)}, {_number(estimate.high, estimate.unit)}]"


def _why(estimate: Estimate) -> str:
    return f": {estimate.why}" if estimate.value is None else f"  ({estimate.why})" if estimate.why else ""


def _number(value: float | int | str | bool, unit: str) -> str:
    if isinstance(value, str | bool):
        return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else value
    if unit == "bit/s":
        return format_rate(float(f"{value:.4g}"))
    if unit == "s":
        return f"{1e3 * value:.4g} ms" if value < 1 else f"{value:.4g} s"
    return f"{value:,}".replace(",", " ") + f" {unit}".rstrip()


def _table(fit: FittedLink) -> Iterator[str]:
    """The flows with most bytes, in the order of their first packets."""
    chosen = sorted(fit.flows, key=lambda each: -each.flow.payload_bytes)[:MAX_ROWS]
    rows: list[tuple[str, ...]] = [("flow", "from", "to", "start", "bytes", "base RTT", "control", "limited by")]
    for each in fit.flows:
        if each in chosen:
            estimates = each.estimates
            ends = (each.flow.sender, each.flow.receiver)
            cells = (
                value_text(estimates[name]).replace(" from this capture", "")
                for name in ("start", "bytes", "rtt", "control")
            )
            limit = (
                "window"
                if isinstance(each.sender.window.value, int)
                else "application"
                if each.sender.application_pauses
                else ""
            )
            rows.append((each.name, *ends, *cells, limit))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
    if len(fit.flows) > MAX_ROWS:
        yield f"... and {len(fit.flows) - MAX_ROWS} smaller flows; --json writes all flows"
    reasons = {estimate.why for each in chosen for name in ("rtt", "control")
               if (estimate := each.estimates[name]).value is None}  # fmt: skip
    for reason in sorted(reasons):
        yield f"unknowable: {reason}"
