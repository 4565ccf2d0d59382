"""ns-3's queue discs: `ns3::RedQueueDisc[MinTh=5|MaxTh=15]`, C++ that sets their attributes, or a config store.

A text without an attribute means ns-3's initial value (`ns3_keys`). RED's thresholds have the unit of MaxSize; in bytes
the drop probability grows with the packet. Like ns-2's, ns-3's RED waits between drops (`Wait`).
"""

from __future__ import annotations

import math
import re
from typing import Any

from penstock.aqms.catalog import find_scheme
from penstock.dialects.conversion import Conversion, ConversionContext, DialectError, convert_limit, escape_line_breaks
from penstock.dialects.keys import Key, apply_keys, select_object
from penstock.dialects.ns3_code import QueueSettings, read_code
from penstock.dialects.ns3_keys import DISCS, FLAG, parse_data_rate, parse_queue_size
from penstock.dialects.value_kinds import format_number, round_to_12_digits
from penstock.errors import did_you_mean
from penstock.units import parse_time

__all__ = ["read", "write"]

_OLD_SIZES = ("QueueLimit", "MaxPackets", "MaxBytes", "PacketLimit", "Limit")
"""Names of MaxSize up to ns-3.29; `Mode` chose the unit."""

_STORED = re.compile(r'(?:--|^\s*default\s+)ns3::(\w+)::(\w+)(?:=|\s+)"?([^"\s]*)"?', re.MULTILINE)
_NO_DEFAULT = re.compile(
    r'^[ \t]*default[ \t]+(?!:)(?!ns3::\w+::\w+[ \t]+(?:"[^"\n]*"|\S+)[ \t]*$).*ns3::.*$', re.MULTILINE
)
"""A line of a config store that is not in its form."""
_BRACKET = re.compile(r"^\s*(?:ns3::)?(\w+)(?:<\w+>)?\s*(?:\[(.*)\])?\s*$", re.DOTALL)


def read(text: str, facts: ConversionContext) -> Conversion:
    """The settings of the queue disc in a text."""
    setup = _setup(text)
    name, settings = _chosen(setup, facts)
    if name not in DISCS:
        raise DialectError(f'no queue disc "{name}"{did_you_mean(name, DISCS)}; supported: {", ".join(DISCS)}')
    scheme, keys = DISCS[name]
    result = Conversion(scheme, {}, notes=[*setup.notes])
    settings = _current(settings)
    apply_keys(result, keys, settings, name)
    if name == "RedQueueDisc":
        _settle_red(result, settings)
    _settle(result, settings)
    if setup.rate is not None:
        result.rate = parse_data_rate(setup.rate)
    result.lost_settings += [f"{path}: not a setting of the queue" for path in setup.others]
    result.lost_settings += setup.unattributed_settings
    return result


def _setup(text: str) -> QueueSettings:
    bracket = _BRACKET.match(text)
    if bracket and (bracket[2] is not None or ";" not in text):
        settings: dict[str, str] = {}
        for item in filter(str.strip, (bracket[2] or "").split("|")):
            name, sign, value = (part.strip() for part in item.partition("="))
            if not sign:
                raise DialectError(f'"{name}": expected NAME=VALUE')
            if name in settings:
                raise DialectError(f"{name} is given twice")
            settings[name] = value.strip('"')
        return QueueSettings(objects=[(bracket[1], settings)])
    if wrong := _NO_DEFAULT.search(text):
        raise DialectError(f'{escape_line_breaks(wrong[0].strip())}: expected default ns3::CLASS::ATTRIBUTE "VALUE"')
    stored = _STORED.findall(text)
    if stored:
        setup = QueueSettings()
        for owner, name, value in stored:
            setup.defaults.setdefault(owner, {})[name] = value
        return setup
    return read_code(text)


def _chosen(setup: QueueSettings, facts: ConversionContext) -> tuple[str, dict[str, str]]:
    """The class and settings of the queue that a program installs, else of the only one whose defaults it sets."""
    discs = [(name, own) for name, own in setup.objects if name.endswith("Disc")] or setup.objects
    names = list(dict.fromkeys(name for name, _ in discs)) or [name for name in setup.defaults if name]
    names = [name for name in names if name.endswith("QueueDisc")] or names
    if not names:
        raise DialectError("expected a queue disc, such as ns3::RedQueueDisc[MinTh=5|MaxTh=15]")
    name, _ = select_object(dict.fromkeys(names), facts, "queue discs")
    own = [settings for owner, settings in discs if owner == name] or [{}]
    if any(settings != own[0] for settings in own):
        raise DialectError(f"several {name} with different attributes; keep one in the text")
    for owner, settings in (*setup.objects, *setup.defaults.items()):
        if owner not in (name, "") and settings:
            setup.others += [f"ns3::{owner}::{key} = {value}" for key, value in settings.items()]
    return name, {**setup.defaults.get("", {}), **setup.defaults.get(name, {}), **own[0]}


