"""ns-2's queues: Tcl such as `Queue/RED set thresh_ 5`, and scripts that choose the queue of a link.

A text without a variable means the default of ns-2.35 (`ns2_keys`): RED measures bytes, in packets of mean_pktsize_.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from penstock.aqms.catalog import find_scheme
from penstock.dialects.conversion import Conversion, ConversionContext, DialectError, convert_limit, length_in_packets
from penstock.dialects.keys import apply_keys, refuse_misspelt, select_object
from penstock.dialects.ns2_expressions import evaluate_expression
from penstock.dialects.ns2_keys import BASE, QUEUES
from penstock.dialects.value_kinds import format_number, parse_real, round_to_12_digits
from penstock.errors import did_you_mean
from penstock.units import parse_time

__all__ = ["read", "write"]

_EXPRESSION = re.compile(r"\[\s*expr\s+\{?(.+?)\}?\s*\]")
_VARIABLE = re.compile(r"\$\{?(\w+(?:\(\w+\))?)\}?")
_PREFIXES = {"": 1, "k": 1e3, "m": 1e6, "g": 1e9}
_CONTROL = re.compile(r"(?:^|[;{])[ \t]*(if|for|foreach|while|switch|catch|eval|time|after)\b", re.MULTILINE)
_CHOICES = ("if", "switch", "catch")
_OF_A_QUEUE = re.compile(r"\bQueue(?:/[\w/]+)?\s+set\b|\squeue\s*\]")
_OF_A_LINK = re.compile(r"\s(?:duplex-link|simplex-link|queue-limit)\s")


@dataclass
class _Script:
    """The settings in a script: variables of classes, links and their queue limits, variables of single queues."""

    classes: dict[str, dict[str, str]] = field(default_factory=dict)
    links: dict[str, tuple[str, str]] = field(default_factory=dict)
    """The kind of queue and the bandwidth of each link FROM-TO."""
    delays: dict[str, str] = field(default_factory=dict)
    queue_limits: dict[str, str] = field(default_factory=dict)
    objects: dict[str, dict[str, str]] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    others: list[tuple[str, str]] = field(default_factory=list)
    """Variables that may belong to a queue, each with its setting and the reason why it is not read."""


def read(text: str, facts: ConversionContext) -> Conversion:
    """The queue of the only link that has one of ns-2's AQMs, or of the class whose variables are set."""
    script = _script(text)
    links = {link: kind for link, (kind, _) in script.links.items()}
    if facts.name is None and facts.chosen not in links:
        links = {link: kind for link, kind in links.items() if kind != "DropTail"} or links
    rate, own, lost = None, dict[str, str](), list[str]()
    if links:
        alike = len(set(links.values())) == 1 and len({script.links[link] for link in links}) == 1
        if alike and facts.name is None and facts.chosen not in links:
            links = dict(
                [next((item for item in links.items() if item[0] in script.queue_limits), next(iter(links.items())))]
            )
        place, name = select_object(links, facts, "links with a queue")
        rate = _rate(script.links[place][1])
        own, lost = _link_settings(script, place)
    else:
        name, own, lost = _single_queue(script, facts)
    if name not in QUEUES:
        raise DialectError(f'no queue "{name}"{did_you_mean(name, QUEUES)}; supported: {", ".join(QUEUES)}')
    scheme, keys = QUEUES[name]
    result = Conversion(scheme, {}, rate=rate, lost_settings=lost)
    known = {key.name for key in keys}
    for other in script.classes:
        refuse_misspelt(other, (name,), "Queue", tuple(QUEUES))
        if other and other not in QUEUES:
            lost.append(f"Queue/{other}: belongs to another queue")
    general = {key: value for key, value in script.classes.get("", {}).items() if key in known or key == "limit_"}
    apply_keys(Conversion("", {}), BASE, script.classes.get("", {}), "Queue")
    settings = {**general, **script.classes.get(name, {}), **own}
    if name == "DRR":
        settings.pop("limit_", None)
    apply_keys(result, keys, settings, f"Queue/{name}")
    _settle(result, name, settings, rate or facts.rate)
    result.lost_settings += [item for variable, item in script.others if variable in known]
    return result


def _link_settings(script: _Script, place: str) -> tuple[dict[str, str], list[str]]:
    """The variables of the queue of a link, and losses."""
    own: dict[str, str] = {}
    others = [link for link in script.links if link != place]
    lost = [f"delay {script.delays[place]} of {place}: a property of the link, not of its queue"]
    lost += [f"other links: {', '.join(others)}"] if others else []
    for variable, link in script.places.items():
        if link in (place, f"{place} duplex"):
            own |= script.objects.get(variable, {})
    return own | ({"limit_": script.queue_limits[place]} if place in script.queue_limits else {}), lost


