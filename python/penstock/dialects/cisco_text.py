"""A configuration of Cisco IOS as objects: class maps, policy maps with their classes, and interfaces.

Comments begin with `!`; `no` and `default` remove a line; modes follow from the commands, not from the indentation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from penstock.dialects.cisco_keys import ACTIONS, CODE_POINTS, code_point
from penstock.dialects.cisco_lines import command_lines
from penstock.dialects.conversion import DialectError
from penstock.dialects.keys import find_key, refuse_misspelt

__all__ = ["ClassMap", "Configuration", "Lines", "Policy", "read_configuration"]

_MODES = re.compile(r"^(?:no\s+)?(?:class-map|policy-map|interface|control-plane)\b", re.MULTILINE)
_NO_QUEUE_MAP = re.compile(r"^(?:class|policy)-map\s+type\s+(?!qos\b|queue?ing\b)")
"""Maps that do not queue, such as `policy-map type inspect` of a firewall."""
_XR_WORDS = ("end-class-map", "end-policy-map")
_CLASS_MAP = re.compile(r"^class-map(?:\s+type\s+\S+)?(?:\s+(match-all|match-any))?\s+(\S+)$")
_POLICY_MAP = re.compile(r"^policy-map(?:\s+type\s+\S+)?\s+(\S+)$")
_CLASS = re.compile(r"^class\s+(?:type\s+\S+\s+)?(\S+)$")
_OUTPUT = re.compile(r"^service-policy\s+(output|input)\s+(\S+)$")
_HARDWARE = ("tx-ring-limit", "tx-queue-limit", "hold-queue", "priority-group", "custom-queue-list")
_HARDWARE_QUEUES = ("srr-queue", "wrr-queue", "rcv-queue", "priority-queue", "queue-set")
_QUEUEING = ("service-policy", "bandwidth", "random-detect", "fair-queue")
IMPLICIT = ""
"""Name of the class of lines outside policy maps."""

Lines = list[list[str]]
"""The commands of a class, each as its words."""


@dataclass
class ClassMap:
    """A class map: packets of the class meet all of its conditions, or at least one if `matches_any`."""

    matches_any: bool
    conditions: Lines = field(default_factory=list)


Policy = dict[str, Lines]
"""The classes of a policy map in their order, with their commands."""
_NOTHING: Policy = {IMPLICIT: []}
"""An interface without its commands, which are all removed."""


@dataclass
class Configuration:
    """The class maps, policy maps and interfaces that a text configures.

    Attributes:
        class_maps: by name.
        policies: by name; those in no policy map have the name "".
        output_policies: name of the policy map of each interface.
        bandwidths: of the interfaces that have one, in bit/s.
        lost_settings: lines of interfaces that are not read.

    """

    class_maps: dict[str, ClassMap] = field(default_factory=dict)
    policies: dict[str, Policy] = field(default_factory=dict)
    output_policies: dict[str, str] = field(default_factory=dict)
    bandwidths: dict[str, float] = field(default_factory=dict)
    lost_settings: list[str] = field(default_factory=list)


def read_configuration(text: str) -> Configuration:
    """The objects of a configuration. Raises `DialectError` for a command that a class does not accept."""
    lines = [*command_lines(text)]
    reader = _Reader(has_modes=any(_MODES.match(line.text) for line in lines))
    for line in lines:
        reader.may_be_global = line.may_be_global
        reader.read(line.text)
    policies = reader.result.policies
    reader.result.policies = {name: own for name, own in policies.items() if name == IMPLICIT or own != _NOTHING}
    return reader.result


class _Reader:
    """Follows the modes of a configuration; without modes, all lines belong to one class."""

    def __init__(self, *, has_modes: bool) -> None:
        self.result = Configuration()
        self.has_modes = has_modes
        self.class_map: ClassMap | None = None
        self.policy: Policy | None = None
        self.lines: Lines | None = None
        self.interface: str | None = None
        self.place = "a class"
        self.may_be_global = False
        self.opened = "a map"
        if not has_modes:
            self.lines = []
            self.result.policies[IMPLICIT] = {IMPLICIT: self.lines}

    def read(self, line: str) -> None:
        """Process a line in the configuration mode set by the lines before it."""
        if line in ("end", "exit", "configure terminal", "conf t", "enable"):
            if line == "exit" and self.lines is not None and self.has_modes:
                self.lines = None
            elif line == "end" and self.has_modes:
                self._leave()
            return
        if line in _XR_WORDS:
            raise DialectError(
                f"{self.opened} ({line}): IOS XR is not read: paste the policy map in the words of IOS XE: class NAME, "
                "bandwidth or priority, queue-limit N packets, random-detect dscp POINT MIN MAX DENOMINATOR"
            )
        if self.has_modes and self._opens(line):
            return
        refuse_misspelt(line.split()[0], ("class-map", "policy-map", "interface"), "IOS")
        if self.has_modes and self._is_global_command(line):
            self._leave()
        elif self.lines is not None:
            _put(self.lines, line, self.place)
        elif self.class_map is not None:
            self._condition(line)
        elif self.interface is not None:
            self._of_interface(line)

    def _opens(self, line: str) -> bool:
        """Whether a line opens another mode, or removes an object."""
        maps, policies = self.result.class_maps, self.result.policies
        if line.startswith("no "):
            bare = line.removeprefix("no ")
            if match := _CLASS_MAP.match(bare):
                maps.pop(match[2], None)
            elif match := _POLICY_MAP.match(bare):
                policies.pop(match[1], None)
            elif (match := _CLASS.match(bare)) and self.policy is not None:
                self.policy.pop(match[1], None)
                self.lines = None
            elif bare.startswith("interface "):
                self._forget(bare)
            else:
                self._refuse_malformed(bare)
                return False
            return True
        if line.startswith("default interface "):
            self._forget(line.removeprefix("default "))
            return True
        if _NO_QUEUE_MAP.match(line):
            self._leave()
        elif match := _CLASS_MAP.match(line):
            self._leave()
            self.opened = line
            self.class_map = maps.setdefault(match[2], ClassMap(match[1] == "match-any"))
        elif match := _POLICY_MAP.match(line):
            self._leave()
            self.opened = line
            self.policy = policies.setdefault(match[1], {})
        elif (match := _CLASS.match(line)) and self.policy is not None:
            self.lines = self.policy.setdefault(match[1], [])
            self.place = f"class {match[1]}"
        elif line.startswith("interface "):
            self._leave()
            self.interface = line.removeprefix("interface ").replace(" ", "")
        elif line == "control-plane":
            self._leave()
        else:
            self._refuse_malformed(line)
            return False
        return True

    def _refuse_malformed(self, line: str) -> None:
        """Raise `DialectError` for a line that names a map or a class, and has other words too."""
        modes = ("class-map", "policy-map", "class") if self.policy is not None else ("class-map", "policy-map")
        if line.split()[0] in modes and not _NO_QUEUE_MAP.match(line):
            raise DialectError(
                f"{line}: expected class-map [match-all | match-any] NAME, policy-map NAME or class NAME"
            )

    def _is_global_command(self, line: str) -> bool:
        """Whether a line at the left margin is a global command, which leaves the mode of the lines before it."""
        word = line.removeprefix("no ").removeprefix("default ").split()[0]
        known = [key.name for key in ACTIONS] if self.lines is not None else ["match", "description"]
        if not self.may_be_global or word in known:
            return False
        refuse_misspelt(word, known, self.place if self.lines is not None else "a class map")
        return True

    def _forget(self, line: str) -> None:
        """Remove all commands of an interface."""
        self._leave()
        name = line.removeprefix("interface ").replace(" ", "")
        self.result.policies.pop(f"interface {name}", None)
        self.result.output_policies.pop(name, None)
        self.result.bandwidths.pop(name, None)
        self.result.lost_settings = [
            item for item in self.result.lost_settings if not item.startswith(f"interface {name} ")
        ]

    def _leave(self) -> None:
        self.class_map = self.policy = self.lines = self.interface = None

    def _condition(self, line: str) -> None:
        assert self.class_map is not None
        words = line.split()
        if words[0] == "match":
            self.class_map.conditions.append(words[1:])
        elif words[:2] == ["no", "match"]:
            self.class_map.conditions = [condition for condition in self.class_map.conditions if condition != words[2:]]
        elif words[0] != "description":
            raise DialectError(f"a class map has no {line}")

    def _of_interface(self, line: str) -> None:
        assert self.interface is not None
        words = line.split()
        is_removed = len(words) > 1 and words[0] in ("no", "default")
        bare = words[1:] if is_removed else words
        lost = self.result.lost_settings
        if bare[0] == "service-policy" and is_removed:
            if bare[1:2] == ["input"]:
                place = f"interface {self.interface} service-policy input"
                lost[:] = [item for item in lost if not item.startswith(place)]
            else:
                self.result.output_policies.pop(self.interface, None)
        elif (match := _OUTPUT.match(line)) is not None:
            if match[1] == "output":
                self.result.output_policies[self.interface] = match[2]
            else:
                lost.append(f"interface {self.interface} {line}: applies to arriving packets")
        elif bare[0] == "service-policy" and bare[1:2] != ["type"]:
            raise DialectError(f"interface {self.interface} {line}: expected service-policy output NAME")
        elif bare[0] == "bandwidth" and is_removed:
            self.result.bandwidths.pop(self.interface, None)
        elif bare[0] == "bandwidth" and len(bare) == 2 and bare[1].isdecimal():
            self.result.bandwidths[self.interface] = 1000.0 * int(bare[1][:12])
        elif bare[0] == "bandwidth" and bare[1:2] not in (["inherit"], ["receive"], ["qos-reference"]):
            raise DialectError(f"interface {self.interface} {line}: expected bandwidth KBPS")
        elif bare[0] in ("random-detect", "fair-queue"):
            own = self.result.policies.setdefault(f"interface {self.interface}", {IMPLICIT: []})
            _put(own[IMPLICIT], line, f"interface {self.interface}")
        elif bare[0] in _HARDWARE_QUEUES:
            lost.append(
                f"interface {self.interface} {line}: a hardware queue of the switch, which "
                "is not simulated: paste its limits as queue-limit N packets and random-detect in a class"
            )
        elif bare[0] in _HARDWARE:
            place = f"interface {self.interface} {bare[0]}"
            lost[:] = [item for item in lost if not item.startswith(place)]
            if not is_removed:
                lost.append(f"interface {self.interface} {line}: does not concern the queue of a policy map")
        else:
            refuse_misspelt(bare[0], _QUEUEING, f"interface {self.interface}")


def _put(lines: Lines, line: str, place: str) -> None:
    """Add a command to a class, or remove a command by its `no` form."""
    words = line.split()
    if words[0] in ("no", "default"):
        removed = words[1:]
        if not removed:
            raise DialectError(f"{line}: expected a command")
        find_key(ACTIONS, removed[0], place)
        if removed[0] in _OF_QUEUES and (word := _foreign(removed[1:])):
            raise DialectError(f'{place} {line}: IOS has no "{word}" here')
        removed = _numbered(removed)
        lines[:] = [command for command in lines if _numbered(command)[: len(removed)] != removed]
        return
    find_key(ACTIONS, words[0], place)
    lines.append(words)


_OF_QUEUES = ("bandwidth", "priority", "shape", "queue-limit", "random-detect", "fair-queue")
_REMOVED = re.compile(
    r"\d+(?:\.\d+)?[kmg%]?(?:bps)?|packets|bytes|ms|us|percent|remaining|ratio|average|peak|level|account|user-defined|"
    r"(?:dscp|prec|precedence)(?:-based)?|values|(?:min|max)imum-thresh|mark-prob|ecn|exponential-weighting-constant|"
    r"rsvp|clp|cos|discard-class|discard-class-based|(?:queue|individual|aggregate)-limit"
)


def _foreign(words: list[str]) -> str | None:
    """The first word of a `no` form that cannot be part of a command for a queue."""
    for word in words:
        if not _REMOVED.fullmatch(word) and word.lower() not in CODE_POINTS:
            return word
    return None


def _numbered(words: list[str]) -> list[str]:
    """The words of a line, with its code point or precedence as a number, which may be given by name."""
    if words[0] != "random-detect" or words[1:2] not in (["dscp"], ["precedence"], ["prec"]) or len(words) < 3:
        return words
    if words[2].lower() in ("values", "rsvp"):
        return words
    field_ = "dscp" if words[1] == "dscp" else "precedence"
    return [words[0], field_, str(code_point(words[2], field_)), *words[3:]]
