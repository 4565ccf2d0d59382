"""Queues of Linux' `tc` without classes: a line of settings, by the table of `tc_table`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from penstock.aqms.catalog import find_scheme
from penstock.dialects.conversion import Conversion, ConversionContext, DialectError, convert_limit
from penstock.dialects.tc_cake import convert_limit_to_bytes, read_cake
from penstock.dialects.tc_dualpi2 import derive_gains, read_dualpi2
from penstock.dialects.tc_keys import GivenKey, Key, KeyEffect, Qdisc
from penstock.dialects.tc_lines import TcObject
from penstock.dialects.tc_quantities import SIXTEENTHS
from penstock.dialects.tc_red import marks_end_at_max, read_red, red_option_words
from penstock.dialects.tc_table import QUEUES
from penstock.dialects.value_kinds import format_number
from penstock.units import format_time, parse_time

__all__ = ["KINDS", "is_same_value", "read", "read_options", "write"]

KINDS = tuple(QUEUES)
"""Names of the queues."""

_RED = ("red", "choke")


def read(line: TcObject, facts: ConversionContext) -> Conversion:
    """The settings of the queue on a line of tc."""
    return read_options(line.kind, line.words, facts, is_printed=line.is_printed)


def read_options(kind: str, words: Sequence[str], facts: ConversionContext, *, is_printed: bool = False) -> Conversion:
    """The settings of a queue's options, with Linux's defaults for those that are left out.

    tc prints `ecn` where it is on; `noecn` turns it off.
    """
    qdisc = QUEUES[kind]
    conversion = Conversion(qdisc.scheme, {} if kind in _RED else qdisc.defaults)
    if is_printed and "ecn" in conversion.parameters and "ecn" in qdisc.keys_by_word:
        conversion.parameters["ecn"] = False
    special: dict[str, str] = {}
    order: list[GivenKey] = []
    for item in qdisc.parse_words(words, is_printed=is_printed):
        if isinstance(item, str):
            conversion.lost_settings.append(f"{item}: unknown option of {kind}")
            continue
        order.append(item)
        key, text = item.key, item.text
        if key.effect is KeyEffect.APPLIED and key.parameter and key.quantity is not None:
            conversion.parameters[key.parameter] = key.parse_value(text)
        elif key.effect is KeyEffect.APPLIED and key.parameter:
            conversion.parameters[key.parameter] = key.flag_value
        elif key.effect is KeyEffect.APPLIED or key.word == "bandwidth":
            special[key.word] = text
        elif key.effect is KeyEffect.LOST:
            _lose(item, conversion)
    conversion.parameters = {name: value for name, value in conversion.parameters.items() if value is not None}
    _read_special(kind, order, special, conversion, facts)
    return conversion


def _lose(item: GivenKey, conversion: Conversion) -> None:
    if item.key.quantity is not None:
        item.key.parse_value(item.text)
    if not (item.key.is_neutral and item.key.is_default(item.text)):
        conversion.lost_settings.append(item.loss_line)


def _read_special(
    kind: str, order: Sequence[GivenKey], special: dict[str, str], conversion: Conversion, facts: ConversionContext
) -> None:
    """Apply rules that involve several keys of a kind."""
    if kind in _RED:
        read_red(kind, special, conversion, facts)
    elif kind == "cake":
        read_cake(order, conversion)
    elif kind == "dualpi2":
        read_dualpi2(order, special, conversion)
    elif kind == "fq":
        buckets = conversion.parameters["buckets"]
        conversion.notes.append(f"fq has one queue per flow; with {buckets} buckets, collisions in sfq are rare")
        conversion.lost_settings.append("pacing, and priority of new flows: here senders pace their packets themselves")


def write(scheme: str, parameters: dict[str, Any], facts: ConversionContext) -> Conversion:
    """A queue of tc and its options. Raises `DialectError` if tc has no such queue."""
    kinds = [kind for kind, qdisc in QUEUES.items() if qdisc.scheme == scheme]
    if not kinds:
        raise DialectError(f"tc has no {scheme}")
    kind = kinds[0]
    if kind == "pfifo" and str(parameters.get("limit", "")).endswith("B"):
        kind = "bfifo"
    qdisc, conversion = QUEUES[kind], Conversion(scheme, dict(parameters))
    written = {"variant", *_fixed(qdisc, conversion)}
    words: list[str] = []
    if kind in _RED:
        words += red_option_words(kind, conversion, facts)
        written |= _SAID_OF_RED
    elif kind == "cake":
        convert_limit_to_bytes(conversion, facts)
    else:
        convert_limit(conversion, facts, in_packets=kind != "bfifo")
    if kind == "dualpi2":
        derive_gains(conversion)
    if kind == "sfq":
        _settle_sfq(conversion)
    words += _words(qdisc, conversion, written)
    if kind == "red" and marks_end_at_max(parameters):
        words.append("harddrop")
    _note_variant(conversion)
    conversion.text = " ".join([kind, *words])
    return conversion


def _settle_sfq(conversion: Conversion) -> None:
    """Limits per flow and on the number of flows that Linux's sfq always has, tc-sfq(8)."""
    limit = conversion.parameters.get("limit")
    if limit is None:
        return
    held = round(float(str(limit).removesuffix("p")))
    bounded = min(max(held, 2), SFQ_MOST)
    if bounded != held:
        conversion.notes.append(f"limit = {bounded} packets instead of {held}: sfq of Linux has 2 to {SFQ_MOST}")
        conversion.parameters["limit"] = f"{bounded}p"
    if "flows" not in conversion.parameters and bounded > SFQ_FLOWS:
        conversion.parameters["flows"] = bounded
    if "depth" not in conversion.parameters and bounded > SFQ_DEPTH:
        conversion.lost_settings.append(
            f"a flow that fills the queue: sfq of Linux has at most {SFQ_DEPTH} packets per flow"
        )


