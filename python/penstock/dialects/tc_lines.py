"""The lines of a text of `tc`, each with its place in the tree of queues and classes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from penstock.dialects.conversion import DialectError

__all__ = ["Line", "identifier", "lines_of"]

_VERBS = {"add", "replace", "change", "show", "ls"}
_PLACES = {"dev", "parent", "handle", "classid", "refcnt", "leaf"}
_STATISTICS = re.compile(
    r"Sent |backlog |lended: |tokens: |rate \S+ \d+pps|filter .* chain 0( fh \w+: ht divisor \d+)?$"
)
_ID = re.compile(r"[0-9a-f]*:[0-9a-f]*")


@dataclass
class Line:
    """A line of tc.

    Attributes:
        subject: "qdisc", "class" or "filter".
        kind: of the queue, of the class, or of the filter.
        at: its place: "handle", "classid", "parent", "dev".
        words: its options.
        text: as given.
        printed: whether tc prints a queue so, and not whether it takes it so: without a verb, with a handle.

    """

    subject: str
    text: str
    kind: str = ""
    at: dict[str, str] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    printed: bool = False

    @property
    def id(self) -> str:
        """The class, or the queue as its parent is named by others: `1:10`, `1:0`."""
        return identifier(self.at.get("classid") or self.at.get("handle") or "")

    @property
    def parent(self) -> str:
        """The class or queue above; empty at the root."""
        return identifier(self.at.get("parent", ""))


def identifier(text: str) -> str:
    """A handle in one form: `1:` and `1:0` are the same, numbers are hexadecimal.

    >>> identifier("1:"), identifier("0001:0A"), identifier("")
    ('1:0', '1:a', '')
    """
    major, colon, minor = text.lower().partition(":")
    try:
        return f"{int(major or '0', 16):x}:{int(minor or '0', 16):x}" if colon else ""
    except ValueError:
        raise DialectError(f"{text} is not a handle of tc such as 1: or 1:10") from None


def lines_of(text: str) -> list[Line]:
    """The lines; a queue may stand alone, without `tc qdisc`."""
    found: list[Line] = []
    for raw in re.split(r"[\n;]", re.sub(r"\\\s*\n", " ", text.replace("\\ ", " "))):
        plain = re.sub(r"^\s*#\s*(?=tc\s)", "", raw)
        words = plain.split()
        if not words or words[0].startswith("#") or _STATISTICS.match(plain.strip()):
            continue
        if found and plain[0].isspace() and words[0] in ("vq", "DP", "match"):
            found[-1].words += words
        else:
            found.append(_line(words, plain.strip()))
    return found


def _line(words: Sequence[str], text: str) -> Line:
    rest = [word for word in words if word not in ("tc", "sudo")]
    while rest and re.fullmatch(r"-[a-z]+|/?\w*/s?bin/tc", rest[0]):
        rest = rest[1:]
    named = rest[0] if rest and rest[0] in ("qdisc", "class", "filter") else ""
    line = Line(named or "qdisc", text)
    rest = rest[1:] if named else rest
    while rest:
        word = rest[0]
        if word in _PLACES and len(rest) > 1 and not (line.subject == "filter" and word == "handle"):
            line.at[word] = rest[1]
            rest = rest[2:]
        elif word == "root" or (word in _VERBS and not line.kind):
            rest = rest[1:]
        elif _ID.fullmatch(word) and line.kind:
            line.at["classid" if line.subject == "class" else "handle"] = word
            rest = rest[1:]
        elif line.subject == "filter" and word in ("protocol", "prio", "pref", "preference", "chain", "fh"):
            line.at["pref" if word in ("prio", "preference") else word] = rest[1] if len(rest) > 1 else ""
            rest = rest[2:]
        elif not line.kind:
            line.kind, rest = word, rest[1:]
        else:
            break
    line.words = list(rest)
    line.printed = named == "qdisc" and len(words) > 2 and bool(_ID.fullmatch(words[2]))
    return line
