"""A live view of a real link: a table on a terminal, and a stream of JSON lines for other programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any, Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table

from penstock.units import format_rate

__all__ = ["LiveView", "Stream", "View", "rates"]

MAX_FLOWS = 10
"""Number of flows in the view, those with the highest rates."""

State = Mapping[str, Any]


class View(Protocol):
    """Something that shows the state of a link, twice a second."""

    def show(self, state: State) -> None:
        """Show a state of `Session.snapshot`, with rates: see `rates`."""

    def close(self) -> None:
        """Leave the terminal or the file as it was."""


def rates(state: State, before: State | None) -> dict[str, Any]:
    """The state with, for each link, what happened since the state before.

    For links `sent_bps`, `drop_rate` and `mark_rate`, as shares of the packets that arrived; for flows `crossed_bps`.
    All are 0 without a state before, or if no time has passed.
    """
    span = state["t_s"] - before["t_s"] if before else 0.0

    def per_second(name: str, now: State, then: State | None) -> float:
        gone = now[name] - (then[name] if then else 0)
        return gone / span if span > 0 and gone >= 0 else 0.0

    links = {}
    for name, link in state["links"].items():
        then = before["links"].get(name) if before else None
        arrived = max(per_second("arrivals", link, then), 1e-9)
        links[name] = {
            **link,
            "sent_bps": per_second("sent_bits", link, then),
            "drop_rate": min(per_second("drops", link, then) / arrived, 1.0),
            "mark_rate": min(per_second("marks", link, then) / arrived, 1.0),
        }
    known = {flow["flow"]: flow for flow in before["flows"]} if before else {}
    flows = [
        {**flow, "crossed_bps": per_second("crossed_bits", flow, known.get(flow["flow"]))} for flow in state["flows"]
    ]
    return {**state, "links": links, "flows": flows}


class LiveView:
    """A table on a terminal."""

    def __init__(self, console: Console) -> None:
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._live.start()

    def show(self, state: State) -> None:
        """Show a state."""
        self._live.update(Group(_links(state), _flows(state)), refresh=True)

    def close(self) -> None:
        """Remove the table."""
        self._live.stop()


class Stream:
    """A stream of states, a line of JSON each."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def show(self, state: State) -> None:
        """Write a state."""
        self._file.write(json.dumps(state, ensure_ascii=False) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Leave the file to its owner."""


def _links(state: State) -> Table:
    table = Table(title=f"{state['t_s']:.1f} s", title_justify="left", box=None, pad_edge=False, header_style="bold")
    table.add_column("link", no_wrap=True)
    table.add_column("queue")
    for head in ("waiting", "delay", "rate", "used", "dropped", "marked"):
        table.add_column(head, justify="right")
    for name, link in state["links"].items():
        used = link["sent_bps"] / link["rate_bps"] if link["rate_bps"] else 0.0
        table.add_row(
            name,
            link["scheme"],
            f"{link['queue_pkts']} p",
            f"{1e3 * link['delay_s']:.1f} ms",
            format_rate(round(link["sent_bps"], -3)),
            f"{100 * used:.0f} %",
            f"{link['drops']} ({100 * link['drop_rate']:.1f} %)",
            f"{link['marks']} ({100 * link['mark_rate']:.1f} %)",
        )
    return table


_PROTOCOLS = {1: "icmp", 6: "tcp", 17: "udp"}


def _flows(state: State) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("flow")
    for head in ("rate", "dropped", "marked"):
        table.add_column(head, justify="right")
    flows = sorted(state["flows"], key=lambda flow: -flow["crossed_bps"])
    for flow in flows[:MAX_FLOWS]:
        kind = _PROTOCOLS.get(flow["protocol"], str(flow["protocol"]))
        ends = (f"{flow[end]}:{flow[f'{end}_port']}" if flow[f"{end}_port"] else flow[end] for end in ("src", "dst"))
        rate = format_rate(round(flow["crossed_bps"], -3))
        table.add_row(f"{kind} {' > '.join(ends)}", rate, str(flow["drops"]), str(flow["marks"]))
    if len(flows) > MAX_FLOWS:
        table.add_row(f"and {len(flows) - MAX_FLOWS} more", "", "", "")
    return table