def _single_queue(script: _Script, facts: ConversionContext) -> tuple[str, dict[str, str], list[str]]:
    """The class of the only queue in a text without links, its own variables, and losses.

    Raises `DialectError` for several queues, or none.
    """
    own: dict[str, str] = {}
    lost: list[str] = []
    names = [kind for kind in script.classes if kind]
    if not names and script.objects:
        variable, own = select_object(script.objects, facts, "queues")
        names = [kind for kind, (_, keys) in QUEUES.items() if set(own) <= {key.name for key in keys}]
        if len(names) == 1:
            lost.append(f"${variable} is of an unknown class: only {names[0]} has these variables")
    if len(names) != 1:
        raise DialectError(
            f"several queues: {', '.join(names)}; keep one in the text"
            if names
            else "expected lines such as Queue/RED set thresh_ 5, of one queue"
        )
    return names[0], own, lost


def _check_control(text: str) -> None:
    """Raise `DialectError` for settings of a queue in a condition or loop, and for links in a condition."""
    plain_text = re.sub(r"(?:^[ \t]*|;[ \t]*)#[^\n]*", "", text, flags=re.MULTILINE)
    for start in _CONTROL.finditer(plain_text):
        command = _command_at(plain_text, start.start(1))
        if _OF_A_QUEUE.search(command) or (start[1] in _CHOICES and _OF_A_LINK.search(command)):
            head = " ".join(command[:60].split())
            raise DialectError(f"{head}: conditions and loops of Tcl are not executed: keep the lines that apply")


def _command_at(text: str, start: int) -> str:
    """The command of Tcl at `start`; it ends at a line break or semicolon outside its braces."""
    depth = 0
    for end in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth < 0 or (depth == 0 and text[end] in "\n;"):
            return text[start:end]
    return text[start:]


_WORD = re.compile(r"\{[^{}]*\}|\"[^\"]*\"|(?:\[(?:[^\[\]]|\[[^\[\]]*\])*\]|[^\s{}])+")
"""A word of Tcl; a bracket is a part of it, as in `$n([expr $i+1])`."""


def _commands(text: str) -> Iterator[list[str]]:
    """Commands of Tcl as words, each up to the end of the line or a semicolon.

    A # at the start of a command begins a comment.
    """
    for line in text.splitlines():
        for part in re.split(r";(?![^{]*\})", line):
            if part.strip().startswith("#"):
                break
            words = _WORD.findall(part)
            if words:
                yield [word.strip('"') for word in words]


def _script(text: str) -> _Script:
    script = _Script()
    variables: dict[str, str] = {}
    classes: set[str] = set()  # variables whose object is not a queue

    def value_of(word: str) -> str:
        """The value of a word of the script, with its variables replaced."""
        return _value_of(word, variables).removesuffix(".0")

    joined = re.sub(r"\\\n\s*", " ", text)
    _check_control(joined)
    for words in _commands(joined):
        _check_form(words, script.places)
        if owner := re.fullmatch(r"Queue(?:/(\w+(?:/\w+)*))?", words[0]):
            _set_of_class(script.classes.setdefault(owner[1] or "", {}), words, value_of)
        elif words[0] == "set" and len(words) == 3:
            _assign(script, variables, words)
        elif len(words) > 1 and words[1] in ("duplex-link", "simplex-link") and len(words) >= 7:
            _link(script, words, [value_of(word) if place > 3 else word for place, word in enumerate(words)])
        elif len(words) == 5 and words[1] == "queue-limit":
            script.queue_limits[f"{words[2]}-{words[3]}"] = value_of(words[4])
        elif len(words) == 4 and words[1] == "set" and words[0].lstrip("$") in script.places:
            script.objects.setdefault(words[0].lstrip("$"), {})[words[2]] = value_of(words[3])
        elif (inner := _queue_of(words[0])) and len(words) == 4 and words[1] == "set":
            script.places[inner] = inner
            script.objects.setdefault(inner, {})[words[2]] = value_of(words[3])
        elif len(words) == 4 and words[1] == "set" and words[0][:1] in "$[" and words[0] not in classes:
            script.others.append((words[2], f"{' '.join(words)}: of an object of unknown class"))
        elif len(words) == 4 and words[1] == "set":
            owner_name, _, kind = words[0].partition("/")
            if kind in QUEUES:
                raise DialectError(f"{words[0]}: expected Queue/{kind}")
            refuse_misspelt(owner_name, ("Queue",), "ns-2")
        elif len(words) == 4 and words[1] == "at":
            script.others += [
                (match[2], f"{match[0]} at {words[2]}: a change during the run")
                for match in _SETTING.finditer(words[3]) if match[1] not in classes
            ]  # fmt: skip
        elif len(words) > 4:
            refuse_misspelt(words[1], ("duplex-link", "simplex-link", "queue-limit"), words[0], _OPERATIONS)
        if words[0] == "set" and len(words) == 3 and re.match(r"\[\s*new\s+(?!Queue\b)\w", words[2]):
            classes.add(f"${words[1]}")
    return script


