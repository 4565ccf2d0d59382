"""The queues that a device has after the commands of a text, which add, replace and delete them in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from penstock.dialects.conversion import Conversion, ConversionContext, DialectError
from penstock.dialects.tc_keys import GivenKey
from penstock.dialects.tc_lines import TcObject, qdisc_handle
from penstock.dialects.tc_table import QUEUES

__all__ = ["NOTHING", "apply_commands", "merge_transmit_queues", "select_device_objects"]

NOTHING = ("noqueue", "ingress", "clsact")
"""Kinds that are not queues in the sending direction of a device."""

MULTIQUEUE = ("mq", "mqprio")


def apply_commands(lines: Sequence[TcObject]) -> list[TcObject]:
    """The objects that exist after all commands.

    Raises `DialectError` for an object that tc refuses because its place is taken.
    """
    objects: list[TcObject] = []
    for line in lines:
        if line.verb == "delete":
            objects = _without(objects, line)
            continue
        present = _at_the_place(objects, line)
        if present is None or line.kind == "gred":
            objects.append(line)
            continue
        if line.verb == "add" and present.verb:
            raise DialectError(
                f'tc refuses "{line.text}": there is {_name(present)} already; one root queue of a device is expected'
            )
        if line.subject == "qdisc" and line.verb and line.kind == present.kind:
            objects[objects.index(present)] = _merged(present, line)
        elif line.is_printed and present.verb and line.kind == present.kind and line.subject == "qdisc":
            # The output of tc lacks some settings: for RED, `burst` and `avpkt`.
            objects[objects.index(present)] = replace(
                present, statistics_lines=line.statistics_lines, counters=line.counters
            )
        elif line.subject == "qdisc" and line.verb:
            objects = [*_without(objects, present), line]
        else:
            objects[objects.index(present)] = line
    return objects


def _at_the_place(objects: Sequence[TcObject], line: TcObject) -> TcObject | None:
    """The object that another one replaces."""
    if line.subject == "qdisc" and line.kind not in NOTHING:
        return next((one for one in objects if one.subject == "qdisc" and one.kind not in NOTHING
                     and one.device == line.device and one.parent == line.parent), None)  # fmt: skip
    if line.subject == "class":
        return next((one for one in objects if one.subject == "class" and one.device == line.device
                     and one.id == line.id), None)  # fmt: skip
    return None


def _merged(present: TcObject, line: TcObject) -> TcObject:
    """A queue after a further command, which keeps the values that it does not set (measured with Linux 6.18)."""
    if line.kind not in QUEUES or present.is_printed != line.is_printed:
        return line
    keys = QUEUES[line.kind]
    given = [item for item in keys.parse_words(line.words, is_printed=False) if isinstance(item, GivenKey)]
    new = {item.key.group or item.key.word for item in given}
    kept = [
        word
        for item in keys.parse_words(present.words, is_printed=False)
        if isinstance(item, GivenKey) and (item.key.group or item.key.word) not in new
        for word in (item.key.word, *item.text.split())
    ]
    handle = {"handle": present.location["handle"]} if "handle" in present.location else {}
    return replace(
        line,
        words=[*kept, *line.words],
        location={**handle, **line.location},
        size_table_words=line.size_table_words or present.size_table_words,
        verb=present.verb,
    )


def _without(objects: Sequence[TcObject], gone: TcObject) -> list[TcObject]:
    """The objects left after one is deleted together with all below it."""
    if gone.subject == "filter":
        return [
            one
            for one in objects
            if not (
                one.subject == "filter"
                and one.device == gone.device
                and one.parent == gone.parent
                and gone.location.get("pref", one.location.get("pref")) == one.location.get("pref")
            )
        ]
    if gone.kind in NOTHING or gone.parent == "ffff:fff1":
        return [one for one in objects if one.kind not in NOTHING or one.device != gone.device]
    if gone.subject == "qdisc" and not gone.parent:
        return [one for one in objects if one.device != gone.device or one.kind in NOTHING]
    if gone.subject == "class":
        doomed = {gone.id}
    else:
        doomed = {one.id for one in objects if one.subject == "qdisc" and one.parent == gone.parent and one.id}
    left = [one for one in objects if one.device != gone.device or not _is_gone(one, gone)]
    while any(one.parent in doomed or qdisc_handle(one.parent) in doomed for one in left if one.device == gone.device):
        below = [one for one in left if one.device == gone.device
                 and (one.parent in doomed or qdisc_handle(one.parent) in doomed)]  # fmt: skip
        doomed |= {one.id for one in below if one.id}
        left = [one for one in left if all(one is not other for other in below)]
    return left


def _is_gone(one: TcObject, gone: TcObject) -> bool:
    if gone.subject == "class":
        return one.subject == "class" and one.id == gone.id
    return one.subject == "qdisc" and one.parent == gone.parent


def select_device_objects(lines: Sequence[TcObject], facts: ConversionContext) -> list[TcObject]:
    """The objects of one device: the only one with a queue, or the one that the facts name.

    Raises `DialectError` if there are several.
    """
    devices = list(dict.fromkeys(line.device for line in lines if line.device))
    queued = list(dict.fromkeys(line.device for line in lines if line.device and line.subject == "qdisc"
                                and line.kind and line.kind not in NOTHING))  # fmt: skip
    if facts.device in devices:
        return [line for line in lines if line.device in ("", facts.device)]
    if len(queued) > 1:
        raise DialectError(
            f"this text has root queues of {' and '.join(queued)}: choose a device with --device, or keep the lines "
            "of one device"
        )
    return [line for line in lines if line.device in ("", *queued) or not queued]


def merge_transmit_queues(lines: Sequence[TcObject]) -> tuple[list[TcObject], Conversion]:
    """The objects with one queue instead of the equal queues of several transmit queues, and notes on this.

    Raises `DialectError` if they are not equal, or if the text does not have them.
    """
    summary = Conversion("", {})
    root = next((line for line in lines if line.kind in MULTIQUEUE and line.subject == "qdisc"), None)
    if root is None:
        return list(lines), summary
    children = [line for line in lines if line.subject == "qdisc" and line is not root and line.parent
                and qdisc_handle(line.parent) in (root.id, "0:0")]  # fmt: skip
    if not children:
        raise DialectError(f"{_name(root)} has a queue for each transmit queue of the device, which this text lacks: "
                           "paste all that tc qdisc show prints")  # fmt: skip
    kinds = {(line.kind, *line.words): line for line in children}
    if len(kinds) > 1:
        names = ", ".join(f"{line.kind} at {line.location.get('parent')}" for line in kinds.values())
        raise DialectError(f"the queues of {_name(root)} differ, but a link has only one queue: {names}")
    first = children[0]
    summary.notes.append(f"{root.kind}: {len(children)} equal queues, one for each transmit queue of the device; a "
                      "flow uses one of them")  # fmt: skip
    words = [word for word in root.words if word != "hw"]
    if root.kind == "mqprio" and words[:1] in (["num_tc"], ["tc"]) and words[1:2] != ["1"]:
        summary.lost_settings.append(f"mqprio {' '.join(words[:2])}: classes of traffic in hardware")
    rest = [line for line in lines if line is not root and all(line is not other for other in children)
            and not (line.subject == "class" and line.kind in MULTIQUEUE)]  # fmt: skip
    alone = {name: value for name, value in first.location.items() if name != "parent"}
    return [replace(first, location=alone), *rest], summary


def _name(line: TcObject) -> str:
    """The name of an object for its owner."""
    place = line.location.get("handle") or line.location.get("parent") or ""
    return " ".join(filter(None, (line.device, line.kind, place)))
