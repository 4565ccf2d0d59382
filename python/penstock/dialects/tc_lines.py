"""Objects in a text of `tc`: queues, classes and filters, each with its place, its options and its statistics."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from penstock.dialects.conversion import DialectError
from penstock.dialects.pasted_text import strip_prompts
from penstock.dialects.tc_json import is_json, parse_objects
from penstock.dialects.tc_shell import ShellLine, shell_lines
from penstock.dialects.tc_table import QUEUES

__all__ = ["STAB", "TcObject", "normalize_handle", "qdisc_handle", "read_objects"]

SUBJECTS = ("qdisc", "class", "filter")
OTHERS = ("chain", "action", "actions", "monitor", "exec")
SHOWING = ("show", "list", "ls", "lst", "get")
VERBS = ("add", "replace", "change", "link", "delete", *SHOWING)
_PLACES = {"dev", "parent", "handle", "classid", "refcnt", "leaf", "ingress_block", "egress_block"}
_FILTER_PLACES = {"protocol", "prio", "pref", "preference", "chain", "fh"}
STAB = {"linklayer", "overhead", "mpu", "mtu", "tsize", "data"}
"""Keys of a size table, tc-stab(8)."""
_ID = re.compile(r"[0-9a-f]*:[0-9a-f]*")
_WITH_VALUE = re.compile(r"-(n|net|netns|b|batch|cf|conf)$")
_STATISTICS = re.compile(
    r"Sent |backlog |lended: |tokens: |rate \S+ \d+pps|filter .* chain 0( fh \w+: ht divisor \d+)?$|deficit "
)


@dataclass
class TcObject:
    """A queue, class or filter of tc, from one line of a text.

    Attributes:
        subject: "qdisc", "class" or "filter"; "other" for a command that is not of these.
        kind: of the queue, of the class, or of the filter.
        location: its place: "handle", "classid", "parent", "dev".
        words: its options.
        text: as given.
        is_printed: whether tc prints a queue so, and not whether it takes it so: without a verb, with a handle.
        verb: "add", "replace", "change", "link" or "delete"; empty where it is printed, or stands alone.
        size_table_words: words of its size table, tc-stab(8).
        statistics_lines: the lines with statistics below it, as printed.
        counters: its statistics as `tc -json` has them.

    """

    subject: str
    text: str
    kind: str = ""
    location: dict[str, str] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    is_printed: bool = False
    verb: str = ""
    size_table_words: list[str] = field(default_factory=list)
    statistics_lines: list[str] = field(default_factory=list)
    counters: dict[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The class, or the queue by the name that others use for their parent: `1:10`, `1:0`."""
        handle = self.location.get("handle", "")
        return normalize_handle(
            self.location.get("classid") or (handle if ":" in handle or not handle else f"{handle}:")
        )

    @property
    def parent(self) -> str:
        """The class or queue above; empty at the root."""
        return normalize_handle(self.location.get("parent", ""))

    @property
    def device(self) -> str:
        """The device; empty if the text does not name it."""
        return self.location.get("dev", "")


def normalize_handle(text: str) -> str:
    """A handle in one form: `1:` and `1:0` are the same, numbers are hexadecimal.

    >>> normalize_handle("1:"), normalize_handle("0001:0A"), normalize_handle("")
    ('1:0', '1:a', '')
    """
    if text in ("", "root", "none"):
        return ""
    if not re.fullmatch(r"(?:(?:0x)?[0-9a-f]{0,8}:(?:0x)?[0-9a-f]{0,8})", text.lower()):
        raise DialectError(f"{text} is not a handle of tc such as 1: or 1:10")
    major, _, minor = text.partition(":")
    return f"{int(major or '0', 16):x}:{int(minor or '0', 16):x}"


def qdisc_handle(place: str) -> str:
    """The handle of the queue to which a class belongs: `1:0` for `1:10`; empty without a class.

    >>> qdisc_handle("1:10"), qdisc_handle("")
    ('1:0', '')
    """
    return f"{place.partition(':')[0]}:0" if place else ""


def read_objects(text: str) -> list[TcObject]:
    """The objects of a text; a queue may stand alone, without `tc qdisc`."""
    text = strip_prompts(text, r".*\btc\s")
    output = re.sub(r"^\s*(?:[#$]\s*)?(?:sudo\s+)?tc\s.*\n", "", text)
    if is_json(output):
        return [_from_json(one) for one in parse_objects(output)]
    lines: list[TcObject] = []
    shown_device = ""
    for command in shell_lines(text):
        last = lines[-1] if lines else None
        if last is None or not _continues(last, command):
            line = _line(command.text.split(), command.text)
            if line.verb in SHOWING:
                shown_device = line.device
            elif line.subject == "other" or line.kind or line.verb:
                lines.append(line)
            if line.is_printed and not line.device and shown_device:
                line.location["dev"] = shown_device
    return lines


def _from_json(one: dict[str, Any]) -> TcObject:
    line = TcObject(one["subject"], one["text"], one["kind"], one["at"], one["words"], is_printed=True)
    line.size_table_words, line.counters = one["stab"], one["counters"]
    return line


