"""States of a running link: rates between two of them, and a stream of them for other programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any, Protocol

__all__ = ["State", "StateStream", "StateView", "with_rates"]

State = Mapping[str, Any]


class StateView(Protocol):
    """Something that shows the state of a link, twice a second."""

    def show(self, state: State) -> None:
        """Show a state of `LinkSession.snapshot`, with rates: see `with_rates`."""

    def close(self) -> None:
        """Leave the terminal or the file as it was."""


def with_rates(state: State, before: State | None) -> dict[str, Any]:
    """The state with the rates of each link and flow since the previous state.

    For links `sent_bps`, and `drop_rate` and `mark_rate` as shares of the packets that arrived; for flows
    `crossed_bps`. All are 0 without a previous state, or if no time has passed.
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
    flow_before = {flow["flow"]: flow for flow in before["flows"]} if before else {}
    flows = [
        {**flow, "crossed_bps": per_second("crossed_bits", flow, flow_before.get(flow["flow"]))}
        for flow in state["flows"]
    ]
    return {**state, "links": links, "flows": flows}


class StateStream:
    """A stream of states, one line of JSON each."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def show(self, state: State) -> None:
        """Write a state."""
        self._file.write(json.dumps(state, ensure_ascii=False) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Leave the file to its owner."""
