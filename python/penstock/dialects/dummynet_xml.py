"""The limiters in `config.xml` of pfSense and OPNsense as the commands that these systems give to dummynet.

Sources: shaper.inc of pfSense (build_rules), and OPNsense's template of dnctl.conf.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from penstock.dialects.conversion import DialectError, escape_line_breaks

__all__ = ["commands_from_xml", "is_xml"]

_AQM_KEYS = {
    "codel": ("target", "interval"),
    "pie": ("target", "tupdate", "alpha", "beta", "max_burst", "max_ecnth"),
    "fq_codel": ("target", "interval", "quantum", "limit", "flows"),
    "fq_pie": ("target", "tupdate", "alpha", "beta", "max_burst", "max_ecnth", "quantum", "limit", "flows"),
}
_RED_DEFAULTS = {"w_q": "1", "min_th": "0", "max_th": "1", "max_p": "1"}
"""The values that pfSense uses for empty fields of RED."""
_PIE_FLAGS = {"pie_onoff": ("onoff", ""), "pie_capdrop": ("capdrop", "nocapdrop"), "pie_qdelay": ("ts", "dre"),
          "pie_pderand": ("drand", "nodrand")}  # fmt: skip


def is_xml(text: str) -> bool:
    """Whether a text is a configuration file, or a part of one."""
    return re.match(r"\s*<[?\w]", text) is not None


def commands_from_xml(text: str) -> tuple[str, dict[str, int]]:
    """The commands for enabled limiters, and the number of each limiter by its name.

    Raises `DialectError` for a file without limiters.
    """
    if "<!" in re.sub(r"<!\[CDATA\[.*?\]\]>|<!--.*?-->", "", text, flags=re.DOTALL):
        raise DialectError("declarations <!...> are not read: delete them")
    try:
        root = ElementTree.fromstring(f"<all>{re.sub(r'<[?].*?[?]>', '', text)}</all>")
    except ElementTree.ParseError as error:
        raise DialectError(f"not XML: {error}; paste the whole element <dnshaper> or <TrafficShaper>") from None
    names: dict[str, int] = {}
    opnsense = [*root.iter("pipe")]
    limiters = [
        element
        for element in [*root.findall("queue"), *root.findall(".//dnshaper/queue")]
        if element.find("bandwidth") is not None
    ]
    disabled: list[str] = []
    lines: list[str] = []
    for element in limiters or [pipe for pipe in opnsense if pipe.find("number") is not None]:
        name = _text(element, "name") or _text(element, "description")
        if _text(element, "enabled") not in ("on", "1"):
            disabled.append(name)
            continue
        names[name or _text(element, "number")] = _number(element)
        lines += _pfsense_commands(element) if limiters else _opnsense_commands(element, root)
    if not lines:
        why = (
            f"all are disabled: {', '.join(disabled)}"
            if disabled
            else "there is neither <dnshaper> nor <TrafficShaper>"
        )
        raise DialectError(f"no limiter in config.xml: {why}")
    return "\n".join(lines), names


def _text(element: Element, name: str) -> str:
    return " ".join((element.findtext(name) or "").split())


def _number(element: Element) -> int:
    text = _text(element, "number")
    if not re.fullmatch(r"\d{1,5}", text):
        raise DialectError(
            f"limiter {escape_line_breaks(_text(element, 'name'))}: number {escape_line_breaks(text)}: "
            "expected a whole number"
        )
    return int(text)


def _words(element: Element, **words: str) -> str:
    """The words of dummynet for the fields that have a value, each followed by the value."""
    return "".join(f" {word} {value}" for field, word in words.items() if (value := _text(element, field)))


def _pfsense_commands(element: Element) -> Iterator[str]:
    number = _number(element)
    settings = _words(element, qlimit="queue", plr="plr", buckets="buckets", delay="delay")
    words = f"{_mask(element)}{_aqm(element, _text(element, 'aqm'), '')}"
    yield f"pipe {number} config bw {_bandwidth(element)}{settings}{words}"
    if scheduler := _text(element, "sched"):
        yield f"sched {number} config pipe {number}{_mask(element)}{_aqm(element, scheduler, 'type ')}"
    for queue in element.findall("queue"):
        if _text(queue, "enabled") == "on":
            settings = _words(queue, qlimit="queue", weight="weight", buckets="buckets")
            yield (f"queue {_number(queue)} config pipe {number}{settings}{_mask(queue)}"
                   f"{_aqm(queue, _text(queue, 'aqm'), '')}")  # fmt: skip


def _bandwidth(element: Element) -> str:
    items = element.findall("bandwidth/item")
    always = [item for item in items if _text(item, "bwsched") in ("", "none")]
    if len(items) != 1 and len(always) != 1:
        raise DialectError(f"limiter {_text(element, 'name')}: several bandwidths by schedule: keep one <item>")
    item = (always or items)[0]
    return f"{_text(item, 'bw') or '0'}{_text(item, 'bwscale')}{_words(item, burst='burst')}"


def _mask(element: Element) -> str:
    side = {"srcaddress": "src-ip", "dstaddress": "dst-ip"}.get(_text(element, "mask"))
    return f" mask {side}6 /128 {side} 0xffffffff" if side else ""


def _aqm(element: Element, name: str, kind: str) -> str:
    """The words of an AQM or scheduler; no words for drop-tail, which is pfSense's default."""
    if name in ("", "droptail"):
        return ""
    values = {key: _text(element, f"param_{name}_{key}") for key in (*_AQM_KEYS.get(name, ()), *_RED_DEFAULTS)}
    ecn = _text(element, "ecn") == "on"
    if name in ("red", "gred"):
        return (
            f" {name} {'/'.join(values[key] or usual for key, usual in _RED_DEFAULTS.items())}{' ecn' if ecn else ''}"
        )
    words = [f"{key} {values[key]}" for key in _AQM_KEYS.get(name, ()) if values[key]]
    if name in _AQM_KEYS:
        words.append("ecn" if ecn else "noecn")
    if "pie" in name:
        words += [on if _text(element, field) == "on" else off for field, (on, off) in _PIE_FLAGS.items()]
    return f" {kind}{' '.join(filter(None, [name, *words]))}"


