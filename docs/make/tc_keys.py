"""The page of tc's keys: each with its default, its range, what becomes of it, and the manual page that says so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from penstock.dialects.tc_keys import GREEDY, Fate, Key, Qdisc
from penstock.dialects.tc_table import QUEUES
from penstock.dialects.tc_table_classes import ABSENT, CLASSES, PARENTS

__all__ = ["page"]

HEAD = """# Keys of tc

What [`penstock convert`](../howto/convert.md) and `--scheme 'tc: ...'` make of every key of tc's queues, from the table
that the reader uses. *applied*: it sets the parameter. *no effect*: it changes nothing in a simulation. *listed*: it
changes something in Linux for which penstock has no parameter, and the output says so. A word that is not here is
refused in a line for tc, and listed in what tc prints. A key that is left out has its default.
"""


def page() -> str:
    """The page."""
    lines = [HEAD]
    for qdisc in (*QUEUES.values(), *PARENTS.values(), *CLASSES.values()):
        if qdisc.keys:
            lines += _section(qdisc)
    lines += ["## Queues that are not read", "", "| kind | what it does |", "| --- | --- |"]
    lines += [f"| `{kind}` | {why} |" for kind, why in ABSENT.items()]
    return "\n".join(lines) + "\n"


def _section(qdisc: Qdisc) -> Iterator[str]:
    scheme = f", read as `{qdisc.scheme}`" if qdisc.scheme else ""
    yield from (f"## {qdisc.kind}", "", f"{qdisc.man}{scheme}.", "")
    yield from ("| key | value | default | becomes | |", "| --- | --- | --- | --- | --- |")
    for keys in _alike(qdisc.keys):
        first = keys[0]
        words = ", ".join(f"`{word}`" for key in keys for word in (key.word, *key.also))
        defaults = ", ".join(f"`{key.default}`" for key in keys if key.default)
        yield f"| {words} | {_value(first)} | {defaults} | {_becomes(first)} | {first.why} |"
    yield ""


def _alike(keys: Sequence[Key]) -> Iterator[list[Key]]:
    """Flags that set the same parameter in one row, any other key in one of its own."""
    rows: list[list[Key]] = []
    for key in keys:
        last = rows[-1][0] if rows else None
        if last is not None and key.kind is None and key.parameter and key.parameter == last.parameter:
            rows[-1].append(key)
        else:
            rows.append([key])
    yield from rows


def _value(key: Key) -> str:
    if key.kind is None:
        return {0: "", 1: "one", GREEDY: "several"}.get(key.arity, str(key.arity))
    within = f", {key.range[0]:g} to {key.range[1]:g}" if key.range else ""
    return f"{key.kind.unit}{within}"


def _becomes(key: Key) -> str:
    if key.fate is Fate.APPLIED:
        return f"`{key.parameter}`" if key.parameter else "applied"
    return str(key.fate.value)
