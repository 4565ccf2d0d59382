"""Root queues of `tc` with classes, filters and queues below: prio, htb, tbf, gred.

Manual pages: tc-prio(8) and the pages of the other queues.

A text corresponds to a scheme with classes and the rate of the link in penstock:

* prio is `pq`, with the bands as priorities;
* htb is `wfq` by the rates of its classes, or `pq` with rates where their `prio` differs: a class is served by priority
  within its rate, and the rest of the link is also shared by priority. With one class, or tbf, the link has the rate.
* gred is `wred` with a level for each virtual queue.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from penstock.aqms.catalog import find_scheme
from penstock.dialects import tc_queue
from penstock.dialects.conversion import Conversion, ConversionContext, DialectError, toml_value
from penstock.dialects.tc_framing import add_framing, framing_of_netem, framing_of_rate
from penstock.dialects.tc_htb import HTB_BURST, HtbClass, class_ancestry, oversubscription_note, reachable_rate
from penstock.dialects.tc_lines import TcObject, normalize_handle, qdisc_handle
from penstock.dialects.tc_match import (
    add_class_conditions,
    filter_order_messages,
    linux_priority,
    read_filter,
    sort_by_preference,
)
from penstock.dialects.tc_netem import read_link_keys
from penstock.dialects.tc_options import effective_options, extract_value, parse_quantity
from penstock.dialects.tc_table_classes import PARENTS
from penstock.dialects.tc_units import RATES, SIZES, TIMES, parse_whole_of_word
from penstock.dialects.value_kinds import format_number, parse_integer_argument, round_to_12_digits
from penstock.scenario.framing import NO_FRAMING
from penstock.units import format_rate, parse_size

__all__ = ["CLASSFUL", "read_gred", "read_tree"]

CLASSFUL = ("prio", "htb", "tbf", "pfifo_fast", "netem")

LEAF_LIMIT = "1000p"
"""Limit of the pfifo that a class has by default, tc-htb(8): the usual txqueuelen of a device, tc-pfifo(8)."""


def read_tree(lines: Sequence[TcObject], facts: ConversionContext) -> Conversion:
    """The settings of the root queue with all below it."""
    queues = [line for line in lines if line.subject == "qdisc" and line.kind in (*tc_queue.KINDS, *CLASSFUL, "gred")]
    above = {line.id for line in lines if line.id}
    roots = [
        line
        for line in queues
        if not line.parent or (line.parent not in above and qdisc_handle(line.parent) not in above)
    ]
    if len(roots) != 1:
        raise DialectError(f"one root queue is expected; this text has {len(roots)}")
    tree = _Tree(list(lines), facts)
    # Classes that tc prints for queues whose classes have no settings, and devices without a queue.
    tree.used |= {id(line) for line in lines if line.subject == "class" and line.kind != "htb"}
    tree.used |= {id(line) for line in lines if line.kind == "noqueue"}
    found = tree.queue(roots[0])
    found.lost_settings += [line.text for line in lines if id(line) not in tree.used]
    return found


def read_gred(lines: Sequence[TcObject], facts: ConversionContext) -> Conversion:
    """The virtual queues of gred as the levels of wred."""
    words = [word for line in lines for word in line.words]
    starts = [place for place, word in enumerate(words) if word in ("vq", "DP") and place + 1 < len(words)]
    if not starts:
        raise DialectError(
            "gred needs its virtual queues: lines tc qdisc change ... gred vq 0 limit ... min ... max ..."
        )
    found = Conversion("wred", {})
    setup = effective_options(PARENTS["gred"], TcObject("qdisc", "", words=words[: starts[0]]), found.lost_settings)
    levels: dict[int, Conversion] = {}
    priorities = set()
    for start, end in zip(starts, [*starts[1:], len(words)], strict=True):
        part = words[start:end]
        level = parse_integer_argument("vq", part[1]) if part[1].isdecimal() else len(levels)
        priority, own = extract_value("prio", part[2:])
        priorities.add(priority)
        levels[level] = tc_queue.read_options("red", own, facts, is_printed=lines[0].is_printed)
    ordered = [levels[level].parameters for level in sorted(levels)]
    # Thresholds of wred are numbers of packets, also where it measures bytes.
    packet = parse_size(ordered[0]["mean_packet"])
    for name in ("min_th", "max_th"):
        found.parameters[name] = [round_to_12_digits(parse_size(one[name]) / packet) for one in ordered]
    found.parameters["max_p"] = [one["max_p"] for one in ordered]
    for name in ("w_q", "mean_packet", "limit"):
        values = [one.get(name) for one in ordered]
        if values[0] is not None:
            found.parameters[name] = values[0]
        found.lost_settings += [
            f"{name} of vq {level} = {value}"
            for level, value in zip(sorted(levels), values, strict=True)
            if value != values[0]
        ]
    found.parameters |= {"spacing": "once", "measure_in": "bytes"}
    if "limit" in setup:
        # Room in total and for a level: with one average both are compared with the whole backlog.
        rooms = [round(parse_quantity(setup["limit"], SIZES, "size"))]
        rooms += [parse_size(found.parameters["limit"])] if "limit" in found.parameters else []
        found.parameters["limit"] = f"{min(rooms)}B"
    if "ecn" in setup or any(one.get("ecn") for one in ordered):
        found.parameters["ecn"] = True
    if "grio" not in setup or len(priorities) > 1:
        found.lost_settings.append("an average per vq: wred has one over all packets, as gred with grio and equal prio")
    found.notes.append("the vq of a packet is its tc_index, set by filters; here its precedence chooses the level")
    found.notes += list(dict.fromkeys(note for level in sorted(levels) for note in levels[level].notes))
    return found


class _Tree:
    """The queues and classes of a text; `used` are the ones that were read."""

    def __init__(self, lines: list[TcObject], facts: ConversionContext) -> None:
        self.lines, self.facts = lines, facts
        self.used: set[int] = set()
        self._above: list[TcObject] = []

    def queue(self, line: TcObject) -> Conversion:
        """A queue with all below it. Raises `DialectError` if it is below itself."""
        if any(line is one for one in self._above):
            raise DialectError(f"{line.kind} {line.id or line.parent} is below itself")
        self.used.add(id(line))
        self._above.append(line)
        found = self._queue(line)
        self._above.pop()
        return found

    def _queue(self, line: TcObject) -> Conversion:
        match line.kind:
            case "tbf":
                return self._tbf(line)
            case "prio":
                return self._prio(line)
            case "pfifo_fast":
                return self._pfifo_fast(line)
            case "htb":
                return self._htb(line)
            case "netem":
                return self._netem(line)
            case "gred":
                levels = [one for one in self.lines if one.kind == "gred" and one.parent == line.parent]
                self.used |= {id(one) for one in levels}
                return read_gred(levels, self.facts)
            case _:
                return tc_queue.read(line, self.facts)

    def _below(self, place: str) -> TcObject | None:
        """The queue whose parent is this class."""
        return next((one for one in self.lines if one.subject == "qdisc" and one.parent == place and one.kind), None)

    def _inner(self, line: TcObject) -> TcObject | None:
        """The queue inside a tbf or netem.

        A tbf or netem in a class and without a handle has none, as no queue could name it as its parent.
        """
        if line.parent and not line.id:
            return None
        return self._below(f"{_major(line)}:1") or self._below(f"{_major(line)}:0")

    def _tbf(self, line: TcObject) -> Conversion:
        missing: list[str] = []
        given = effective_options(PARENTS["tbf"], line, missing)
        if "rate" not in given or "burst" not in given:
            raise DialectError("tbf needs rate and burst")
        rate = parse_quantity(given["rate"], RATES, "rate")
        burst = parse_quantity(given["burst"], SIZES, "size")
        room = _tbf_limit(line, given, rate, burst)
        framing = framing_of_rate(given, line)
        below = self._inner(line)
        if below is None and (line.parent or (framing == NO_FRAMING and not line.size_table_words)):
            found = Conversion(
                "shaper", {"rate": format_rate(round(rate)), "burst": f"{round(burst)}B", "limit": f"{round(room)}B"}
            )
            missing += ["overhead, mpu and linklayer of tbf: it is in a class"] if framing != NO_FRAMING else []
        else:
            found = self.queue(below) if below else Conversion("droptail", {"limit": f"{round(room)}B"})
            add_framing(framing, line.text, found)
            _slow_down(found, rate, "tbf")
            missing.append(f"burst of tbf, {round(burst)} B: a link has no token bucket")
        found.lost_settings += missing
        return found

    def _netem(self, line: TcObject) -> Conversion:
        """The queue below, or a limit in packets, with the properties of the link; in a class these are listed."""
        missing: list[str] = []
        given = effective_options(PARENTS["netem"], line, missing)
        below = self._inner(line)
        limit = f"{parse_whole_of_word('limit', given.get('limit', '1000').removesuffix('p'))}p"
        found = self.queue(below) if below is not None else Conversion("droptail", {"limit": limit})
        if "rate" in given:
            rate, *more = given["rate"].split()
            _slow_down(found, parse_quantity(rate, RATES, "rate"), "netem")
            framing = framing_of_netem(more, line)
            if framing is None or not self._is_on_link(line):
                missing += [f"rate {given['rate']}: overhead and cells of the link"] if framing != NO_FRAMING else []
            else:
                add_framing(framing, f"rate {given['rate']}", found)
        link = read_link_keys(given, found)
        if below is None and "delay" in link:
            found.notes.append("netem's limit also counts packets on the wire; the limit of a queue here does not")
        if self._is_on_link(line):
            missing += [f"{key} = {toml_value(found.link[key])}: of the netem below, but a link has only one"
                        for key in link if key in found.link]  # fmt: skip
            found.link |= link
        else:
            missing += [f"{key} = {toml_value(value)}: netem is in a class, but this key belongs to the link"
                        for key, value in link.items()]  # fmt: skip
        found.lost_settings += missing
        return found

    def _is_on_link(self, line: TcObject) -> bool:
        """Whether all packets of the link pass a queue."""
        if not line.parent:
            return True
        above = next((one for one in self.lines if one.subject == "qdisc" and one is not line
                      and one.id == qdisc_handle(line.parent)), None)  # fmt: skip
        return above is not None and above.kind in ("tbf", "netem") and self._is_on_link(above)

    def _prio(self, line: TcObject) -> Conversion:
        lost: list[str] = []
        bands, priomap = _bands(line, lost)
        entries = self._filtered(line, [f"{_major(line)}:{band + 1:x}" for band in range(bands)])
        default = priomap[0]
        claimed = {dscp for _, match in entries if set(match) == {"dscp"} for dscp in match["dscp"]}
        for band in sorted(set(priomap) - {default}):
            points = [dscp for dscp in range(64) if priomap[linux_priority(dscp)] == band and dscp not in claimed]
            place = f"{_major(line)}:{band + 1:x}"
            if points and not add_class_conditions(entries, place, {"dscp": points}):
                lost.append(f"packets of {place} by priomap: a filter leads to it by other conditions")
        last = f"{_major(line)}:{default + 1:x}"
        lost += filter_order_messages(entries, last)
        entries = [entry for entry in entries if entry[0] != last] + [(last, {})]
        order = [int(place.split(":")[1], 16) - 1 for place, _ in entries]
        found = Conversion("pq", {"classes": [], "limit": "inf"}, lost_settings=lost)
        for (place, match), band in zip(entries, order, strict=True):
            priority = {} if order == sorted(order) and order[0] == 0 and len(order) == bands else {"priority": band}
            found.parameters["classes"].append(self._class(place, match, priority, found))
        for band in sorted(set(range(bands)) - set(order)):
            child = self._below(f"{_major(line)}:{band + 1:x}")
            if child is not None:
                self.used.add(id(child))
            found.notes.append(f"band {_major(line)}:{band + 1:x} gets no packet by its code point, and is left out")
        if len(found.parameters["classes"]) == 1:
            raise DialectError("prio: every packet goes to the same band, so only its queue is kept")
        return found

    def _pfifo_fast(self, line: TcObject) -> Conversion:
        """Prio with three fixed bands; each holds as much as the device's queue, tc-pfifo_fast(8)."""
        found = self._prio(line)
        found.notes.append("limit = 1000 packets in each band, the usual txqueuelen of a device")
        return found

    def _htb(self, line: TcObject) -> Conversion:
        lost: list[str] = []
        own = effective_options(PARENTS["htb"], line, lost)
        classes = [one for one in self.lines if one.subject == "class" and qdisc_handle(one.id) == f"{_major(line)}:0"]
        self.used |= {id(one) for one in classes}
        default = f"{_major(line)}:{_minor(own.get('default', '0'))}"
        htb = {one.id: HtbClass(one, line.device) for one in classes}
        parents = {one.parent for one in htb.values()}
        leaves = {place: one for place, one in htb.items() if place not in parents}
        tops = {top: htb[top] for top in (class_ancestry(place, htb)[-1] for place in htb)}
        if not leaves:
            raise DialectError("htb needs classes: tc class add dev eth0 parent 1: classid 1:1 htb rate 10mbit")
        if len(leaves) == 1:
            root = reachable_rate(next(iter(leaves)), htb)
            found = self._only(next(iter(leaves)), root)
        else:
            root = sum(one.rate for one in tops.values())
            found = self._shared(line, leaves, root, default)
            found.notes += oversubscription_note(leaves, root)
        found.rate = root
        found.lost_settings += lost + _frame(htb, found)
        found.notes.append(f"htb gives its rate to the link: rate = {format_rate(round(root))}")
        found.notes += [f"ceil {format_rate(round(one.ceil))} of {place} is never reached: no class above it lends"
                        for place, one in tops.items() if one.ceil > one.rate]  # fmt: skip
        for place, one in htb.items():
            if place in parents or len(leaves) == 1:
                found.lost_settings += one.lost_options_except_ceil(place)
            if place in parents and place not in tops and len(leaves) > 1:
                found.lost_settings.append(
                    f"class {place} between the root and its leaves: only one level is supported"
                )
        if len(tops) > 1:
            found.lost_settings.append("the classes have no common parent: in htb they cannot borrow, here they can")
        if default not in leaves:
            found.lost_settings.append(
                "packets that match no filter pass htb unshaped; here they are in the last class"
            )
        return found

    def _only(self, place: str, root: float) -> Conversion:
        """One class: its queue, on a link with its rate."""
        for one in self.lines:
            if one.subject == "filter":
                self.used.add(id(one))
        child = self._below(place)
        return self.queue(child) if child else Conversion("droptail", {"limit": LEAF_LIMIT}, rate=root)

    def _shared(self, line: TcObject, leaves: dict[str, HtbClass], root: float, default: str) -> Conversion:
        ranked = len({one.prio for one in leaves.values()}) > 1
        entries = self._filtered(line, leaves)
        found = Conversion("pq" if ranked else "wfq", {"classes": [], "limit": "inf"})
        found.lost_settings += filter_order_messages(entries, default)
        entries = [entry for entry in entries if entry[0] != default]
        for place in leaves:
            if place != default and place not in {name for name, _ in entries}:
                entries.append((place, {"traffic": [place]}))
                found.lost_settings.append(f"the packets of {place}: no filter selects them; name them in its match")
        entries += [(default, {})] if default in leaves else []
        for place, match in entries:
            leaf = leaves[place]
            shares: dict[str, Any] = {"weight": round_to_12_digits(leaf.rate / 1e6)}
            if ranked:
                shares = {
                    "priority": leaf.prio,
                    "rate": format_rate(round(leaf.rate)),
                    "burst": leaf.burst or HTB_BURST,
                }
            found.parameters["classes"].append(self._class(place, match, shares, found))
            found.lost_settings += leaf.lost_options(place, root, ranked)
        if ranked and len({one.prio for one in leaves.values()}) < len(leaves):
            found.lost_settings.append("round robin between classes of the same prio: here the first one goes first")
        return found

    def _class(self, place: str, match: dict[str, Any], more: dict[str, Any], found: Conversion) -> dict[str, Any]:
        """A class of a scheduler, with the queue below it."""
        made = {"name": place, **({"match": match} if match else {}), **more}
        child = self._below(place)
        if child is None:
            return {**made, "limit": LEAF_LIMIT}
        below = self.queue(child)
        if "classes" in below.parameters or below.rate is not None:
            found.lost_settings.append(f"classes below {place}: only one level of classes is supported")
            return made
        found.notes += [f"{place}: {note}" for note in below.notes]
        found.lost_settings += [f"{place}: {item}" for item in below.lost_settings]
        aqm, lost = _aqm(below)
        if lost:
            found.lost_settings.append(f"{place}: {lost}")
        if below.parameters.get("limit") == "inf":
            del below.parameters["limit"]
        limit = {key: value for key, value in below.parameters.items() if key == "limit"}
        return made | ({"queue": {"scheme": aqm.scheme, **aqm.parameters}} if aqm.scheme != "droptail" else limit)

    def _filtered(self, line: TcObject, places: Collection[str]) -> list[tuple[str, dict[str, Any]]]:
        """Classes with the conditions of their filters, in the order in which the filters are tried.

        Filters that do not lead to a class with a queue are not read, and are therefore listed.
        """
        filters = [one for one in self.lines if one.subject == "filter" and one.parent == f"{_major(line)}:0"]
        entries: list[tuple[str, dict[str, Any]]] = []
        for one in sort_by_preference(filters):
            target, match, _ = read_filter(one.words)
            place = normalize_handle(target or "")
            if place in places and match and add_class_conditions(entries, place, match):
                self.used.add(id(one))
        return entries


