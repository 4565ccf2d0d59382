"""The page of tc's keys: default, range, translation and manual page of each key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from penstock.dialects.tc_keys import GREEDY, Key, KeyEffect, Qdisc
from penstock.dialects.tc_table import QUEUES
from penstock.dialects.tc_table_classes import ABSENT, CLASSES, PARENTS

__all__ = ["page"]

HEAD = """# Keys of tc

This page shows how [`penstock convert`](../howto/convert.md) and `--scheme 'tc: ...'` translate every key of tc's
queues. It is generated from the table of the reader. *Applied*: the key sets the parameter. *No effect*: the key
changes nothing in a simulation. *Listed*: penstock has no parameter for the effect of the key in Linux, and the output
names the key. In a command for tc, a word that is not on this page is rejected; in the output of tc, it is listed. An
omitted key has its default.
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
    yield from (f"## {qdisc.kind}", "", f"{qdisc.man_page}{scheme}.", "")
    yield from ("| key | value | default | becomes | |", "| --- | --- | --- | --- | --- |")
    for keys in _alike(qdisc.keys):
        first = keys[0]
        words = ", ".join(f"`{word}`" for key in keys for word in (key.word, *key.other_spellings))
        defaults = ", ".join(f"`{key.default}`" for key in keys if key.default)
        yield f"| {words} | {_value(first)} | {defaults} | {_becomes(first)} | {first.reason} |"
    yield ""


def _alike(keys: Sequence[Key]) -> Iterator[list[Key]]:
    """The keys of each row: flags that set the same parameter share a row, every other key has its own row."""
    rows: list[list[Key]] = []
    for key in keys:
        last = rows[-1][0] if rows else None
        if last is not None and key.quantity is None and key.parameter and key.parameter == last.parameter:
            rows[-1].append(key)
        else:
            rows.append([key])
    yield from rows


def _value(key: Key) -> str:
    if key.quantity is None:
        return {0: "", 1: "one", GREEDY: "several"}.get(key.arity, str(key.arity))
    within = f", {key.range[0]:g} to {key.range[1]:g}" if key.range else ""
    return f"{key.quantity.unit}{within}"


def _becomes(key: Key) -> str:
    if key.effect is KeyEffect.APPLIED:
        return f"`{key.parameter}`" if key.parameter else "applied"
    return str(key.effect.value)
