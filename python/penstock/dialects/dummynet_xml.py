"""The limiters in `config.xml` of pfSense and OPNsense as the commands that these systems give to dummynet.

Sources: shaper.inc of pfSense (build_rules), and OPNsense's template of dnctl.conf.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from penstock.dialects.conversion import DialectError, one_line

__all__ = ["commands_of_xml", "is_xml"]

_KEYS = {
    "codel": ("target", "interval"),
    "pie": ("target", "tupdate", "alpha", "beta", "max_burst", "max_ecnth"),
    "fq_codel": ("target", "interval", "quantum", "limit", "flows"),
    "fq_pie": ("target", "tupdate", "alpha", "beta", "max_burst", "max_ecnth", "quantum", "limit", "flows"),
}
_RED = {"w_q": "1", "min_th": "0", "max_th": "1", "max_p": "1"}
"""The values that pfSense has for an empty field of RED."""
_FLAGS = {"pie_onoff": ("onoff", ""), "pie_capdrop": ("capdrop", "nocapdrop"), "pie_qdelay": ("ts", "dre"),
          "pie_pderand": ("drand", "nodrand")}  # fmt: skip


def is_xml(text: str) -> bool:
    """Whether a text is a configuration file, or a part of one."""
    return re.match(r"\s*<[?\w]", text) is not None


def commands_of_xml(text: str) -> tuple[str, dict[str, int]]:
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
        one for one in [*root.findall("queue"), *root.findall(".//dnshaper/queue")] if one.find("bandwidth") is not None
    ]
    off: list[str] = []
    lines: list[str] = []
    for one in limiters or [pipe for pipe in opnsense if pipe.find("number") is not None]:
        name = _text(one, "name") or _text(one, "description")
        if _text(one, "enabled") not in ("on", "1"):
            off.append(name)
            continue
        names[name or _text(one, "number")] = _number(one)
        lines += _of_pfsense(one) if limiters else _of_opnsense(one, root)
    if not lines:
        why = f"all are disabled: {', '.join(off)}" if off else "there is neither <dnshaper> nor <TrafficShaper>"
        raise DialectError(f"no limiter in config.xml: {why}")
    return "\n".join(lines), names


def _text(one: Element, name: str) -> str:
    return " ".join((one.findtext(name) or "").split())


def _number(one: Element) -> int:
    text = _text(one, "number")
    if not re.fullmatch(r"\d{1,5}", text):
        raise DialectError(f"limiter {one_line(_text(one, 'name'))}: number {one_line(text)}: expected a whole number")
    return int(text)


def _words(one: Element, **words: str) -> str:
    """The words of the fields that have a value, each after its own word of dummynet."""
    return "".join(f" {word} {value}" for field, word in words.items() if (value := _text(one, field)))


def _of_pfsense(one: Element) -> Iterator[str]:
    number = _number(one)
    settings = _words(one, qlimit="queue", plr="plr", buckets="buckets", delay="delay")
    yield f"pipe {number} config bw {_bandwidth(one)}{settings}{_mask(one)}{_aqm(one, _text(one, 'aqm'), '')}"
    if scheduler := _text(one, "sched"):
        yield f"sched {number} config pipe {number}{_mask(one)}{_aqm(one, scheduler, 'type ')}"
    for queue in one.findall("queue"):
        if _text(queue, "enabled") == "on":
            settings = _words(queue, qlimit="queue", weight="weight", buckets="buckets")
            yield (f"queue {_number(queue)} config pipe {number}{settings}{_mask(queue)}"
                   f"{_aqm(queue, _text(queue, 'aqm'), '')}")  # fmt: skip


def _bandwidth(one: Element) -> str:
    items = one.findall("bandwidth/item")
    always = [item for item in items if _text(item, "bwsched") in ("", "none")]
    if len(items) != 1 and len(always) != 1:
        raise DialectError(f"limiter {_text(one, 'name')}: several bandwidths by schedule: keep one <item>")
    item = (always or items)[0]
    return f"{_text(item, 'bw') or '0'}{_text(item, 'bwscale')}{_words(item, burst='burst')}"


def _mask(one: Element) -> str:
    side = {"srcaddress": "src-ip", "dstaddress": "dst-ip"}.get(_text(one, "mask"))
    return f" mask {side}6 /128 {side} 0xffffffff" if side else ""


def _aqm(one: Element, name: str, kind: str) -> str:
    """The words of an AQM or scheduler, in whose place its name may be that of pfSense's default."""
    if name in ("", "droptail"):
        return ""
    values = {key: _text(one, f"param_{name}_{key}") for key in (*_KEYS.get(name, ()), *_RED)}
    ecn = _text(one, "ecn") == "on"
    if name in ("red", "gred"):
        return f" {name} {'/'.join(values[key] or usual for key, usual in _RED.items())}{' ecn' if ecn else ''}"
    words = [f"{key} {values[key]}" for key in _KEYS.get(name, ()) if values[key]]
    if name in _KEYS:
        words.append("ecn" if ecn else "noecn")
    if "pie" in name:
        words += [on if _text(one, field) == "on" else off for field, (on, off) in _FLAGS.items()]
    return f" {kind}{' '.join(filter(None, [name, *words]))}"


def _of_opnsense(one: Element, root: Element) -> Iterator[str]:
    number = _number(one)
    size = _text(one, "queue")
    size += _text(one, "queueMetric") if size and _text(one, "queueMetric") != "slots" else ""
    scheduler = _text(one, "scheduler") or "wf2q+"
    rate = f"{_text(one, 'bandwidth')}{_text(one, 'bandwidthMetric')}/s"
    settings = f"{' queue ' + size if size else ''}{_words(one, buckets='buckets', delay='delay')}"
    words = _opnsense_aqm(one, scheduler)
    yield f"pipe {number} config bw {rate}{settings}{_opnsense_mask(one)} type {scheduler}{words}"
    for queue in root.iter("queue"):
        if _text(queue, "enabled") == "1" and _text(queue, "pipe") == one.get("uuid"):
            settings = _words(queue, buckets="buckets", weight="weight")
            words = _opnsense_aqm(queue, "")
            yield f"queue {_number(queue)} config pipe {number}{settings}{_opnsense_mask(queue)}{words}"


def _opnsense_aqm(one: Element, scheduler: str) -> str:
    fair = scheduler == "fq_codel"
    if _text(one, "codel_enable") == "1" or fair:
        words = _words(one, codel_target="target", codel_interval="interval")
        words += " ecn" if _text(one, "codel_ecn_enable") == "1" else " noecn"
        fair_words = _words(one, fqcodel_quantum="quantum", fqcodel_limit="limit", fqcodel_flows="flows")
        return f"{words}{fair_words}" if fair else f" codel{words}"
    return " pie" if _text(one, "pie_enable") == "1" and scheduler != "fq_pie" else ""


def _opnsense_mask(one: Element) -> str:
    mask = _text(one, "mask")
    return "" if mask in ("", "none") else f" mask {mask} {'/128' if mask.endswith('6') else '/32'}"