def _check_form(words: Sequence[str], queues: Mapping[str, str]) -> None:
    """Raise `DialectError` for a command about a link or queue with a word too many, or without one."""
    line, variable = " ".join(words)[:80], words[0].lstrip("$")
    if any(word in _LENGTHS for word in words[2:]) and words[1] not in ("at", "after"):
        raise DialectError(f"{line}: expected $ns {next(word for word in words[2:] if word in _LENGTHS)} ...")
    if len(words) > 1 and len(words) != _LENGTHS.get(words[1], len(words)):
        raise DialectError(f"{line}: expected {_FORMS[words[1]]}")
    if any(re.match(r"Queue(?:/|$)", word) and after == "set" for word, after in pairwise(words[1:])):
        raise DialectError(f"{line}: expected Queue/CLASS set VARIABLE VALUE")
    if words[0][:1] == "$" and variable in queues and "set" in words[1:] and (words[1] != "set" or len(words) > 4):
        raise DialectError(f"{line}: expected {words[0]} set VARIABLE VALUE")
    has_queue = words[0] == "set" and any(_A_QUEUE.fullmatch(word) for word in words)
    if has_queue and (len(words) != 3 or _queue_of(words[2]) is None):
        raise DialectError(f"{line}: expected set NAME [[$ns link $a $b] queue]")


_LENGTHS = {"duplex-link": 7, "simplex-link": 7, "queue-limit": 5}
_FORMS = {
    **{name: f"$ns {name} NODE NODE BANDWIDTH DELAY QUEUE" for name in ("duplex-link", "simplex-link")},
    "queue-limit": "$ns queue-limit NODE NODE LIMIT",
}
_A_QUEUE = re.compile(r"\[\s*\[[^\[\]]*\blink\b[^\[\]]*\][^\[\]]*\bqueue\s*\]")


def _value_of(word: str, variables: Mapping[str, str]) -> str:
    """The value of a word: of an expression or variable, or the word itself."""

    def variable_value(found: re.Match[str]) -> str:
        if found[1] not in variables:
            raise DialectError(f"{word}: its value is not in the text: replace it with its value")
        return variables[found[1]]

    if match := _EXPRESSION.fullmatch(word):
        return evaluate_expression(_VARIABLE.sub(variable_value, match[1]))
    return _VARIABLE.sub(variable_value, word) if _VARIABLE.fullmatch(word) else word


def _set_of_class(settings: dict[str, str], words: Sequence[str], value_of: Callable[[str], str]) -> None:
    """Read `Queue/CLASS set VARIABLE VALUE` into the settings of the class."""
    if len(words) != 4 or words[1] != "set":
        raise DialectError(f"{' '.join(words)[:60]}: expected {words[0]} set VARIABLE VALUE")
    if words[2] in settings:
        raise DialectError(f"{words[2]} is given twice")
    settings[words[2]] = value_of(words[3])


_OPERATIONS = ("duplex-link-op", "simplex-link-op")
_SETTING = re.compile(r"(\$\w+|Queue(?:/\w+)*|\[.*queue\s*\])\s+set\s+(\w+)\s+([^\s;}\"]+)")


def _queue_of(word: str) -> str | None:
    """The link in `[[$ns link $a $b] queue]`."""
    match = re.fullmatch(r"\[\s*\[\s*\$\w+ link (\S+) (\S+?)\s*\]\s+queue\s*\]", word)
    return f"{match[1]}-{match[2]}" if match else None


def _assign(script: _Script, variables: dict[str, str], words: list[str]) -> None:
    variables.pop(words[1], None)
    if (place := _queue_of(words[2])) is not None:
        script.places[words[1]] = place
    elif re.fullmatch(r"[^\[\]$]+", words[2]):
        variables[words[1]] = words[2].strip("{}")
    elif re.match(r"\[\s*expr\s|\$", words[2]):
        with suppress(DialectError):  # not constant: an error only if a setting uses it
            variables[words[1]] = _value_of(words[2], variables)


