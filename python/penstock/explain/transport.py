"""The explanation of a transport: a congestion control of TCP, its rule and its source."""

from __future__ import annotations

import textwrap
from dataclasses import asdict, dataclass
from typing import Any

from penstock.aqms.catalog import tcp_keys
from penstock.scenario.resolve.settings import readable_default

__all__ = ["TRANSPORTS", "CongestionControl", "transport_entry", "transport_text"]


@dataclass(frozen=True)
class CongestionControl:
    """A congestion control: its name as value of `flavour`, a summary, the rule of its window, and its source."""

    name: str
    title: str
    doc: str
    source: str


TRANSPORTS = {
    entry.name: entry
    for entry in (
        CongestionControl(
            "tahoe",
            "Fast retransmit, then slow start.",
            "The third duplicate ACK sets the slow start threshold to half the window and the window to one packet.",
            "V. Jacobson, Congestion Avoidance and Control, SIGCOMM 1988",
        ),
        CongestionControl(
            "reno",
            "Fast retransmit and fast recovery.",
            "The third duplicate ACK halves the window; the next ACK of new data ends the recovery.",
            "V. Jacobson, Modified TCP Congestion Avoidance Algorithm, 1990; RFC 5681",
        ),
        CongestionControl(
            "newreno",
            "Fast recovery that lasts until all packets outstanding at its beginning are acknowledged.",
            "A partial ACK retransmits the next missing packet without a further reduction of the window.",
            "J. Hoe, Improving the Start-up Behavior of a Congestion Control Scheme for TCP, SIGCOMM 1996; RFC 6582",
        ),
        CongestionControl(
            "sack",
            "Loss recovery by selective acknowledgements and a scoreboard; the window changes as in Reno.",
            "In recovery the sender retransmits the packets that the scoreboard declares lost while fewer packets than "
            "the window are in flight.",
            "RFC 6675; RFC 2018",
        ),
        CongestionControl(
            "vegas",
            "Congestion avoidance by the queueing delay that the flow itself causes.",
            "Once per round trip the window grows or shrinks by one packet, to keep between alpha and beta packets "
            "queued.",
            "L. Brakmo, L. Peterson, TCP Vegas: End to End Congestion Avoidance on a Global Internet, IEEE JSAC 13(8), "
            "1995",
        ),
        CongestionControl(
            "cubic",
            "The window grows with the cube of the time since the last reduction.",
            "A loss or a mark multiplies the window by 0.7; at short round trips the window is at least that of a Reno "
            "flow with the same throughput.",
            "RFC 9438",
        ),
        CongestionControl(
            "dctcp",
            "The window yields in proportion to the share of marked packets.",
            "Once per window of data alpha becomes (1 - g) alpha + g M, with the share M of marked packets; a mark "
            "reduces the window by the factor 1 - alpha/2.",
            "RFC 8257",
        ),
        CongestionControl(
            "prague",
            "DCTCP for the Internet, the sender of L4S; its packets carry ECT(1) and are paced.",
            "Marks are averaged once per virtual round trip; a mark reduces the window by the factor 1 - alpha/2, a "
            "loss halves it.",
            "RFC 9331; K. De Schepper et al., draft-briscoe-iccrg-prague-congestion-control-04, 2024",
        ),
        CongestionControl(
            "bbr",
            "BBR, version 1: rate and window from a model of the path, its bandwidth and its round-trip time.",
            "Packets leave at the bandwidth times a gain, which probes for more in one phase of eight; the window is "
            "twice the bandwidth-delay product.",
            "N. Cardwell et al., BBR: Congestion-Based Congestion Control, ACM Queue 14(5), 2016; "
            "draft-cardwell-iccrg-bbr-congestion-control-00",
        ),
        CongestionControl(
            "bbr3",
            "BBR, version 3: the model of version 1, bounded by losses.",
            "Losses above 2 % of a round end a probe and bound the data in flight.",
            "N. Cardwell, I. Swett, J. Beshay (editors), draft-ietf-ccwg-bbr-06, 2026",
        ),
        CongestionControl(
            "ledbat",
            "Keeps its own queueing delay near a target and yields to other traffic.",
            "An ACK changes the window in proportion to the distance of the queueing delay from the target; a loss "
            "halves it.",
            "RFC 6817",
        ),
    )
}
"""By name, in the order of the registry."""


def transport_entry(name: str) -> dict[str, Any]:
    """The transport as plain values, with the keys of TCP traffic and their defaults by profile."""
    keys = tcp_keys()
    params = [
        {
            "name": param.name,
            "doc": param.doc,
            "unit": param.unit,
            "defaults": {profile: readable_default(param.with_profile_default(profile)) for profile in keys.profiles},
        }
        for param in keys.params
    ]
    return {**asdict(TRANSPORTS[name]), "profiles": list(keys.profiles), "params": params}


def transport_text(name: str, width: int = 100) -> str:
    """The explanation in lines of at most `width` characters."""
    entry = TRANSPORTS[name]
    lines = [
        *textwrap.wrap(entry.title, width),
        "=" * min(len(entry.title), width),
        f'name    {entry.name}, as in [traffic.NAME] kind = "tcp", flavour = "{entry.name}"',
        *textwrap.wrap(f"source  {entry.source}", width, subsequent_indent=" " * 8),
        "",
        *textwrap.wrap(entry.doc, width),
        "",
        "penstock explain transports lists the keys of TCP traffic with their defaults.",
    ]
    return "\n".join(lines) + "\n"
