"""The commands in a pasted configuration of Cisco IOS, without prompts, banners and show commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from penstock.dialects.cisco_keys import ACTIONS

__all__ = ["CommandLine", "command_lines", "is_exec_command"]

_PROMPT = re.compile(r"^\s*[\w.-]+(?:\((config[\w-]*|[\w-]+)\))?[#>]\s*")
_BANNER = re.compile(r"^banner\s+\S+\s+(\^C|\S)(.*)$")
_MODES = ("interface", "policy-map", "class-map", "control-plane", "class")
_MIN_LETTERS = {"interface": 3, "policy-map": 6, "class-map": 6}
"""Number of letters that make an abbreviation unambiguous in configuration mode."""
_NEXT_WORDS = {
    "service-policy": ("output", "input"), "shape": ("average", "peak", "percent"),
    "bandwidth": ("percent", "remaining", "ratio"), "priority": ("percent", "level"),
    "random-detect": ("exponential-weighting-constant",),
}  # fmt: skip
"""Words that may follow a command. IOS accepts abbreviations of these words too."""
_COMMANDS = tuple(dict.fromkeys(key.name.split()[0] for key in ACTIONS))


@dataclass(frozen=True)
class CommandLine:
    """A command.

    Attributes:
        text: its words, without abbreviations.
        may_be_global: whether it may be a global command, because it is at the left margin after indented lines or
            a separator, or has the prompt of global configuration mode.

    """

    text: str
    may_be_global: bool


def is_exec_command(line: str) -> bool:
    """Whether a line is a command at the prompt outside configuration mode, such as `R1#show running-config`."""
    prompt = _PROMPT.match(line)
    if prompt is None or prompt[1] is not None:
        return False
    word = line[prompt.end() :].partition(" ")[0]
    return word not in (*_MODES, *_COMMANDS, "no", "default")


def command_lines(text: str) -> Iterator[CommandLine]:
    """The commands of a text, without comments."""
    is_indented = is_separated = False
    banner = ""
    for line in text.splitlines():
        if banner:
            banner = "" if banner in line else banner
            continue
        if opened := _BANNER.match(line):
            banner = "" if opened[1] in opened[2] else opened[1]
            continue
        prompt = _PROMPT.match(line)
        bare = line[prompt.end() :].strip() if prompt else line.strip()
        if not bare or is_exec_command(line) or bare.startswith(("!", "Enter configuration commands")):
            is_separated |= bare.startswith("!")
            continue
        if prompt:
            yield CommandLine(_unabbreviated(bare), prompt[1] == "config")
            continue
        at_margin = not line[0].isspace()
        yield CommandLine(_unabbreviated(bare), at_margin and (is_indented or is_separated))
        is_indented = not at_margin
        is_separated = False


def _unabbreviated(line: str) -> str:
    """A command without abbreviations: `int g0/1`, `service-policy out WAN`, `bandw rem perc 30`."""
    words = line.split()
    word = words[0]
    for mode, letters in _MIN_LETTERS.items():
        if len(word) >= letters and mode.startswith(word):
            return " ".join([mode, *words[1:]])
    if word not in (*_COMMANDS, *_MODES, "match") and len(word) > 3:
        full = [command for command in _COMMANDS if command.startswith(word)]
        words[0] = full[0] if len(full) == 1 else word
    names = _NEXT_WORDS.get(words[0], ())
    for at in range(1, len(words) - 1):
        full = [name for name in names if name.startswith(words[at].lower())]
        if len(full) == 1 and words[at] not in names:
            words[at] = full[0]
    return " ".join(words) if names or words[0] != word else line
