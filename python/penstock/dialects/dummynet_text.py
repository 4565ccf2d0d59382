"""Commands of `ipfw` and `dnctl` that configure pipes, queues and schedulers, and the output of their `show`.

The lines may come from a script, from a file of rules (pfSense, OPNsense), or from `ipfw pipe show`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from penstock.dialects.conversion import DialectError
from penstock.dialects.dummynet_keys import AQMS, FLAGS, OBJECT_KEYS
from penstock.dialects.keys import find_key
from penstock.dialects.pasted_text import strip_prompts

__all__ = ["DummynetObject", "DummynetObjects", "read_objects"]

_PREFIX = re.compile(r"^\s*(?:(?:sudo|doas)\s+)?(?:(?:\S*/)?(?:ipfw|dnctl)|\$\{?\w+\}?)(?:\s+-\w+)*\s+")
_COMMAND = r"(?:\S*/)?(?:ipfw|dnctl)\b|\S+\s+(?:\S*/)?(?:ipfw|dnctl)\s+(?:-\w+\s+)*(?:pipe|queue|sched)\b"
"""A command after a prompt that is read; one with another command before it may be refused."""
_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)\}?")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(\"[^\"]*\"|'[^']*'|\S*)")
_CONFIG = re.compile(r"^(pipe|queue|sched)\s+(\d{1,5})\s+config\b\s*(.*)$")
_DELETE = re.compile(r"^(?:(pipe|queue|sched)\s+(\d+)\s+delete|delete\s+(pipe|queue|sched)\s+(\d+))$")
_FLUSH = re.compile(r"^(pipe|queue|sched)\s+flush$|^flush$")
_OTHERS = re.compile(
    r"^(?:add|table|set|nat|disable|enable|zero|resetlog|flush|show|list|kldload|echo|"
    r"(?:pipe|queue|sched)\s+(?:\d+\s+)?(?:show|list))\b"
)
_MASKS = ("dst-ip", "src-ip", "dst-ip6", "src-ip6", "dst-port", "src-port", "flow-id", "proto")
TYPES = ("fifo", "wf2q+", "rr", "qfq", "prio", *(name for name in AQMS if name.startswith("fq_")))

_SHOWN_LINK = re.compile(r"^(\d{5}):\s+(unlimited|[\d.]+ [KMG]?bit/s)\s+(\d+) ms(?:\s+burst (\d+))?\s*$")
_PRINTED_OLD_PIPE = re.compile(
    r"^(\d{5}):\s+(unlimited|[\d.]+ [KMG]?bit/s)\s+(\d+) ms\s+(\d+) ?(sl\.|B|KB)\s*(?:plr ([\d.]+))?\s*"
    r"\d+ queues \(\d+ buckets\)\s*(.*)$"
)
"""A pipe as macOS and releases of FreeBSD before 8 print it."""
_UNITS = {"sl.": "", "B": "Bytes", "KB": "KBytes"}
_SHOWN_SET = re.compile(
    r"^q(\d+)\s+(\d+) ?(sl\.|B|KB)\s*(?:plr ([\d.]+))?\s*\d+ flows \(\d+ buckets\) sched (\d+) weight (\d+) "
    r"lmax (\d+) pri (\d+)\s*(.*)$"
)
_SHOWN_SCHED = re.compile(r"^sched (\d+) type (\S+) flags \S+ \d+ buckets \d+ active$")
_SHOWN_OTHERS = re.compile(
    r"^(?:(?:pipe|queue|sched) (?:\d+ )?(?:show|list)\b.*|show|list|kldload .*|\w+:|Children flowsets:.*|BKT Prot.*|"
    r"mask:.*|\d+ +(?:ip|tcp|udp|icmp) .*|\d+)$"
)
_BASE = 65536
"""Offset from the number of a pipe to the numbers that dummynet gives to its own scheduler and queue."""


@dataclass
class DummynetObject:
    """A pipe, queue or scheduler.

    Attributes:
        settings: by key.
        aqm: its name, "red" and "gred" among them; "" for drop-tail.
        aqm_settings: by key.
        attached_to: kind and number of what it is connected to.
        scheduler_type: of a scheduler.

    """

    settings: dict[str, str] = field(default_factory=dict)
    aqm: str = ""
    aqm_settings: dict[str, str] = field(default_factory=dict)
    attached_to: tuple[str, int] | None = None
    scheduler_type: str = ""


@dataclass
class DummynetObjects:
    """The objects that a text configures, and whether it has rules."""

    pipes: dict[int, DummynetObject] = field(default_factory=dict)
    queues: dict[int, DummynetObject] = field(default_factory=dict)
    schedulers: dict[int, DummynetObject] = field(default_factory=dict)
    has_rules: bool = False

    def by_kind(self, kind: str) -> dict[int, DummynetObject]:
        """The objects of a kind, by number."""
        return {"pipe": self.pipes, "queue": self.queues, "sched": self.schedulers}[kind]


def read_objects(text: str) -> DummynetObjects:
    """The pipes, queues and schedulers in a text. Raises `DialectError` for a word that dummynet does not accept."""
    objects = DummynetObjects()
    lines = [*_lines(text)]
    if any(shown.match(line) for line in lines for shown in (_SHOWN_LINK, _SHOWN_SET, _PRINTED_OLD_PIPE)):
        lines = [*_commands_of_output(lines)]
    for line in lines:
        if config := _CONFIG.match(line):
            objects.by_kind(config[1])[int(config[2])] = _box(config[3].split(), f"{config[1]} {config[2]}")
        elif gone := _DELETE.match(line):
            objects.by_kind(gone[1] or gone[3]).pop(int(gone[2] or gone[4]), None)
        elif _FLUSH.match(line):
            for kind in ("pipe", "queue", "sched"):
                if line != "flush":
                    objects.by_kind(kind).clear()
        elif _OTHERS.match(line):
            objects.has_rules = objects.has_rules or line.startswith("add")
        elif len(lines) == 1:
            objects.pipes[1] = _box(line.split(), "the pipe")
        else:
            raise DialectError(f"{line[:60]}: expected pipe N config ..., queue N config ... or sched N config ...")
    return objects


def _lines(text: str) -> Iterator[str]:
    """The commands and printed lines of a text, without comments, prompts and variables."""
    joined = re.sub(r"\\\s*\n", " ", strip_prompts(text, _COMMAND))
    variables: dict[str, str] = {}
    for line in joined.splitlines():
        bare = re.sub(r"(^|\s)#.*", "", line).strip()
        bare = _VARIABLE.sub(lambda found: variables.get(found[1], found[0]), bare)
        if assignment := _ASSIGNMENT.fullmatch(bare):
            variables[assignment[1]] = assignment[2].strip("\"'")
            continue
        bare = _PREFIX.sub("", bare).strip()
        if unset := _VARIABLE.search(bare):
            raise DialectError(f"{bare[:60]}: {unset[0]} is not set in this text: replace it with its value")
        if bare:
            yield bare


def _box(words: list[str], name: str) -> DummynetObject:
    box = DummynetObject()
    words = list(reversed(words))

    def take_value(word: str) -> str:
        """Remove and return the next word, the value of `word`. Raises `DialectError` if there is none."""
        if not words:
            raise DialectError(f"{name}: {word} has no value")
        return words.pop()

    while words:
        word = words.pop()
        match word.lower():
            case "pipe" | "sched" | "flowset" as kind:
                number = take_value(word)
                if not number.isdecimal():
                    raise DialectError(f"{name}: {word} {number}: expected a number")
                box.attached_to = ("pipe" if kind == "pipe" else "sched", int(number))
            case "type":
                box.scheduler_type = take_value(word).lower()
                if box.scheduler_type not in TYPES:
                    raise DialectError(f"{name}: no scheduler {box.scheduler_type}; supported: {', '.join(TYPES)}")
                if box.scheduler_type in AQMS:
                    box.aqm_settings = _parameters(words, box.scheduler_type, name)
            case "red" | "gred" as aqm:
                box.aqm, box.aqm_settings = aqm, _red(word, take_value(word), name)
                if words and words[-1] in ("ecn", "noecn"):
                    box.aqm_settings["ecn"] = FLAGS[words.pop()][1]
            case "codel" | "pie" as aqm:
                box.aqm, box.aqm_settings = aqm, _parameters(words, aqm, name)
            case "droptail":
                box.aqm, box.aqm_settings = "", {}
            case "noerror":
                pass
            case "mask":
                box.settings["mask"] = _mask(words, name)
            case key:
                entry = find_key(OBJECT_KEYS, {"bandwidth": "bw"}.get(key, key), name)
                if entry.name in box.settings:
                    raise DialectError(f"{name}: {entry.name} is given twice")
                box.settings[entry.name] = take_value(word)
    return box


def _red(word: str, value: str, name: str) -> dict[str, str]:
    parts = value.split("/")
    if len(parts) != 4 or not all(
        re.fullmatch(r"(?:\d++(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d{1,3})?", part) for part in parts
    ):
        raise DialectError(f"{name}: {word} {value}: expected w_q/min_th/max_th/max_p")
    return dict(zip(("w_q", "min_th", "max_th", "max_p"), parts, strict=True))


def _parameters(words: list[str], aqm: str, name: str) -> dict[str, str]:
    """The words after an AQM, which all belong to it."""
    settings: dict[str, str] = {}
    keys = AQMS[aqm][1]
    while words:
        word = words.pop().lower()
        if word in FLAGS and any(key.name == FLAGS[word][0] for key in keys):
            settings[FLAGS[word][0]] = FLAGS[word][1]
            continue
        find_key((key for key in keys if key.name not in {"ecn", "capdrop", "drand", "onoff", "delay"}), word, aqm)
        if word in settings:
            raise DialectError(f"{name}: {word} is given twice")
        if not words:
            raise DialectError(f"{name}: {word} has no value")
        settings[word] = words.pop()
    return settings


def _mask(words: list[str], name: str) -> str:
    fields = []
    while words and words[-1] in (*_MASKS, "all", "queue"):
        word = words[-1]
        if word == "queue":
            break
        fields.append(words.pop())
        if word != "all":
            if not words:
                raise DialectError(f"{name}: mask {word} has no value")
            fields.append(words.pop())
    if not fields:
        raise DialectError(f"{name}: mask without a field; expected one of {', '.join(_MASKS)}, all")
    return " ".join(fields)


def _commands_of_output(lines: list[str]) -> Iterator[str]:
    """`ipfw pipe show`, `queue show` and `sched show` as commands that would configure the same."""
    commands: dict[tuple[str, int], str] = {}
    last: tuple[str, int] | None = None
    link = 0
    configured: list[str] = []
    for line in lines:
        if _CONFIG.match(line):  # shown again, but rounded
            configured.append(line)
        elif shown := _PRINTED_OLD_PIPE.match(line):
            commands["pipe", int(shown[1])] = (
                f"{_shown_rate(shown[2])} delay {shown[3]} queue "
                f"{shown[4]}{_UNITS[shown[5]]}{' plr ' + shown[6] if shown[6] else ''}{_shown_aqm(shown[7])}"
            )
        elif shown := _SHOWN_LINK.match(line):
            link = int(shown[1])
            burst = f" burst {shown[4]}" if shown[4] not in (None, "0") else ""
            commands["pipe", link] = f"{_shown_rate(shown[2])} delay {shown[3]}{burst}"
        elif shown := _SHOWN_SET.match(line):
            number, sched = int(shown[1]), int(shown[5])
            inner = number > _BASE
            last = ("pipe", link) if inner else ("queue", number)
            above = "" if inner else f" sched {sched} weight {shown[6]}"
            size = f" queue {shown[2]}{_UNITS[shown[3]]}"
            loss = f" plr {shown[4]}" if shown[4] else ""
            commands[last] = f"{commands.get(last, '')}{size}{loss}{above}{_shown_aqm(shown[9])}"
        elif shown := _SHOWN_SCHED.match(line):
            last = ("sched", int(shown[1]))
            if last[1] <= _BASE:
                commands[last] = f" pipe {link or last[1]} type {shown[2]}"
            else:
                last = None
        elif re.match(r"^(?:AQM|RED|GRED|FQ_CODEL|FQ_PIE)\b", line) and last is not None:
            commands[last] += _shown_aqm(line) if not line.startswith("FQ_") else f" {_plain(line.split()[1:])}"
        elif not _SHOWN_OTHERS.match(line):
            raise DialectError(f"{line[:60]}: not a line of ipfw pipe show")
    for (kind, number), words in commands.items():
        yield f"{kind} {number} config {words}"
    yield from configured


def _shown_rate(text: str) -> str:
    return "" if text == "unlimited" else f" bw {text.replace(' ', '')}"


def _shown_aqm(text: str) -> str:
    words = text.split()
    if not words or words[0] == "droptail":
        return ""
    if words[0] in ("RED", "GRED"):
        numbers = dict(zip(words[1::2], words[2::2], strict=False))
        ecn = " ecn" if words[-1].upper() == "ECN" else ""
        return f" {words[0].lower()} " + "/".join(
            numbers.get(name, "") for name in ("w_q", "min_th", "max_th", "max_p")
        ) + ecn  # fmt: skip
    return f" {_plain(words[1:] if words[0] == 'AQM' else words)}"


def _plain(words: list[str]) -> str:
    return " ".join(words).lower()