def _link(script: _Script, raw: list[str], words: list[str]) -> None:
    script.links[f"{raw[2]}-{raw[3]}"] = (words[6], words[4])
    script.delays[f"{raw[2]}-{raw[3]}"] = words[5]
    if words[1] == "duplex-link":
        script.places.setdefault(f"{raw[2]}-{raw[3]}", f"{raw[2]}-{raw[3]}")


def _rate(text: str) -> float:
    """A bandwidth of ns-2: bit/s with k, M, G; a final B means bytes."""
    match = re.fullmatch(r"(\d++\.?\d*(?:e\d+)?|\.\d+)([kKmMgG]?)(b|bps|B|Bps|)", text)
    if match is None or parse_real(match[1]) == 0:
        raise DialectError(f"{text}: expected a bandwidth such as 1.5Mb")
    return parse_real(match[1]) * _PREFIXES[match[2].lower()] * (8 if match[3].startswith("B") else 1)


def _settle(result: Conversion, name: str, settings: dict[str, str], rate: float | None) -> None:
    values = result.parameters
    if name == "DropTail":
        if values.pop("measure_in"):
            values["limit"] = _in_bytes(values)
        values.pop("mean_packet")
        if values.pop("drop_front"):
            result.scheme = "drop-front"
    if name == "RED":
        _settle_red(result, settings, rate)
    if name == "PI":
        values["interval"] = f"{format_number(round_to_12_digits(1e6 / values['interval']))}us"
    if name == "REM":
        values["variant"] = "ns2"
    if name == "CoDel":
        result.notes.append("ns-2's CoDel has no ECN")


def _in_bytes(values: dict[str, Any]) -> str:
    return f"{int(values['limit'][:-1]) * int(values['mean_packet'][:-1])}B"


def _settle_red(result: Conversion, settings: dict[str, str], rate: float | None) -> None:
    values = result.parameters
    mark_p, target = values.pop("mark_p"), values.pop("target_delay")
    adaptive = {name: values.pop(name) for name in ("alpha", "beta", "interval", "max_p_high", "max_p_low")}
    by_floyd, by_feng = values.pop("adaptive"), values.pop("feng")
    if values["max_p"] == 0:
        raise DialectError("linterm_ 0: must not be 0")
    values["max_p"] = round_to_12_digits(1 / values["max_p"])
    values["spacing"] = "wait" if values["spacing"] else "no_wait"
    measures_bytes, scales = values.pop("measure_in"), values.pop("scale_by_size")
    if measures_bytes:
        values |= {"measure_in": "bytes", "limit": _in_bytes(values)}
        result.notes.append("queue_in_bytes_ true: limit_ and thresholds count packets of mean_pktsize_, in bytes")
    if scales:
        values["scale_by_size"] = "p_a"
    words = {0: "auto", -1: "auto_rtt", -2: "auto_fast"}
    values["w_q"] = words.get(values["w_q"], values["w_q"])
    _automatic(result, target, rate)
    uses_mark_p = values.pop("mark_up_to")
    if values["ecn"]:
        values["mark_up_to"] = "max_p" if uses_mark_p else "top"
        if uses_mark_p and mark_p != values["max_p"]:
            result.lost_settings.append(f"mark_p_ {format_number(mark_p)}: here packets are marked up to max_p")
    if by_feng:
        result.scheme = "ared-feng"
        values |= {"alpha": 3.0, "beta": 2.0}
    elif by_floyd:
        result.scheme = "ared-floyd"
        values |= adaptive | {"max_p_low": adaptive["max_p_low"] or 0.01}
    if "idle_pktsize_" not in settings:
        result.notes.append("idle times count packets of mean_packet; ns-2 uses idle_pktsize_, by default 100 B")


def _automatic(result: Conversion, target: float, rate: float | None) -> None:
    """thresh_ 0: half the target delay at the rate of the link, at least 5 packets; maxthresh_ 0: three times that."""
    values = result.parameters
    low, high = values["min_th"], values["max_th"]
    if low == 0:
        if target == 0.005:
            values["min_th"] = "auto"
        elif rate is not None:
            values["min_th"] = round_to_12_digits(max(5.0, target * rate / 8 / float(values["mean_packet"][:-1]) / 2))
        else:
            raise DialectError("thresh_ 0 with targetdelay_ follows the rate of the link: give --rate RATE")
    if high == 0:
        values["max_th"] = "auto" if values["min_th"] == "auto" else round_to_12_digits(3 * values["min_th"])


