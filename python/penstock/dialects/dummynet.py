"""FreeBSD's dummynet: pipes, queues and schedulers as `ipfw` and `dnctl` read and print them (ipfw(8)).

A pipe is a link with one queue. The queues that are connected to a pipe share it by their weights, unless its scheduler
is fq_codel or fq_pie, which queues all packets itself. RED's thresholds are in bytes if the queue is in bytes.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from penstock.dialects.conversion import Conversion, ConversionContext, DialectError, convert_limit, length_in_packets
from penstock.dialects.dummynet_keys import AQMS, OBJECT_KEYS, RED_KEYS
from penstock.dialects.dummynet_text import DummynetObject, DummynetObjects, read_objects
from penstock.dialects.dummynet_xml import commands_from_xml, is_xml
from penstock.dialects.keys import apply_keys, select_object
from penstock.dialects.red import (
    DEFAULTS,
    averaging_weight,
    list_lost_parameters,
    packet_bytes,
    thresholds_in_packets,
)
from penstock.dialects.value_kinds import format_number

__all__ = ["read", "write"]


def read(text: str, facts: ConversionContext) -> Conversion:
    """The queue of the only pipe, or of the pipe that `--device` names: by its number, or its name in `config.xml`."""
    names: dict[str, int] = {}
    if is_xml(text):
        text, names = commands_from_xml(text)
    objects = read_objects(text)
    links = _links(objects)
    if not links:
        raise DialectError("expected settings such as queue 50, red 0.002/5/15/0.1, codel, pie, type fq_codel")
    if facts.chosen in {str(link) for link in links}:
        names = {}
    named = {number: name for name, number in names.items()}
    name, number = select_object({named.get(link, str(link)): link for link in links}, facts, "pipes")
    pipe = objects.pipes.get(number, DummynetObject())
    schedulers = {key: box for key, box in objects.schedulers.items() if _pipe_of(objects, "sched", key) == number}
    queues = {key: box for key, box in objects.queues.items() if _pipe_of(objects, "queue", key) == number}
    if len(schedulers) > 1:
        raise DialectError(f"pipe {name} has several schedulers: {', '.join(map(str, schedulers))}")
    scheduler = next(iter(schedulers.values()), DummynetObject())
    if (
        pipe.scheduler_type and not scheduler.scheduler_type
    ):  # the words after a type belong to the scheduler of the pipe
        scheduler = replace(
            scheduler,
            scheduler_type=pipe.scheduler_type,
            aqm_settings=pipe.aqm_settings if pipe.scheduler_type in AQMS else {},
        )
    result = _scheduled(f"pipe {name}", pipe, scheduler, queues, objects.has_rules)
    bandwidth = {**scheduler.settings, **pipe.settings}.get("bw", "0")
    result.rate = next(key for key in OBJECT_KEYS if key.name == "bw").parse_value(bandwidth) or None
    return result


def _links(objects: DummynetObjects) -> list[int]:
    """Numbers of the pipes, including pipes that only schedulers and queues name."""
    links = [*objects.pipes]
    for kind in ("sched", "queue"):
        links += [_pipe_of(objects, kind, number) for number in objects.by_kind(kind)]
    return sorted(set(links))


def _pipe_of(objects: DummynetObjects, kind: str, number: int) -> int:
    """The pipe of a scheduler or queue; the default of a scheduler is the pipe with its number."""
    above = objects.by_kind(kind)[number].attached_to
    if above is None:
        if kind == "queue":
            raise DialectError(f"queue {number} is connected to no pipe: give pipe N or sched N")
        return number
    if above[0] == "sched" and above[1] in objects.schedulers:
        return _pipe_of(objects, "sched", above[1]) if kind == "queue" else above[1]
    return above[1]


def _scheduled(
    name: str, pipe: DummynetObject, scheduler: DummynetObject, queues: dict[int, DummynetObject], has_rules: bool
) -> Conversion:
    if scheduler.scheduler_type in AQMS:
        scheme, keys = AQMS[scheduler.scheduler_type]
        result = Conversion(scheme, {})
        apply_keys(result, keys, scheduler.aqm_settings, scheduler.scheduler_type)
        for place, box in ((name, pipe), *((f"queue {number}", box) for number, box in queues.items())):
            _list_object(result, box, place, ("bw", "weight") if len(queues) < 2 else ("bw",))
            if box.aqm:
                result.lost_settings.append(f"{place} {box.aqm}: {scheduler.scheduler_type} queues the packets itself")
        _settle(result)
        return result
    if scheduler.scheduler_type == "prio" or (scheduler.scheduler_type == "fifo" and len(queues) > 1):
        raise DialectError(
            f"a scheduler of type {scheduler.scheduler_type} over {len(queues)} queues has no counterpart here"
        )
    if len(queues) < 2:
        number, box = next(iter(queues.items()), (0, pipe))
        result = _queue(box, f"queue {number}" if queues else name)
        if queues:
            _list_object(result, pipe, name, ("bw",))
        return result
    result = Conversion("wfq", {"limit": "inf", "classes": []})
    _list_object(result, pipe, name, ("bw",))
    for number, box in queues.items():
        result.parameters["classes"].append(_class(result, number, box, number == max(queues)))
    result.notes.append("the rules that send packets to a queue are not read: put the traffic of each class in match")
    if scheduler.scheduler_type in ("rr", "qfq"):
        result.notes.append(f"{scheduler.scheduler_type} shares by weight, as wfq does, with a coarser grain")
    if has_rules:
        result.lost_settings.append("rules (add ...) that choose the queue of a packet")
    return result


def _class(result: Conversion, number: int, box: DummynetObject, is_last: bool) -> dict[str, Any]:
    own = _queue(box, f"queue {number}")
    result.lost_settings += own.lost_settings
    result.notes += [note for note in own.notes if note not in result.notes]
    weight_key = next(key for key in OBJECT_KEYS if key.name == "weight")
    table: dict[str, Any] = {
        "name": f"queue{number}",
        "weight": weight_key.parse_value(box.settings.get("weight", "1")),
    }
    if not is_last:
        table["match"] = {"traffic": [f"queue{number}"]}
    table["limit"] = own.parameters.pop("limit")
    if own.scheme != "droptail":
        table["queue"] = {"scheme": own.scheme, **own.parameters}
    return table


def _list_object(result: Conversion, box: DummynetObject, place: str, read_keys: tuple[str, ...]) -> None:
    """List the settings of an object that cannot be expressed, except settings that are read elsewhere."""
    for key in OBJECT_KEYS:
        text = box.settings.get(key.name)
        if text is None or key.name in read_keys:
            continue
        if key.name == "queue" and text != key.default:
            result.lost_settings.append(f"{place} queue {text}: its packets wait elsewhere")
        elif key.name != "queue" and not key.is_neutral(text):
            result.lost_settings.append(f"{place} {key.name} {text}: {key.loss_reason}")


def _queue(box: DummynetObject, place: str) -> Conversion:
    """The queue of a pipe or of a queue object."""
    result = Conversion("droptail", {})
    limit = next(key for key in OBJECT_KEYS if key.name == "queue")
    result.parameters["limit"] = limit.parse_value(box.settings.get("queue", limit.default))
    _list_object(result, box, place, ("bw", "queue", "weight"))
    if box.aqm in ("red", "gred"):
        result.scheme = "red"
        apply_keys(result, RED_KEYS, box.aqm_settings, f"{place} {box.aqm}")
        values = result.parameters
        values |= {"gentle": box.aqm == "gred", "spacing": "count", "mean_packet": "512B"}
        if values["limit"].endswith("B"):
            values |= {name: f"{values[name]}B" for name in ("min_th", "max_th")}
            values |= {"measure_in": "bytes", "scale_by_size": "p_b"}
        else:
            values |= {name: float(values[name]) for name in ("min_th", "max_th")}
        result.notes.append("thresholds are in slots if the limit of the queue is, otherwise in bytes")
        result.notes.append("idle times are counted in packets of 512 B (net.inet.ip.dummynet.red_avg_pkt_size)")
    elif box.aqm:
        result.scheme, keys = AQMS[box.aqm]
        apply_keys(result, keys, box.aqm_settings, f"{place} {box.aqm}")
    if "KB" in box.settings.get("queue", "").upper():
        result.notes.append("a KByte of ipfw has 1024 B")
    _settle(result)
    return result


def _settle(result: Conversion) -> None:
    if result.scheme in ("pie", "fq-pie"):
        result.parameters["variant"] = "extended"


def write(scheme: str, parameters: dict[str, Any], facts: ConversionContext) -> Conversion:
    """A line of `ipfw` that configures a pipe with this queue."""
    result = Conversion(scheme, dict(parameters))
    bw = "" if facts.rate is None else f"bw {format_number(facts.rate)}bit/s "
    if scheme in ("droptail", "red"):
        result.text = f"ipfw pipe 1 config {bw}{' '.join(_pipe_words(result, facts))}"
        return result
    aqm = next((aqm for aqm, (own, _) in AQMS.items() if own == scheme), None)
    if aqm is None:
        raise DialectError(f"dummynet has no {scheme}")
    is_fair = aqm.startswith("fq_")
    limit = [] if is_fair or parameters.get("limit") in (None, "inf") else [f"queue {_slots(parameters, facts)}"]
    if is_fair or parameters.get("limit") == "inf":
        convert_limit(result, facts, in_packets=True)
    words = _aqm_words(result, aqm)
    if is_fair:
        first = f"ipfw pipe 1 config {bw}".rstrip() + "\n" if bw else ""
        result.text = first + " ".join(["ipfw sched 1 config pipe 1 type", aqm, *words])
    else:
        result.text = f"ipfw pipe 1 config {bw}{' '.join([*limit, aqm, *words])}"
    return result


def _aqm_words(result: Conversion, aqm: str) -> list[str]:
    """The words after the name of an AQM; flags come last, with PIE's for options that dummynet does not default to."""
    values = result.parameters
    keys = [key for key in AQMS[aqm][1] if key.value_kind is not None]
    words = [
        f"{key.name} {key.value_kind.write(values[key.counterpart])}"
        for key in keys
        if key.value_kind
        and key.counterpart in values
        and key.name not in ("ecn", "capdrop", "drand", "onoff", "delay")
    ]
    known = {key.counterpart for key in keys} | {"variant", "limit", "spacing"}
    if "pie" in aqm:
        words += _pie_flags(result, "extended" if aqm == "pie" else "linux")
    if "ecn" in values:
        words.append("ecn" if values["ecn"] else "noecn")
    result.lost_settings += [f"{name} = {value}" for name, value in values.items() if name not in known]
    return words