def _current(settings: dict[str, str]) -> dict[str, str]:
    """The settings with MaxSize instead of the names that ns-3 used before 3.30."""
    kept = {name: value for name, value in settings.items() if name not in (*_OLD_SIZES, "Mode")}
    mode = settings.get("Mode", "")
    for name in _OLD_SIZES:
        by_mode = "B" if "BYTES" in mode.upper() else "p"
        unit = "B" if name == "MaxBytes" else "p" if name in ("MaxPackets", "PacketLimit") else by_mode
        fits = not (name == "MaxBytes" and by_mode == "p" and mode) and not (name == "MaxPackets" and by_mode == "B")
        if name in settings and fits:
            kept["MaxSize"] = f"{settings[name]}{unit}"
    if mode and "MaxSize" not in kept:
        raise DialectError(f"Mode {mode} without a size: give MaxSize")
    return kept


def _settle_red(result: Conversion, settings: dict[str, str]) -> None:
    """RED's thresholds in their unit, automatic values, and the adaptive forms."""
    values = result.parameters
    bandwidth, mean = values.pop("rate"), float(values["mean_packet"][:-1])
    link_delay, target, interval = (
        parse_time(values.pop(name)) / 1e9 for name in ("link_delay", "target_delay", "interval")
    )
    top, bottom, alpha, beta = (values.pop(name) for name in ("max_p_high", "max_p_low", "alpha", "beta"))
    feng = {"alpha": values.pop("feng_alpha"), "beta": values.pop("feng_beta")}
    ared, adapts, by_feng = (_is_set(settings, name) for name in ("ARED", "AdaptMaxP", "FengAdaptive"))
    values.pop("scheme")
    capacity = bandwidth / (8 * mean)
    if ared:
        values |= {"w_q": 0.0, "min_th": 0.0, "max_th": 0.0}
    in_bytes = values["limit"].endswith("B")
    if values["min_th"] == 0 and values["max_th"] == 0:
        low = max(5.0, target * capacity / 2) * (mean if in_bytes else 1)
        values |= {"min_th": round_to_12_digits(low), "max_th": round_to_12_digits(3 * low)}
        result.notes.append(
            f"MinTh, MaxTh automatic: {format_number(low)} and {format_number(3 * low)}, by LinkBandwidth"
        )
    if values["w_q"] in (0, -1, -2):
        seconds = {0: 1.0, -1: 10 * max(0.1, 3 * (link_delay + 1 / capacity)), -2: 0.1}[values["w_q"]]
        values["w_q"] = float(f"{-math.expm1(-1 / (capacity * seconds)):.6g}")
        result.notes.append(f"QW automatic: {format_number(values['w_q'])} by LinkBandwidth")
    if in_bytes:
        values |= {"measure_in": "bytes", "scale_by_size": "p_a"}
        values |= {name: f"{round(values[name])}B" for name in ("min_th", "max_th")}
        result.notes.append("thresholds are bytes, as MaxSize is")
    is_hard = values.pop("mark_up_to")
    if values["ecn"]:
        values["mark_up_to"] = "max_th" if is_hard else "always"
    if "LinkBandwidth" in settings:
        result.rate = bandwidth
    else:
        result.notes.append(
            "LinkBandwidth is not set: ns-3 computes idle times with 1.5 Mbit/s, penstock with the link's rate"
        )
    if by_feng:
        result.scheme = "ared-feng"
        values |= feng
    elif ared or adapts:
        result.scheme = "ared-floyd"
        values |= {"alpha": alpha, "beta": beta, "interval": f"{round(1000 * interval)}ms"}
        values |= {"max_p_low": bottom or 0.01, "max_p_high": top}


def _is_set(settings: dict[str, str], name: str) -> bool:
    return bool(FLAG.read(settings.get(name, "false")))


def _settle(result: Conversion, settings: dict[str, str]) -> None:
    """Settings that a scheme here needs in addition to the attributes."""
    values = result.parameters
    if result.scheme == "pie":
        values |= {"variant": "basic", "activation": "off"}
    if result.scheme == "fq-pie":
        values |= {"variant": "basic", "activation": "off", "overflow": "fattest"}
    if result.scheme in ("pie", "fq-pie"):
        result.notes.append("PIE follows RFC 8033 with the options that are set; it is active from the start")
    if result.scheme in ("fq-codel", "fq-pie") and "Quantum" not in settings:
        result.notes.append("the quantum is the MTU of the device, taken as 1500 B")
    if result.scheme == "shaper":
        values["rate"] = f"{round(values['rate'])}bit"