def write(scheme: str, parameters: dict[str, Any], facts: ConversionContext) -> Conversion:
    """Lines of Tcl that set a queue with these settings."""
    name = next((queue for queue, (own, _) in QUEUES.items() if own == scheme), None)
    if name is None or scheme == "rem":
        raise DialectError(f"ns-2 has no {scheme}")
    result = Conversion(scheme, dict(parameters))
    mean = float(str(parameters.get("mean_packet", f"{facts.packet}B")).removesuffix("B"))
    own = ConversionContext(facts.rate, round(mean)) if parameters.get("measure_in") == "bytes" else facts
    convert_limit(result, own, in_packets=scheme != "drr")
    usual = {param.name: param.default for param in find_scheme(scheme).params}
    texts = _red_texts(result, facts) if scheme == "red" else _plain_texts(result, name, usual)
    result.text = "\n".join(f"Queue/{name} set {word} {text}" for word, text in texts.items())
    return result


def _plain_texts(result: Conversion, name: str, usual: dict[str, Any]) -> dict[str, str]:
    values = result.parameters
    texts: dict[str, str] = {}
    written = set()
    for key in QUEUES[name][1]:
        value = values.get(key.counterpart, usual.get(key.counterpart))
        if key.value_kind is None or value in (None, "inf", "auto"):
            continue
        written.add(key.counterpart)
        if key.name == "w_":
            text = (
                format_number(round_to_12_digits(1e9 / parse_time(value)))
                if isinstance(value, str)
                else format_number(1e9 / value["ns"])
            )
        elif isinstance(value, dict):
            text = format_number(value["ns"] / 1e9)
        else:
            text = key.value_kind.write(
                float(str(value).removesuffix("p")) if key.counterpart == "target" and name == "PI" else value
            )
        texts[key.name] = text
    result.lost_settings += [f"{key} = {value}" for key, value in values.items()
                       if key not in written and value != usual.get(key)]  # fmt: skip
    return texts


def _red_texts(result: Conversion, facts: ConversionContext) -> dict[str, str]:
    values = result.parameters
    mean = float(str(values.get("mean_packet", "1000B")).removesuffix("B"))
    in_bytes = values.get("measure_in") == "bytes"
    texts: dict[str, str] = {}
    if "limit" in values:
        texts["limit_"] = str(round(float(str(values["limit"]).removesuffix("p"))))
    for name, word, usual in (("min_th", "thresh_", 5), ("max_th", "maxthresh_", 15)):
        value = values.get(name, usual)
        own = ConversionContext(facts.rate, round(mean) if in_bytes else facts.packet)
        texts[word] = "0" if value == "auto" else format_number(length_in_packets(value, own))
    max_p = values.get("max_p", 0.1)
    if max_p == 0:
        raise DialectError("ns-2 has no max_p = 0: linterm_ is 1 / max_p")
    texts["linterm_"] = format_number(round_to_12_digits(1 / max_p))
    w_q = values.get("w_q", "auto")
    if isinstance(w_q, str):
        texts["q_weight_"] = {"auto": "0", "auto_rtt": "-1", "auto_fast": "-2"}[w_q]
        result.notes.append(f"q_weight_ {texts['q_weight_']}: ns-2 computes the weight from the link's bandwidth")
    else:
        texts["q_weight_"] = format_number(w_q)
    texts["gentle_"] = "true" if values.get("gentle") else "false"
    texts["wait_"] = "false" if values.get("spacing") == "no_wait" else "true"
    texts["mean_pktsize_"] = format_number(mean)
    texts["queue_in_bytes_"] = "true" if in_bytes else "false"
    texts["bytes_"] = "true" if values.get("scale_by_size") == "p_a" else "false"
    texts["setbit_"] = "true" if values.get("ecn") else "false"
    if values.get("ecn"):
        mark = values.get("mark_up_to", "max_th")
        texts["use_mark_p_"] = "false" if mark == "top" else "true"
        if mark != "top":
            texts["mark_p_"] = format_number(max_p)
    written = {"limit", "min_th", "max_th", "max_p", "w_q", "gentle", "mean_packet", "measure_in", "ecn"}
    written |= {"spacing"} if values.get("spacing", "wait") in ("wait", "no_wait") else set()
    written |= {"scale_by_size"} if values.get("scale_by_size") in ("never", "p_a") else set()
    written |= {"mark_up_to"} if values.get("mark_up_to") in ("max_th", "max_p", "top") else set()
    written |= {name for name in ("nonlinear", "whole_average") if not values.get(name)}
    written |= {"guards"} if values.get("guards", True) else set()
    result.lost_settings += [f"{name} = {value}" for name, value in values.items() if name not in written]
    return texts
