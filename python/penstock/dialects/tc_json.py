"""Converts the output of `tc -json` to the words that tc prints without `-json`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from penstock.dialects.conversion import DialectError
from penstock.dialects.tc_keys import Key
from penstock.dialects.tc_netem import option_words_from_json
from penstock.dialects.tc_quantities import Quantity
from penstock.dialects.tc_table import QUEUES

__all__ = ["is_json", "parse_objects"]

_RATES = {"rate", "ceil", "peakrate", "maxrate", "bandwidth", "low_rate_threshold"}
"""Numbers that are bytes per second."""

_STATISTICS = {"bytes", "packets", "drops", "overlimits", "requeues", "backlog", "qlen", "stats", "tins", "rate", "pps"}
_PLACES = {"kind", "handle", "dev", "root", "parent", "refcnt", "options", "stab", "class", "leaf", "classid",
           "protocol", "pref", "chain", "ingress_block", "egress_block", "offloaded", "deleted"}  # fmt: skip


def is_json(text: str) -> bool:
    """Whether a text is output of `tc -json`."""
    return re.match(r"\s*(?:\{|\[\s*[\[{\]])", text) is not None


def parse_objects(text: str) -> list[dict[str, Any]]:
    """The objects in one or several JSON arrays of `tc -json`. Raises `DialectError`."""
    objects: list[dict[str, Any]] = []
    decoder, rest = json.JSONDecoder(), text.strip()
    try:
        while rest:
            tree, end = decoder.raw_decode(rest)
            objects += [
                _object(one) for one in (tree if isinstance(tree, list) else [tree]) if one and not _is_head(one)
            ]
            rest = rest[end:].strip()
    except (ValueError, RecursionError) as error:
        raise DialectError(f"not JSON of tc -json: {error}") from None
    return objects


def _is_head(one: Any) -> bool:
    """Whether an object is the head of a chain of filters, or of a hash table of u32."""
    if not isinstance(one, dict) or "protocol" not in one or "class" in one:
        return False
    options = one.get("options")
    return options is None or (isinstance(options, dict) and "ht_divisor" in options)


def _object(one: Any) -> dict[str, Any]:
    if not isinstance(one, dict):
        raise DialectError("tc -json prints objects in an array")
    options = one.get("options") or {}
    stab = one.get("stab") or {}
    if not isinstance(options, dict) or not isinstance(stab, dict):
        raise DialectError("options of tc -json are an object")
    subject = "class" if "class" in one else "filter" if "protocol" in one else "qdisc"
    kind = str(one.get("class") or one.get("kind") or "")
    places = {"class": "classid"}.get(subject, "handle")
    at = {name: str(one[name]) for name in ("dev", "parent", "leaf", "pref", "protocol") if name in one}
    if "handle" in one:
        at[places] = str(one["handle"])
    own = options
    if subject == "class":
        own = {name: value for name, value in one.items() if name not in _PLACES | _STATISTICS - {"rate"}} | options
    counters = {name: value for name, value in one.items() if name in _STATISTICS and subject != "class"}
    if isinstance(one.get("stats"), dict):
        counters |= one["stats"]
    counters |= {name: value for name, value in one.items() if name not in _PLACES | counters.keys()
                 and subject == "qdisc"}  # fmt: skip
    words = _filter_words(options) if subject == "filter" else [*_words(kind, own)]
    return {
        "subject": subject,
        "kind": kind,
        "at": at,
        "words": words,
        "counters": counters,
        "stab": [*_words("stab", stab)],
        "text": " ".join([subject, kind, str(one.get("handle", ""))]).strip(),
    }


def _words(kind: str, options: Mapping[str, Any]) -> Iterator[str]:
    keys = QUEUES[kind].keys_by_word if kind in QUEUES else {}
    for name, value in options.items():
        word = name if name in keys else name.replace("_", "-") if name.replace("_", "-") in keys else name
        if kind == "cake" and name in ("diffserv", "flowmode", "atm"):
            yield str(value)
        elif kind == "cake" and name == "ack-filter":
            yield {"enabled": "ack-filter", "aggressive": "ack-filter-aggressive"}.get(str(value), "no-ack-filter")
        elif value is None or value is False:
            yield from [f"no-{word}"] if f"no-{word}" in keys and kind == "cake" else []
        elif value is True:
            yield word
        elif isinstance(value, list):
            yield word
            yield from map(_text, value)
        elif isinstance(value, Mapping) and kind == "netem":
            yield from option_words_from_json(name, value)
        elif isinstance(value, Mapping):
            yield word
            yield from _words("", value)
        else:
            yield word
            yield _valued(word, value, keys.get(word))


def _valued(word: str, value: Any, key: Key | None) -> str:
    quantity = None if key is None else key.quantity
    is_rate = (isinstance(quantity, Quantity) and quantity.json == "bps") or word in _RATES
    return f"{_text(value)}bps" if is_rate and isinstance(value, (int, float)) else _text(value)


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.12g}"
    return str(value)


def _filter_words(options: Mapping[str, Any]) -> list[str]:
    """Options of a filter of u32 as tc prints them in words."""
    words: list[str] = []
    for name in ("flowid", "classid"):
        if name in options:
            words += ["flowid", str(options[name])]
    match = options.get("match")
    if isinstance(match, Mapping) and "value" in match:
        words += ["match", f"{match['value']!s:0>8}/{match.get('mask', '0')!s:0>8}", "at",
                  str(match.get("off", 0))]  # fmt: skip
    known = {"fh", "order", "key_ht", "bkt", "flowid", "classid", "not_in_hw", "in_hw", "match", "ht_divisor"}
    return words + [f"{name} {_text(value)}" for name, value in options.items() if name not in known]
