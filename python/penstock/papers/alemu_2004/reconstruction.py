"""The author's set-up as reconstructed: a reading of what the text leaves open, chosen by printed numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from penstock.reproduce.changes import combined_change, queue_change, tcp_change
from penstock.reproduce.effort import Change
from penstock.scenario.document import Document

from .changes import AUTOMATIC, AVERAGING, DELAYED

STARTS = {"base1": "0s", "reverse": "1s", "base2": "3s"}
"""Starts of the basic flows in chapters 2 and 3."""
OF_500_BYTES = {"1000": (), "500": AVERAGING, "500 for PSAND": ("psand",)}
"""The schemes whose weight is computed for packets of 500 bytes, by the `mean_packet` of a reading."""


class Reading(NamedTuple):
    """A set-up of chapters 2 to 4.

    Attributes:
        packet: packet size of the basic flows in bytes: as printed, or as in the other flows.
        starts: starts of the basic flows in chapter 4: every 0.1 s, as all flows start, or as in chapter 2.
        acks: whether receivers acknowledge each packet, or delay acknowledgements.
        mean_packet: mean packet size in bytes, from which schemes with RED's average compute its weight: the actual
            size, ns-2's default, or ns-2's default for PSAND alone.
        ramp: whether the ramp of PSAND's drop function above Max moves with max_p, or is computed once, as in ns-2.
        change: the change of PSAND's average after an empty interval: 1, or 0 / 0. After 0 / 0 the reverse queue drops
        every packet that finds more than one packet waiting.

    """

    packet: Literal[1600, 1000]
    starts: Literal["every 0.1 s", "0, 1, 3 s"]
    acks: Literal["each", "delayed"]
    mean_packet: Literal["1000", "500", "500 for PSAND"]
    ramp: Literal["moving", "once"]
    change: Literal["1", "0 / 0"]

    @property
    def scenario_change(self) -> Change:
        """The change from a scenario as printed to this reading."""
        changes = [
            _with_basic("packet", dict.fromkeys(STARTS, f"{self.packet}B")),
            queue_change(OF_500_BYTES[self.mean_packet], mean_packet="500B"),
        ]
        if self.starts == "0, 1, 3 s":
            changes.append(_with_basic("start", STARTS))
        if self.acks == "delayed":
            changes.append(tcp_change(delayed_ack=DELAYED))
        if self.ramp == "once":
            changes.append(queue_change(("psand",), gentle_from="first"))
        if self.change == "0 / 0":
            changes.append(queue_change(("psand",), zero_over_zero="nan"))
        return combined_change(*changes)


PRINTED = Reading(1600, "every 0.1 s", "each", "1000", "moving", "1")
CHOSEN = Reading(1000, "0, 1, 3 s", "each", "500 for PSAND", "once", "0 / 0")
"""The reading of the author's set-up."""


def reconstructed(document: Document) -> Document:
    """The scenario changed to the author's set-up: the chosen reading, and in chapter 5 RED as in ns-2 since 2001."""
    return (_of_codes if _has_codes(document) else CHOSEN.scenario_change)(document)


def _with_basic(setting: str, values: Mapping[str, str]) -> Change:
    """These values of a setting for the basic flows."""

    def change(document: Document) -> Document:
        for name, value in values.items():
            if name in document.tree["traffic"]:
                document = document.set(f"traffic.{name}.{setting}", value)
        return document

    return change


def _has_codes(document: Document) -> bool:
    return any(group["kind"] == "fec" for group in document.tree["traffic"].values())


_of_codes = queue_change(("red",), **AUTOMATIC)