def _aqm(below: Conversion) -> tuple[Conversion, str]:
    """The AQM of a class for the queue below it, and the rest of that queue: a class is one queue with an AQM."""
    if below.scheme in ("droptail", "red", "codel", "pie", "sfb"):
        return below, ""
    aqm = {"fq-codel": "codel", "fq-pie": "pie"}.get(below.scheme, "droptail")
    known = {"limit", *(param.name for param in find_scheme(aqm).params)}
    given = {key: value for key, value in below.parameters.items() if key in known}
    return Conversion(aqm, given), f"queues of {below.scheme} in a class: here the class has one queue with {aqm}"


def _tbf_limit(line: TcObject, given: Mapping[str, str], rate: float, burst: float) -> float:
    """Bytes that may wait, from the limit or the latency, tc-tbf(8); with a peakrate, the smaller bucket counts."""
    if "limit" in given and "latency" in given:
        raise DialectError("tbf takes limit or latency, and not both")
    if "limit" in given:
        return parse_quantity(given["limit"], SIZES, "size")
    if "latency" not in given:
        raise DialectError("tbf needs limit or latency")
    wait = parse_quantity(given["latency"], TIMES, "time")
    found = rate / 8 * wait + burst
    peak = extract_value("peakrate", line.words)[0]
    if peak is not None:
        small = next((value for name in ("mtu", "minburst") if (value := extract_value(name, line.words)[0])), "0")
        found = min(found, parse_quantity(peak, RATES, "rate") / 8 * wait + parse_quantity(small, SIZES, "size"))
    return found