SFQ_MOST, SFQ_FLOWS, SFQ_DEPTH = 65535, 128, 127
"""Maximum number of packets of sfq, and its defaults for the number of flows and of packets per flow."""

_SAID_OF_RED = {"limit", "min_th", "max_th", "w_q", "spacing", "measure_in", "mean_packet", "mark_up_to", "gentle"}
_SAID_OF_RED |= {"guards"}


def _words(qdisc: Qdisc, conversion: Conversion, written: set[str]) -> list[str]:
    """The keys of the given parameters, and of parameters whose default here differs from Linux's.

    Parameters that have no key are listed as missing.
    """
    flags = {key.parameter for key in qdisc.keys if key.quantity is None and key.parameter}
    words: list[str] = []
    values = {**_unlike(qdisc, conversion, written), **conversion.parameters}
    for key in qdisc.keys:
        if key.parameter not in values or key.parameter in written - flags:
            continue
        value = values[key.parameter]
        if key.quantity is None:
            is_on = value == key.flag_value and key.group != "rtt keyword"
            words += [key.word] if is_on and not (key.parameter == "delay" and value == "timestamp") else []
        elif value not in (None, "auto"):
            words += _valued(key, value, conversion)
    known = {key.parameter for key in qdisc.keys} | written
    conversion.lost_settings += [
        f"{name} = {value}" for name, value in conversion.parameters.items() if name not in known
    ]
    return words


def _valued(key: Key, value: Any, conversion: Conversion) -> list[str]:
    assert key.quantity is not None
    text = key.nearest_accepted_text(value)
    if key.quantity.unit == "Hz" and key.is_default(format_number(float(value))):
        return []  # the kernel's default is more exact than multiples of 1/256
    _note_rounded(key, value, text, conversion)
    return [key.word, text]


def _unlike(qdisc: Qdisc, conversion: Conversion, written: set[str]) -> dict[str, Any]:
    """Defaults of the scheme that differ from Linux's, if the parameter is not given."""
    ours = {param.name: param.default for param in find_scheme(qdisc.scheme).params}
    return {
        key.parameter: ours[key.parameter]
        for key in qdisc.keys
        if key.quantity is not None and key.default and ours.get(key.parameter) not in (None, "auto")
        and key.parameter not in conversion.parameters and key.parameter not in written
        and key.quantity.write(ours[key.parameter]) != key.quantity.write(key.quantity.read(key.default))
    }  # fmt: skip


def _fixed(qdisc: Qdisc, conversion: Conversion) -> set[str]:
    """Parameters that are fixed in this queue of Linux; other values are listed."""
    fixed = {name: value for name, value in qdisc.fixed.items() if name not in ("variant", "range", "buckets")}
    if qdisc.kind in ("cake", "dualpi2"):
        fixed["ecn"] = True
    for name, value in fixed.items():
        if conversion.parameters.get(name, value) != value:
            conversion.lost_settings.append(
                f"{name} = {conversion.parameters[name]}: {qdisc.kind} of Linux has {value}"
            )
    return set(fixed)


def _note_variant(conversion: Conversion) -> None:
    """List how another variant of an AQM differs from Linux's."""
    scheme = find_scheme(conversion.scheme)
    default = next((param.default for param in scheme.params if param.name == "variant"), "linux")
    variant = conversion.parameters.get("variant", default)
    if variant == "linux" or conversion.scheme not in ("pie", "fq-pie", "codel", "fq-codel"):
        return
    if conversion.scheme in ("codel", "fq-codel"):
        conversion.notes.append(
            f"variant = {variant}: the arithmetic of Linux differs a little; variant=linux simulates it"
        )
        return
    idle = ", which is inactive until the queue fills a third of its limit" if variant == "extended" else ""
    if conversion.parameters.get("activation") == "off":
        idle = ""
    conversion.lost_settings.append(f"variant = {variant}{idle}: Linux has another PIE; variant=linux simulates it")


def _note_rounded(key: Key, given: Any, text: str, conversion: Conversion) -> None:
    """Note the parameters for which tc has no number."""
    kind = key.quantity
    assert kind is not None
    if not kind.representable_values or is_same_value(kind.read(text), given):
        return
    if kind is SIXTEENTHS:
        conversion.notes.append(
            f"{key.word} = {text} sixteenths instead of {format_number(16 * given)}: tc has {kind.representable_values}"
        )
    elif kind.unit in ("time", "milliseconds", "seconds"):
        conversion.notes.append(
            f"{key.word} = {kind.read(text)} instead of {_shown(given)}: tc has {kind.representable_values}"
        )
    else:
        conversion.notes.append(f"{key.word} = {text} instead of {_shown(given)}: tc has {kind.representable_values}")


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return format_time(value["ns"])
    return format_number(float(value)) if isinstance(value, (int, float)) else str(value)


def is_same_value(one: Any, other: Any) -> bool:
    """Whether two values of a parameter are equal in any notation."""
    if isinstance(other, Mapping):
        other = f"{other['ns']}ns"
    if isinstance(other, (int, float)) and isinstance(one, (int, float)):
        return abs(one - other) <= 1e-9 * max(1.0, abs(other))
    if isinstance(other, (int, float)):
        return float(str(one).rstrip("pB")) == float(other)
    try:
        return parse_time(one) == parse_time(other)
    except ValueError:
        return True
