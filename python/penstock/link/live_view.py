"""A live view of a real link: its queues and flows as a table on a terminal."""

from __future__ import annotations

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table

from penstock.link.states import State
from penstock.units import format_rate

__all__ = ["LiveView"]

MAX_FLOWS = 10
"""Number of flows in the view, those with the highest rates."""


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