def _bands(line: TcObject, missing: list[str]) -> tuple[int, list[int]]:
    """The number of bands, and the band of each priority."""
    given = effective_options(PARENTS[line.kind], line, missing)
    bands = parse_integer_argument("bands", given.get("bands", "3"))
    words = given.get("priomap", PARENTS[line.kind].keys_by_word["priomap"].default).split()
    if len(words) != 16 or not all(word.isdecimal() for word in words):
        raise DialectError("priomap needs the band of each of 16 priorities")
    priomap = [parse_integer_argument("priomap", word) for word in words]
    if not 2 <= bands <= 16 or max(priomap) >= bands:
        raise DialectError(
            f"prio has 2 to 16 bands, and its priomap leads to these: {format_number(bands)} bands are given"
        )
    return bands, priomap


def _frame(classes: Mapping[str, HtbClass], found: Conversion) -> list[str]:
    """Give the link the framing that all classes of htb have, and list framings that differ."""
    framings = {one.framing for one in classes.values()}
    if len(framings) == 1:
        add_framing(framings.pop(), "overhead of htb", found)
        return []
    return [f"overhead, mpu and linklayer of {place}: those of other classes differ, but a link has only one framing"
            for place, one in classes.items() if one.framing != NO_FRAMING]  # fmt: skip


def _major(line: TcObject) -> str:
    return line.id.partition(":")[0] or "1"


def _minor(text: str) -> str:
    try:
        return f"{int(text, 16):x}"
    except ValueError:
        raise DialectError(f"default {text} is not the minor number of a class") from None


def _slow_down(found: Conversion, rate: float, kind: str) -> None:
    """Give the link this rate, unless a queue below is slower."""
    if found.rate is None or rate < found.rate:
        found.rate = rate
        found.notes.append(f"{kind} gives its rate to the link: rate = {format_rate(round(rate))}")
    else:
        found.notes.append(f"the rate of {kind}, {format_rate(round(rate))}, has no effect above a slower one")
