"""The author's set-up as reconstructed: a reading of what the text leaves open, chosen by printed numbers."""

from __future__ import annotations

from typing import Literal, NamedTuple

from penstock.reproduce.changes import together, with_queues, with_tcp
from penstock.reproduce.effort import Change
from penstock.scenario.scenario import Document

from .changes import AUTOMATIC, AVERAGING, DELAYED


class Reading(NamedTuple):
    """A set-up of chapters 2 to 4.

    Attributes:
        acks: whether receivers acknowledge each packet, or delay acknowledgements.
        packet: mean packet in bytes, from which the schemes with RED's average compute its weight: as printed, or
            ns-2's default.
        ramp: whether the ramp of PSAND's drop function above Max moves with max_p, or is computed once, as in ns-2.

    """

    acks: Literal["each", "delayed"]
    packet: Literal[1000, 500]
    ramp: Literal["moving", "once"]

    @property
    def change(self) -> Change:
        """The change of a scenario as printed to this reading."""
        changes = [with_queues(AVERAGING, mean_packet=f"{self.packet}B")]
        if self.acks == "delayed":
            changes.append(with_tcp(delayed_ack=DELAYED))
        if self.ramp == "once":
            changes.append(with_queues(("psand",), gentle_from="first"))
        return together(*changes)


PRINTED = Reading("each", 1000, "moving")
CHOSEN = Reading("delayed", 500, "once")
"""The reading of the author's set-up."""


def reconstructed(document: Document) -> Document:
    """A scenario in the author's set-up: the chosen reading, and in chapter 5 RED as ns-2 has set it since 2001."""
    return (_of_codes if _has_codes(document) else CHOSEN.change)(document)


def _has_codes(document: Document) -> bool:
    return any(group["kind"] == "fec" for group in document.tree["traffic"].values())


_of_codes = with_queues(("red",), **AUTOMATIC)
