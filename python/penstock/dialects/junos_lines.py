"""Splits pasted text of Junos into parts, each with its hierarchy level, and removes prompts and banners.

It reads transcripts, `show | compare`, and the output of `show class-of-service drop-profile`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from penstock.dialects.conversion import DialectError

__all__ = ["ConfigurationPart", "split_into_parts"]

_PROMPT = re.compile(r"^\s*[\w.-]+@[\w.-]+([#>%])\s*(.*)$")
_BANNER = re.compile(r"^\s*(?:\{[\w:-]+\})?\s*\[edit\b([^\]]*)\]\s*$")
_NODE = re.compile(r"^\s*\{[\w:-]+\}\s*$")
_EDITS = ("set", "deactivate", "activate", "delete", "edit", "top", "up", "exit")
_PROFILE = re.compile(r"^\s*Drop profile: (\S+), Type: (\w+), Index: \d+\s*$")


@dataclass
class ConfigurationPart:
    """Lines below one hierarchy level.

    Attributes:
        hierarchy_level: words of the level.
        lines: without prompts.

    """

    hierarchy_level: tuple[str, ...] = ()
    lines: list[str] = field(default_factory=list)


def split_into_parts(text: str) -> list[ConfigurationPart]:
    """The parts of a text: each has the output of one `show`, or configuration commands."""
    if any(_PROFILE.match(line) for line in text.splitlines()):
        return [ConfigurationPart((), _profile_configuration(text.splitlines()))]
    parts = [ConfigurationPart()]
    level: tuple[str, ...] = ()
    for line in text.splitlines():
        if banner := _BANNER.match(line):
            level = tuple(banner[1].split())
            parts.append(ConfigurationPart(level))
        elif prompt := _PROMPT.match(line):
            words = prompt[2].partition("|")[0].split()
            if words[:1] == ["show"]:
                own = words[2:] if words[1:2] == ["configuration"] else words[1:]
                parts.append(ConfigurationPart((*(level if prompt[1] == "#" else ()), *own)))
            elif words and words[0] in _EDITS and words[:2] != ["exit", "configuration-mode"]:
                parts[-1].lines.append(prompt[2])
        elif not _NODE.match(line):
            parts[-1].lines.append(line)
    for part in parts:
        part.lines = _with_changes(part.lines)
    return [part for part in parts if any(line.strip() for line in part.lines)]


def _with_changes(lines: list[str]) -> list[str]:
    """The configuration after the changes that `show | compare` lists; other lines are returned unchanged."""
    bare = [line for line in lines if line.strip()]
    if not any(line.startswith("+") for line in bare) or not all(line[0] in "+-! " for line in bare):
        return lines
    return [line[1:] for line in bare if not line.startswith("-")]


def _profile_configuration(lines: list[str]) -> list[str]:
    """The configuration of printed drop profiles, without the default profile."""
    profiles: dict[str, tuple[str, list[tuple[str, str]]]] = {}
    name = ""
    for line in lines:
        if match := _PROFILE.match(line):
            name = match[1]
            profiles[name] = (match[2], [])
        elif (match := re.fullmatch(r"\s*(\d+)\s+(\d+)\s*", line)) and name:
            profiles[name][1].append((match[1], match[2]))
        elif name and re.match(r"\s*\d", line):
            raise DialectError(f"drop profile {name}: {line.strip()}: expected a fill level and a drop probability")
    texts = []
    for name, (kind, points) in profiles.items():
        if kind == "interpolated":
            levels, shares = (" ".join(point[place] for point in points) for place in (0, 1))
            texts.append(f"{name} {{ interpolate {{ fill-level [ {levels} ]; drop-probability [ {shares} ]; }} }}")
        elif not name.startswith("<"):
            body = " ".join(f"fill-level {level} drop-probability {share};" for level, share in points)
            texts.append(f"{name} {{ {body} }}")
    return ["drop-profiles {", *texts, "}"]