def _pie_flags(result: Conversion, usual: str) -> list[str]:
    values = result.parameters
    variant = values.get("variant", usual)
    if variant != "extended":
        result.lost_settings.append(f"variant = {variant}: dummynet's PIE follows RFC 8033, appendix B")
    options = {name: values.get(name, "auto") for name in ("cap_drop", "derandomization", "activation")}
    own = {"extended": "on", "basic": "off", "linux": "on"}[variant]
    options = {name: own if value == "auto" else value for name, value in options.items()}
    if variant == "linux" and values.get("activation", "auto") == "auto":
        options["activation"] = "off"
    words = ["nocapdrop"] if options["cap_drop"] == "off" else []
    words += ["nodrand"] if options["derandomization"] == "off" else []
    words += ["onoff"] if options["activation"] == "on" else []
    return [*words, "dre" if values.get("delay") == "rate" else "ts"]


def _slots(parameters: dict[str, Any], facts: ConversionContext) -> str:
    limit = str(parameters["limit"])
    return (
        limit.replace("B", "Bytes")
        if re.fullmatch(r"\d+B", limit)
        else format_number(round(length_in_packets(parameters["limit"], facts)))
    )


def _pipe_words(result: Conversion, facts: ConversionContext) -> list[str]:
    """The buffer and the four numbers of RED."""
    values = result.parameters
    facts = replace(facts, packet=packet_bytes(result, facts))
    in_bytes = result.scheme == "red" and values.get("measure_in") == "bytes"
    limit = dict(values)
    if result.scheme == "red" and values.get("limit") not in (None, "inf"):
        count = length_in_packets(values["limit"], facts)
        limit["limit"] = f"{round(count * facts.packet)}B" if in_bytes else max(1, round(count))
    words = [] if values.get("limit") in (None, "inf") else [f"queue {_slots(limit, facts)}"]
    if in_bytes and not words:
        raise DialectError("thresholds in bytes need a limit in bytes")
    known = {"limit"}
    if result.scheme == "red":
        low, high = (value * (facts.packet if in_bytes else 1) for value in thresholds_in_packets(result, facts))
        word = "gred" if values.get("gentle") else "red"
        max_p = values.get("max_p", DEFAULTS["max_p"])
        low, high = (_whole(result, name, value) for name, value in (("min_th", low), ("max_th", high)))
        words.append(
            f"{word} {format_number(averaging_weight(result, facts))}/{format_number(low)}/{format_number(high)}/"
            f"{format_number(max_p)}"
        )
        if values.get("ecn"):
            words.append("ecn")
        known |= {"min_th", "max_th", "max_p", "w_q", "gentle", "ecn", "measure_in", "scale_by_size", "mean_packet"}
        known |= {"spacing"}
        if values.get("spacing", "wait") != "count":
            result.notes.append("drops are spaced as in the paper of 1993 (count)")
    list_lost_parameters(result, known)
    return words


def _whole(result: Conversion, name: str, value: float) -> float:
    rounded = float(round(value))
    if abs(rounded - value) > 1e-9:
        result.notes.append(
            f"{name} = {format_number(rounded)} instead of {format_number(value)}: dummynet takes whole numbers"
        )
    return rounded
