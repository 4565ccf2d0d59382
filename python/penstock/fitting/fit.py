"""The fit of a scenario to captures of a link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from penstock.errors import PenstockError
from penstock.files import write_bytes, write_text
from penstock.fitting import fitted_scenario
from penstock.fitting.bottleneck import Bottleneck, estimate_bottleneck
from penstock.fitting.directions import forward_packet_mask, host_address, other_packet_mask, quic_flows
from penstock.fitting.display import bottleneck_summary
from penstock.fitting.fitted_link import FittedFlow, FittedLink
from penstock.fitting.flows import Flow, tcp_flows
from penstock.fitting.merge import merge_fits
from penstock.fitting.packets import Packets, concatenate, read_packets
from penstock.fitting.round_trips import estimate_round_trips, first_sent_s
from penstock.fitting.senders import estimate_sender

__all__ = ["Fit", "fit"]


@dataclass(frozen=True, repr=False)
class Fit(FittedLink):
    """A scenario fitted to captures of a link, and the estimates on which it is based."""

    @property
    def scenario(self) -> str:
        """The scenario file as TOML. It refers to the captures of datagrams that `save("fit.toml")` writes."""
        return fitted_scenario.scenario_text(self, "fit")

    def save(self, file: str | Path) -> list[Path]:
        """Write the scenario, and next to it the captures of the datagrams to replay. Returns the paths written."""
        path = Path(file)
        written = [path]
        for name, packets in self.datagrams.items():
            written.append(path.with_name(fitted_scenario.datagram_file_name(path.stem, name)))
            write_bytes(written[-1], fitted_scenario.datagram_pcap(packets))
        write_text(path, fitted_scenario.scenario_text(self, path.stem))
        return written

    def to_dict(self) -> dict[str, Any]:
        """The fit as plain values, in the format of `penstock fit --json`."""
        from penstock import _native

        ends = {each.name: {"from": each.flow.sender, "to": each.flow.receiver} for each in self.flows}
        return {
            "penstock": _native.version,
            "captures": [str(file) for file in self.files],
            "duration_s": self.duration_s,
            "packets": self.packet_count,
            "estimates": {name: estimate.to_dict() for name, estimate in self.estimates.items()},
            "flows": ends,
            "notes": list(self.notes),
            "scenario": self.scenario,
        }

    def __repr__(self) -> str:
        return f"<Fit of {len(self.flows)} TCP flows in {self.duration_s:.1f} s: {bottleneck_summary(self.forward)}>"


def fit(captures: str | Path | Sequence[str | Path]) -> Fit:
    """Fit a scenario to captures of a real link: its bottleneck, its connections and their senders.

    Captures that follow one another, such as the files of a ring buffer, are joined. Captures that overlap in time must
    be of the same packets at several points; they are fitted separately and their estimates are combined. Raises
    `PenstockError` for a file that is not a capture, and for captures without TCP data.
    """
    names = [captures] if isinstance(captures, str | Path) else captures
    files = tuple(Path(name) for name in names)
    if not files:
        raise PenstockError("captures: at least one is needed")
    parts = [(*read_packets(file), file) for file in files]
    notes = [note for _, of_file, _ in parts for note in of_file]
    parts.sort(key=lambda part: int(part[0].t_ns[0]))
    if any(before[0].t_ns[-1] > after[0].t_ns[0] for before, after in pairwise(parts)):
        return merge_fits([_fit(packets, (file,), of_file) for packets, of_file, file in parts])
    return _fit(concatenate([packets for packets, *_ in parts]), files, notes)


def _fit(packets: Packets, files: tuple[Path, ...], notes: list[str]) -> Fit:
    """The fit to the packets captured at one point."""
    is_forward = forward_packet_mask(packets)
    flows = list(tcp_flows(packets))
    if not flows:
        raise PenstockError(f"{files[0]}: has no TCP data, from which to estimate delays and senders")
    outward = {host_address(flow.sender) for flow in flows} & _hosts(packets, is_forward)
    sides = [[flow for flow in flows if (host_address(flow.sender) in outward) == ahead] for ahead in (True, False)]
    zero = int(packets.t_ns[0])
    links = [
        estimate_bottleneck(packets.take(is_forward), sides[0], sides[1], zero),
        estimate_bottleneck(packets.take(~is_forward), sides[1], sides[0], zero),
    ]
    end = float(packets.t_ns[-1] - zero) / 1e9
    fitted = _fitted(sides, links, end)
    quic = quic_flows(packets)
    other = other_packet_mask(packets, quic)
    masks = {fitted_scenario.FORWARD: other & is_forward, fitted_scenario.REVERSE: other & ~is_forward}
    return Fit(
        files,
        end,
        zero,
        len(packets),
        links[0],
        links[1],
        tuple(fitted),
        tuple((flow, bool(is_forward[flow.packet_rows[0]])) for flow in quic),
        {name: packets.take(mask) for name, mask in masks.items() if mask.any()},
        tuple(notes),
    )


def _hosts(packets: Packets, is_forward: Any) -> set[str]:
    """The addresses of the hosts that send in the forward direction."""
    return {host_address(packets.endpoints[end]) for end in np.unique(packets.source_index[is_forward])}


def _fitted(sides: list[list[Flow]], links: list[Bottleneck], end: float) -> list[FittedFlow]:
    """The flows of both directions with their estimates, in the order of their first packets."""
    rows = []
    both = zip((True, False), sides, links, estimate_round_trips(sides, links), strict=True)
    for ahead, side, link, trips in both:
        for number, (flow, trip) in enumerate(zip(side, trips, strict=True)):
            total, near = trip.total.value, trip.to_sender.value
            who = estimate_sender(
                flow, number, link, None if total is None else float(total), None if near is None else float(near)
            )
            rows.append((flow, ahead, trip, who, _is_open(flow, link, total, end), first_sent_s(flow, trip, link)))
    rows.sort(key=lambda row: float(row[0].t[0]))
    return [FittedFlow(f"flow{number}", *row) for number, row in enumerate(rows, 1)]


ASSUMED_ROUND_TRIP_S = 0.2
"""Round trip assumed for a flow without an estimate: the minimum retransmission timeout of Linux."""


def _is_open(flow: Flow, link: Bottleneck, round_trip: Any, end: float) -> bool:
    """Whether a flow was still sending when the capture ended."""
    wait = 0.0 if link.delays is None else link.delays.p95
    return not flow.has_fin and end - flow.t[-1] < 2 * ((round_trip or ASSUMED_ROUND_TRIP_S) + wait)