def write(scheme: str, parameters: dict[str, Any], facts: ConversionContext) -> Conversion:
    """The factory text of a queue disc."""
    name = next((disc for disc, (own, _) in DISCS.items() if own == scheme), None)
    if name is None:
        raise DialectError(f"ns-3 has no {scheme}")
    result = Conversion(scheme, dict(parameters))
    convert_limit(result, facts, in_packets=False)
    values = result.parameters
    keys = {key.name: key for key in DISCS[name][1] if key.is_applied and key.default}
    written = {key.counterpart for key in keys.values()}
    texts: dict[str, str] = {}
    if scheme == "red":
        written |= _write_red(result, facts, texts)
    if scheme in ("pie", "fq-pie"):
        written |= _write_pie(result)
    usual = {param.name: param.default for param in find_scheme(scheme).params}
    pairs = []
    for key in keys.values():
        text = texts.get(key.name) or _text(key, values, usual)
        if text is not None:
            pairs.append(f"{key.name}={text}")
    result.lost_settings += [
        f"{name} = {value}" for name, value in values.items() if name not in written and value != usual.get(name)
    ]
    result.text = f"ns3::{name}[{'|'.join(pairs)}]"
    return result


def _text(key: Key, values: dict[str, Any], usual: dict[str, Any]) -> str | None:
    """The text of an attribute that is given, or whose default differs from ns-3's; None to leave it out."""
    if key.value_kind is None or (key.counterpart not in usual and key.counterpart not in values):
        return None
    value = values.get(key.counterpart, usual.get(key.counterpart))
    if value is None or (isinstance(value, str) and value in ("auto", "inf")):
        return None
    if key.counterpart in ("scheme", "rate") and key.counterpart not in values:
        return None
    text = key.value_kind.write(value)
    is_default = key.default != "" and key.parse_value(key.default) == key.parse_value(text)
    return text if key.counterpart in values or not is_default else None


def _write_red(result: Conversion, facts: ConversionContext, texts: dict[str, str]) -> set[str]:
    """Thresholds and weight of RED; the names of the parameters that are written."""
    values = result.parameters
    written = {"measure_in", "scale_by_size", "mark_up_to"}
    in_bytes = values.get("measure_in") == "bytes"
    limit = values.get("limit")
    mean = float(str(values.get("mean_packet", "1000B")).removesuffix("B"))
    if in_bytes and limit is not None and not str(limit).endswith("B"):
        values["limit"] = f"{round(float(str(limit).removesuffix('p')) * mean)}B"
    elif limit is not None and not in_bytes and str(limit).endswith("B"):
        values["limit"] = f"{max(1, round(parse_queue_size(str(limit))[0] / facts.packet))}p"
        result.notes.append(f"limit = {values['limit']}: MaxSize has the unit of the thresholds")
    for name, word, usual in (("min_th", "MinTh", 5), ("max_th", "MaxTh", 15)):
        value = values.get(name, usual)
        if value == "auto":
            texts[word] = "0"
        elif isinstance(value, str) and value.endswith("B"):
            texts[word] = format_number(parse_queue_size(value)[0] / (1 if in_bytes else facts.packet))
        else:
            texts[word] = format_number(float(str(value).removesuffix("p")) * (mean if in_bytes else 1))
    w_q = values.get("w_q", "auto")
    if isinstance(w_q, str):
        texts["QW"] = {"auto": "0", "auto_rtt": "-1", "auto_fast": "-2"}[w_q]
    if isinstance(w_q, str) or "auto" in (values.get("min_th"), values.get("max_th")):
        if facts.rate is None:
            result.notes.append("set LinkBandwidth: ns-3 computes automatic values from it")
        else:
            texts["LinkBandwidth"] = f"{round(facts.rate)}bps"
    if values.get("ecn"):
        texts["UseHardDrop"] = "false" if values.get("mark_up_to") == "always" else "true"
    if values.get("spacing", "wait") not in ("wait", "no_wait"):
        result.lost_settings.append(f"spacing = {values.pop('spacing')}")
    return written


def _write_pie(result: Conversion) -> set[str]:
    values = result.parameters
    variant = values.get("variant", "extended" if result.scheme == "pie" else "linux")
    usual = {"basic": "off"}.get(variant, "on")
    for name in ("cap_drop", "derandomization"):
        if values.get(name, "auto") == "auto":
            values[name] = usual
    starts = values.get("activation", "auto")
    if variant != "basic":
        result.lost_settings.append(f"variant = {variant}: ns-3's PIE follows RFC 8033, appendix A, with options")
    if starts == "on" or (starts == "auto" and variant == "extended"):
        result.lost_settings.append("activation: ns-3 starts PIE by a delay, not from a third of the limit on")
    return {"variant", "activation", "overflow"}
