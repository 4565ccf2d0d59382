"""Texts for tc made from the table of its keys: valid lines, and lines that someone has damaged."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from hypothesis import strategies as st
from penstock.dialects.tc_keys import GREEDY, Key, KeyEffect
from penstock.dialects.tc_table import QUEUES

__all__ = ["KINDS", "lines", "random_line", "value_of"]

KINDS = ("pfifo", "bfifo", "codel", "fq_codel", "pie", "fq_pie", "sfq", "sfb", "cake", "dualpi2")
"""Kinds whose keys each stand alone: the weight of red and choke follows from several, and fq is read as sfq."""

VALUES: Mapping[str, Callable[[random.Random], str]] = {
    "packets": lambda rng: str(rng.randint(2, 5000)),
    "number": lambda rng: str(rng.randint(2, 100)),
    "bytes": lambda rng: rng.choice([str(rng.randint(300, 9000)), f"{rng.randint(300, 9000)}b"]),
    "time": lambda rng: rng.choice([f"{rng.randint(1, 400)}ms", f"{rng.randint(1, 9)}.5ms",
                                    f"{rng.randint(100, 90000)}us", f"{rng.randint(1, 300)}msecs"]),
    "rate": lambda rng: rng.choice([f"{rng.randint(1, 900)}mbit", f"{rng.randint(100, 9000)}kbit",
                                    f"{rng.randint(1, 90)}mbps", f"{rng.randint(1, 90)}mibit"]),
    "sixteenths of 1/s": lambda rng: str(rng.randint(0, 32)),
    "Hz": lambda rng: str(rng.randint(1, 2560) / 256),
    "percent": lambda rng: str(rng.randint(1, 99)),
    "packets per second": lambda rng: str(rng.randint(1, 1000)),
    "seconds": lambda rng: str(rng.randint(1, 600)),
    "milliseconds": lambda rng: str(rng.randint(1, 60000)),
}  # fmt: skip
"""Values by their unit."""


def value_of(kind: str, key: Key, rng: random.Random) -> str | None:
    """A legal value of a key; None for a flag."""
    if kind == "sfb":
        special = {"increment": "0.01", "decrement": "0.001", "db": str(rng.randint(1, 60000)), "rehash": "600000",
                   "target": str(rng.randint(2, 19)), "max": str(rng.randint(20, 60))}  # fmt: skip
        if key.word in special:
            return special[key.word]
    if key.word == "divisor":
        return str(2 ** rng.randint(1, 16))
    if key.quantity is None:
        return None if key.arity == 0 else " ".join("7" for _ in range(abs(key.arity)))
    if key.range is not None:
        low, high = (round(bound) for bound in key.range)
        return str(rng.randint(max(low, 0), min(high, 250)))
    return VALUES[key.quantity.unit](rng)


def random_line(rng: random.Random, kind: str) -> str:
    """A line with some of the keys of a kind in any order; those that exclude each other do not meet."""
    table = QUEUES[kind]
    keys = [key for key in table.keys if key.effect is not KeyEffect.LOST and key.arity != GREEDY]
    keys = [key for key in keys if key.word not in ("max_rtt", "typical_rtt", "total_overhead", "hard_header_len")]
    rng.shuffle(keys)
    words, seen = [kind], set[str]()
    for key in keys[: rng.randint(0, 7)]:
        names = {key.group or key.word, key.parameter or key.word}
        if names & seen:
            continue
        seen |= names
        value = value_of(kind, key, rng)
        words += [key.word] if value is None else [key.word, value]
    return " ".join(words)


def lines() -> st.SearchStrategy[tuple[str, str]]:
    """A kind of queue and a line for it."""

    def made(kind: str, seed: int) -> tuple[str, str]:
        return kind, random_line(random.Random(seed), kind)

    return st.builds(made, st.sampled_from(KINDS), st.integers(0, 2**32))
