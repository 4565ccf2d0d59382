"""Converts the output of `show policy-map` and `show policy-map interface` to the configuration that it shows.

Counters are omitted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from penstock.dialects.cisco_lines import is_exec_command
from penstock.dialects.conversion import DialectError

__all__ = ["configuration_from_output"]

_POLICY = re.compile(r"^(\s*)Service-policy(?: (output|input))?\s*:\s*(\S+)(?:\s+\(\d+\))?\s*$")
_CLASS = re.compile(r"^(\s*)Class-map:\s*(\S+)\s*\((match-all|match-any)\)")
_INTERFACE = re.compile(r"^\s*((?:[A-Z][A-Za-z-]*)[\d/.:]+)\s*(?:\(.*\))?\s*$")
_ROW = re.compile(
    r"^(?P<name>\d+|[a-z]{1,7}\d{0,2}|rsvp)(?:\s+\((?:\d+)\))?\s+(?:\d+\s*/\s*\d+\s+){2,4}"
    r"(?P<low>\d+)\s+(?P<high>\d+)\s+1/(?P<share>\d+)"
)
_MAP = re.compile(r"^\s*Policy Map (\S+)\s*$")
_MAP_CLASS = re.compile(r"^Class (\S+)$")
_MAP_ROW = re.compile(r"^(\S+)(?:\s+\(\d+\))?\s+(\d+)\s+(\d+)\s+1/(\d+)$")
_COUNTERS = re.compile(
    r"^(?:\d+ packets\b.*|.*offered rate|\(?(?:queue depth|pkts|total|pkts output|depth)\b.*|queue stats.*|Queueing$|"
    r"Output Queue.*|Conversation.*|Mean queue depth.*|mean queue depth.*|target shape rate.*|"
    r"Weighted Fair Queueing$|Priority Level: \d+$|dscp\s+Transmitted.*|class\s+(?:Transmitted|Random).*|"
    r"(?:precedence|prec)\s+Transmitted.*|pkts/bytes.*|Packets marked.*|"
    r"conformed .*|exceeded .*|violated .*|conform .*|transmit$|drop$|set-\S+.*|"
    r"(?:cir|pir|rate) \d+.*|(?:ip )?(?:dscp|precedence) \S+$|(?:flowchart|Exp-weight).*\bflow\b.*|queue size .*|"
    r"Fair-queue: per-flow queue limit.*|Maximum Number of Hashed Queues.*|\d+ (?:minute|second) .*|"
    r"Target/Average.*|Rate\s+Limit.*|\d+/\d+\s.*|Random-detect.*|\*.*)$"
)


def configuration_from_output(text: str) -> str:
    """The text itself if it is a configuration, else the configuration that the output shows."""
    lines = [line for line in text.splitlines() if not is_exec_command(line)]
    if "Class-map:" in text:
        return "\n".join(_Output(lines).configuration_lines())
    return "\n".join(_policy_maps(lines)) if any(_MAP.match(line) for line in lines) else text


class _Output:
    """Lines of output with the policy maps to which they belong by indentation."""

    def __init__(self, lines: list[str]) -> None:
        self.source = lines
        self.policies: dict[str, list[str]] = {}
        self.class_maps: list[str] = []
        self.interfaces: list[str] = []
        self.stack: list[tuple[int, str]] = []
        self.inside = ""
        self.priority_limit = ""
        self.is_strict = False

    def configuration_lines(self) -> Iterator[str]:
        """The lines of the configuration that the output of `show policy-map interface` shows."""
        for line in self.source:
            self._read(line)
        yield from self.class_maps
        for name, lines in self.policies.items():
            yield f"policy-map {name}"
            yield from lines
        yield from self.interfaces

    def _read(self, line: str) -> None:
        bare = line.strip()
        if not bare:
            return
        if match := _POLICY.match(line):
            self._policy(len(match[1]), match[2], match[3])
        elif match := _CLASS.match(line):
            while len(self.stack) > 1 and self.stack[-1][0] >= len(match[1]):
                self.stack.pop()
            self._here().append(f"class {match[2]}")
            self.inside, self.is_strict = match[2], False
            if match[2] != "class-default" and f"class-map {match[3]} {match[2]}" not in self.class_maps:
                self.class_maps.append(f"class-map {match[3]} {match[2]}")
        elif self.stack:
            self._setting(bare)
        elif (match := _INTERFACE.match(line)) is not None:
            self.interfaces.append(f"interface {match[1]}")

    def _policy(self, indent: int, direction: str | None, name: str) -> None:
        if direction is None and self.stack:
            while len(self.stack) > 1 and self.stack[-1][0] >= indent:
                self.stack.pop()
            self._here().append(f"service-policy {name}")
        else:
            self.stack = []
            if direction == "input":
                name = f"{name}-input"
            self.interfaces.append(f"service-policy {direction or 'output'} {name}")
        self.stack.append((indent, name))
        self.policies.setdefault(name, [])
        self.inside = ""

    def _here(self) -> list[str]:
        if not self.stack:
            raise DialectError("Class-map: before any Service-policy:")
        return self.policies[self.stack[-1][1]]

    def _setting(self, bare: str) -> None:
        if match := re.match(r"^Match:\s*(.+)$", bare):
            if self.inside not in ("", "class-default"):
                places = [
                    at
                    for at, text in enumerate(self.class_maps)
                    if re.match(rf"class-map \S+ {re.escape(self.inside)}$", text)
                ]
                self.class_maps.insert(places[0] + 1, "match " + re.sub(r"\s*\(\d+\)", "", match[1]))
            return
        if bare == "Strict Priority":
            self.is_strict = True
            return
        commands = self._priority(bare) if self.is_strict else None
        commands = _command(bare) if commands is None else commands
        if commands is None:
            raise DialectError(f"{bare[:60]}: not a line of show policy-map interface")
        if self.inside:
            self._here().extend(commands)
            if any(command.startswith("priority") for command in commands) and self.priority_limit:
                self._here().append(self.priority_limit)
        elif commands and commands[0].startswith("queue-limit"):
            # Lines below "queue stats for all priority classes".
            self.priority_limit = commands[0]

    def _priority(self, bare: str) -> list[str] | None:
        """The rate of a class below Strict Priority, as older releases print it."""
        match = re.match(r"^Bandwidth (\d+) \((%|kbps)\)(?: Burst (\d+) \(Bytes\))?", bare)
        if match is None:
            return None
        burst = f" {match[3]}" if match[3] and match[2] == "kbps" else ""
        return [f"priority {'percent ' if match[2] == '%' else ''}{match[1]}{burst}"]


def _command(bare: str) -> list[str] | None:
    """The commands that a line shows; an empty list for a counter; None for any other line."""
    if match := re.match(r"^queue limit (\d+)(?: (packets|bytes|ms|us))?(?:\s*/\s*\d+ (?:packets|bytes|ms|us))?", bare):
        return [f"queue-limit {match[1]} {match[2] or 'packets'}"]
    if match := re.match(r"^bandwidth remaining (?:ratio )?(\d+)\s*(%?)", bare):
        return [f"bandwidth remaining {'percent' if match[2] else 'ratio'} {match[1]}"]
    if match := re.match(r"^[Bb]andwidth (remaining )?(\d+)\s*\(?(%|kbps)\)?(.*)$", bare):
        kind = "percent " if match[3] == "%" else ""
        limit = re.search(r"Max Threshold (\d+) \((packets|bytes)\)", match[4])
        return [f"bandwidth {match[1] or ''}{kind}{match[2]}"] + (
            [f"queue-limit {limit[1]} {limit[2]}"] if limit else []
        )
    if re.match(r"^[Pp]olice:?$", bare):
        return ["police"]
    if bare == "QoS Set":
        return ["set"]
    if match := re.match(r"^Priority: (?:(\d+)% \()?(\d+)\s*kbps\)?(?:, burst bytes (\d+))?", bare):
        return [f"priority {match[2]}" + (f" {match[3]}" if match[3] else "")]
    if bare.startswith("Priority: Strict"):
        return ["priority"]
    if match := re.match(r"^shape \((average|peak)\) cir (\d+)(?:, bc (\d+))?", bare):
        is_default = match[3] is None or int(match[3]) * 250 == int(match[2])  # 4 ms at the rate
        return [f"shape {match[1]} {match[2]}" + ("" if is_default else f" {match[3]}")]
    if match := re.match(r"^Exp-weight-constant: (\d+)", bare, re.IGNORECASE):
        return ["random-detect", f"random-detect exponential-weighting-constant {match[1]}"]
    if match := re.match(r"^exponential weight:? (\d+)", bare, re.IGNORECASE):
        return ["random-detect", f"random-detect exponential-weighting-constant {match[1]}"]
    if match := _ROW.match(bare):
        field = "precedence" if re.fullmatch(r"[0-7]", match["name"]) else "dscp"
        if match["name"] == "rsvp":
            return []
        return [f"random-detect {field} {match['name']} {match['low']} {match['high']} {match['share']}"]
    if re.match(r"^(?:Fair-queue|Flow Based Fair Queueing)", bare):
        return ["fair-queue"]
    return [] if _COUNTERS.match(bare) else None


def _policy_maps(lines: list[str]) -> Iterator[str]:
    """The configuration that `show policy-map` shows."""
    field, is_strict = "dscp", False
    for line in lines:
        bare = " ".join(line.split())
        if match := _MAP.match(line):
            yield f"policy-map {match[1]}"
        elif match := _MAP_CLASS.match(bare):
            is_strict = False
            yield f" class {match[1]}"
        elif match := re.match(r"^(dscp|class|precedence|prec) min-threshold", bare):
            field = "dscp" if match[1] == "dscp" else "precedence"
        elif match := _MAP_ROW.match(bare):
            yield f"  random-detect {field} {' '.join(match.groups())}"
        elif match := re.match(r"^(?:[\w-]+ wred, )?exponential weight (\d+)", bare):
            yield "  random-detect" + ("" if field == "precedence" else " dscp-based")
            yield f"  random-detect exponential-weighting-constant {match[1]}"
        elif bare == "Strict Priority":
            is_strict = True
        elif match := re.match(r"^cir (\d+)(%| \(bps\))", bare):
            yield f"  shape average {'percent ' if match[2] == '%' else ''}{match[1]}"
        elif not re.match(
            r"^$|^-+$|^(?:\S+(?: \(\d+\))? )- - |.*Rate Traffic Shaping$|(?:conform|exceed|violate)", bare
        ):
            yield f"  {_class_command(bare, is_strict=is_strict)}"


def _class_command(bare: str, *, is_strict: bool) -> str:
    """A command of a class as it is configured: `bandwidth 30 (%)` is `bandwidth percent 30`."""
    if re.match(r"^Flow[ -][Bb]ased Fair Queueing", bare):
        return "fair-queue"
    bare = re.sub(r" Max Threshold .*", "", bare[:1].lower() + bare[1:])
    if is_strict:
        bare = re.sub(r"^bandwidth", "priority", re.sub(r" burst (\d+) \(bytes\)", r" \1", bare, flags=re.IGNORECASE))
    bare = re.sub(r" \(kbps\)", "", bare)
    return re.sub(r"^(.*?) (\d+) \(%\)", r"\1 percent \2", bare)