def _continues(last: TcObject, command: ShellLine) -> bool:
    """Add a line to the object above it, if it belongs to that object."""
    words, text = command.text.split(), command.text
    if command.is_indented and words[0] in ("vq", "DP", "match"):
        last.words += words
        last.text = f"{last.text} {text}"
    elif last.is_printed and command.is_indented and words[0] == "linklayer":
        last.size_table_words += words
    elif _STATISTICS.match(text) and (last.is_printed or last.subject != "qdisc"):
        last.statistics_lines.append(text)
    elif (command.is_indented or last.is_printed) and not last.statistics_lines and _is_wrapped(last, words):
        last.words += words
    elif last.is_printed and _is_counted(command, words):
        last.statistics_lines.append(text)
    else:
        return False
    return True


def _is_wrapped(last: TcObject, words: Sequence[str]) -> bool:
    """Whether a line continues the line above, which tc, a mail program or a web page has wrapped."""
    keys = QUEUES[last.kind].keys_by_word if last.kind in QUEUES else {}
    return words[0] in keys or (bool(last.words) and last.words[-1] in keys and words[0] not in (*SUBJECTS, "tc"))


def _is_counted(command: ShellLine, words: Sequence[str]) -> bool:
    """Whether a line below a printed object contains its statistics."""
    if words[0] in ("tc", "sudo", *SUBJECTS):
        return False
    return command.is_indented or words[0].rstrip(":") in _COUNTERS


_COUNTERS = {"maxpacket", "new_flows_len", "count", "prob", "pkts_in", "marked", "gc", "memory", "capacity", "min/max",
             "average", "thresh", "earlydrop", "borrowed", "ctokens"}  # fmt: skip
"""First words of lines with statistics that a paste may have without their indentation."""


def _line(words: Sequence[str], text: str) -> TcObject:
    """The object of a line. A show command has a verb of `SHOWING` and no kind."""
    rest, is_tc = _after_tc(list(words))
    line = TcObject("qdisc", text)
    if rest and (name := _full(rest[0], (*SUBJECTS, *OTHERS), is_tc=is_tc)):
        line.subject = name if name in SUBJECTS else "other"
        is_named, rest = True, rest[1:]
    else:
        is_named = False
    if line.subject == "other" or (is_tc and not is_named):
        line.subject = "other"
        return line
    if rest and is_named and (verb := _full(rest[0], (*VERBS, "del"), is_tc=is_tc)):
        line.verb, rest = "delete" if verb == "del" else verb, rest[1:]
        if line.verb in SHOWING:
            line.location = dict([rest[at : at + 2] for at in range(len(rest) - 1) if rest[at] == "dev"])
            return line
    elif is_named and not rest:
        return line
    line.is_printed = is_named and not line.verb and len(rest) > 1 and bool(_ID.fullmatch(rest[1]))
    line.words = _placed(line, rest)
    if is_named and line.subject == "filter" and not line.verb:
        line.is_printed = True
    return line


def _after_tc(rest: list[str]) -> tuple[list[str], bool]:
    """The words after `tc` and its options."""
    is_tc = False
    while rest:
        if rest[0] in ("tc", "sudo") or re.fullmatch(r"\S*/tc", rest[0]):
            is_tc |= rest[0] != "sudo"
            rest = rest[1:]
        elif is_tc and _WITH_VALUE.match(rest[0]):
            rest = rest[2:]
        elif is_tc and re.fullmatch(r"--?[a-zA-Z]+", rest[0]):
            rest = rest[1:]
        else:
            break
    return rest, is_tc


def _full(word: str, names: Sequence[str], *, is_tc: bool) -> str:
    """The name that a word abbreviates; tc accepts the beginning of a name."""
    if word in names:
        return word
    return next((name for name in names if is_tc and name.startswith(word)), "")


def _placed(line: TcObject, rest: list[str]) -> list[str]:
    """Take the place of an object from its words; the other words are its options."""
    while rest:
        word = rest[0]
        if line.kind and not line.is_printed and line.subject == "qdisc":
            break
        if word in _PLACES and len(rest) > 1 and not (line.subject == "filter" and word == "handle"):
            line.location[word] = rest[1]
            rest = rest[2:]
        elif word in ("root", "offloaded", "[deleted]", "deleted", "added"):
            rest = rest[1:]
        elif word == "stab" and not line.kind:
            rest = _stab(line, rest[1:])
        elif word in ("estimator", "est") and not line.kind:
            rest = rest[3:]
        elif _ID.fullmatch(word) and line.kind:
            place = "classid" if line.subject == "class" else "handle"
            if line.is_printed and place in line.location:
                raise DialectError(f"{line.text}: {word} stands after {line.location[place]}: it has one {place}")
            line.location[place] = word
            rest = rest[1:]
        elif line.subject == "filter" and word in _FILTER_PLACES:
            line.location["pref" if word in ("prio", "preference") else word] = rest[1] if len(rest) > 1 else ""
            rest = rest[2:]
        elif not line.kind:
            line.kind, rest = word, rest[1:]
        else:
            break
    return rest


def _stab(line: TcObject, rest: list[str]) -> list[str]:
    while len(rest) > 1 and rest[0] in STAB:
        line.size_table_words += rest[:2]
        rest = rest[2:]
    return rest