def _opnsense_commands(element: Element, root: Element) -> Iterator[str]:
    number = _number(element)
    size = _text(element, "queue")
    size += _text(element, "queueMetric") if size and _text(element, "queueMetric") != "slots" else ""
    scheduler = _text(element, "scheduler") or "wf2q+"
    rate = f"{_text(element, 'bandwidth')}{_text(element, 'bandwidthMetric')}/s"
    settings = f"{' queue ' + size if size else ''}{_words(element, buckets='buckets', delay='delay')}"
    words = _opnsense_aqm(element, scheduler)
    yield f"pipe {number} config bw {rate}{settings}{_opnsense_mask(element)} type {scheduler}{words}"
    for queue in root.iter("queue"):
        if _text(queue, "enabled") == "1" and _text(queue, "pipe") == element.get("uuid"):
            settings = _words(queue, buckets="buckets", weight="weight")
            words = _opnsense_aqm(queue, "")
            yield f"queue {_number(queue)} config pipe {number}{settings}{_opnsense_mask(queue)}{words}"


def _opnsense_aqm(element: Element, scheduler: str) -> str:
    fair = scheduler == "fq_codel"
    if _text(element, "codel_enable") == "1" or fair:
        words = _words(element, codel_target="target", codel_interval="interval")
        words += " ecn" if _text(element, "codel_ecn_enable") == "1" else " noecn"
        fair_words = _words(element, fqcodel_quantum="quantum", fqcodel_limit="limit", fqcodel_flows="flows")
        return f"{words}{fair_words}" if fair else f" codel{words}"
    return " pie" if _text(element, "pie_enable") == "1" and scheduler != "fq_pie" else ""


def _opnsense_mask(element: Element) -> str:
    mask = _text(element, "mask")
    return "" if mask in ("", "none") else f" mask {mask} {'/128' if mask.endswith('6') else '/32'}"
