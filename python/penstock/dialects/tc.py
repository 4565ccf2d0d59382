"""Linux' `tc`: lines as `tc qdisc`, `tc class` and `tc filter` read and print them, as text or JSON."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from penstock.dialects import tc_queue
from penstock.dialects.conversion import Conversion, ConversionContext, DialectError
from penstock.dialects.keys import select_object
from penstock.dialects.tc_config import NOTHING, apply_commands, merge_transmit_queues, select_device_objects
from penstock.dialects.tc_framing import add_size_tables
from penstock.dialects.tc_lines import TcObject, read_objects
from penstock.dialects.tc_read import CLASSFUL, read_gred, read_tree
from penstock.dialects.tc_sqm import ShapedDevice, shaped_devices
from penstock.dialects.tc_table_classes import ABSENT, PARENTS
from penstock.dialects.tc_write import WRITERS
from penstock.errors import did_you_mean

__all__ = ["objects_after_all_commands", "read", "read_device_objects", "write"]


def read(text: str, facts: ConversionContext) -> Conversion:
    """The settings of the queue of one device, or of its root queue with classes, filters and their queues.

    A queue may stand alone (`KIND OPTIONS`), as in `tc qdisc add ...`, or as `tc qdisc show` prints it.
    """
    if devices := shaped_devices(text):
        return _of_sqm(devices, facts)
    lines, summary = read_device_objects(text, facts)
    queues = [line for line in lines if line.subject == "qdisc" and line.kind not in NOTHING]
    kinds = {line.kind for line in queues}
    if kinds == {"gred"}:
        found = read_gred(queues, facts)
    elif kinds & set(CLASSFUL) or len(lines) > 1:
        found = read_tree(lines, facts)
    else:
        found = tc_queue.read(queues[0], facts)
    found.notes = [*summary.notes, *found.notes]
    found.lost_settings = [*summary.lost_settings, *found.lost_settings]
    add_size_tables([line for line in lines if line.size_table_words], found)
    if any(line.verb == "change" and line.kind in tc_queue.KINDS for line in queues):
        found.notes.append("tc qdisc change keeps values that are not in the text: here they have their defaults")
    if re.search(r"\d[kmgt]?i?bps\b", text, re.IGNORECASE):
        found.notes.append("bps in tc is bytes per second")
    found.notes = list(dict.fromkeys(found.notes))
    return found


def _of_sqm(devices: Sequence[ShapedDevice], facts: ConversionContext) -> Conversion:
    """The queue of the only device that a file of SQM shapes, or of the one that `--device` names."""
    _, shaped = select_object({device.device: device for device in devices}, facts, "shaped devices")
    found = read(shaped.commands, replace(facts, device=shaped.device))
    found.notes += shaped.notes
    found.lost_settings += shaped.lost_settings
    return found


def read_device_objects(text: str, facts: ConversionContext) -> tuple[list[TcObject], Conversion]:
    """The queues, classes and filters that one device has after all commands, and the remarks to report.

    Raises `DialectError` for an unknown kind of queue, and if there is no queue, or if there are queues of several
    devices.
    """
    present_lines, foreign = objects_after_all_commands(text, facts)
    kept, summary = merge_transmit_queues(present_lines)
    summary.lost_settings += [
        f"{line.text}: device {line.device} has no queue in this text" if line.subject in ("class", "filter") else
        f"{line.text}: not a queue, class or filter"
        for line in foreign
    ]  # fmt: skip
    if not any(line.subject == "qdisc" and line.kind not in NOTHING for line in kept):
        why = next((f"{line.kind} is the only queue" for line in kept), "all is deleted") if text.strip() else "nothing"
        raise DialectError(f"no supported queue of tc in this text ({why}); supported: {', '.join(_known())}")
    return kept, summary


def objects_after_all_commands(text: str, facts: ConversionContext) -> tuple[list[TcObject], list[TcObject]]:
    """The objects of one device after all commands, and the lines of other programs and of devices without queues."""
    lines = read_objects(text)
    named = [line for line in lines if line.subject != "other" and line.text.split()[:1] != [line.kind]]
    foreign = [line for line in lines if line.subject == "other" or (named and _is_foreign(line))]
    lines = [line for line in lines if all(line is not one for one in foreign)]
    for line in lines:
        _check(line)
    known = apply_commands(lines)
    kept = select_device_objects(known, facts)
    devices = {line.device for line in known if line.subject == "qdisc"}
    return kept, [*foreign, *(line for line in known if line.subject != "qdisc" and line.device not in ("", *devices))]


def write(scheme: str, parameters: dict[str, Any], facts: ConversionContext) -> Conversion:
    """Lines for `tc`. Raises `DialectError` if tc has no such queue."""
    if scheme in WRITERS:
        return WRITERS[scheme](scheme, dict(parameters), facts)
    found = tc_queue.write(scheme, parameters, facts)
    found.text = f"tc qdisc replace dev {facts.interface} root {found.text}"
    return found


def _known() -> list[str]:
    return [*tc_queue.KINDS, *CLASSFUL, "gred"]


def _is_foreign(line: TcObject) -> bool:
    """Whether a line without `tc qdisc`, among others that have it, is a command of another program."""
    alone = line.text.split()[:1] == [line.kind]
    return alone and line.kind not in (*_known(), *PARENTS, *ABSENT)


def _check(line: TcObject) -> None:
    """Raise `DialectError` for an unknown queue or class."""
    if line.subject == "class" and line.verb != "delete" and line.kind not in (*_known(), *PARENTS, *ABSENT):
        raise DialectError(f'no kind of class in "{line.text}"{did_you_mean(line.kind, PARENTS)}')
    if line.subject != "qdisc" or line.verb == "delete" or line.kind in (*_known(), *NOTHING, *PARENTS):
        return
    if line.kind in ABSENT:
        place = " ".join(filter(None, (line.device, line.location.get("handle", ""))))
        raise DialectError(f'"{line.text}"{f" at {place}" if place else ""}: {line.kind} of tc has no counterpart here '
                           f"({ABSENT[line.kind]})")  # fmt: skip
    name = line.kind or "nothing"
    raise DialectError(
        f'no queue of tc in "{line.text}"{did_you_mean(name, _known())}; supported: {", ".join(_known())}'
    )
