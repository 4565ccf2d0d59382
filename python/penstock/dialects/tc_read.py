"""Root queues of `tc` with classes, filters and queues below: prio, htb, tbf, gred. Man pages tc-prio(8) and kin.

A text says what penstock says by a scheme with classes and the rate of the link:

* prio is `pq`, with the bands as priorities;
* htb is `wfq` by the rates of its classes, or `pq` with rates where their `prio` differs: within its rate a class is
  served by priority, and so is what is left of the link. With one class, or tbf, the link has the rate.
* gred is `wred` with a level for each virtual queue.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from penstock.dialects import tc_queue
from penstock.dialects.conversion import Conversion, DialectError, Facts
from penstock.dialects.kinds import number, plain
from penstock.dialects.tc_lines import Line, identifier
from penstock.dialects.tc_match import priority_of, read_filter
from penstock.dialects.tc_units import RATES, SIZES, TIMES
from penstock.dialects.tc_units import measured as measured_text
from penstock.laws.catalog import find_scheme
from penstock.units import format_rate, parse_size

__all__ = ["CLASSFUL", "PRIOMAP", "read_gred", "read_tree"]

CLASSFUL = ("prio", "htb", "tbf", "pfifo_fast")

PRIOMAP = (1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1)
"""The default of tc-prio(8)."""

HTB_BURST = "1600B"
"""What tc computes for a burst that is not given: 1600 B, and the bytes of a tick of its clock: mostly none."""

HTB_TICKS = (math.inf, 1000, 300, 250, 100)
"""Ticks per second of tc's clock: of a timer of high resolution, and of kernels without one."""


def read_tree(lines: Sequence[Line], facts: Facts) -> Conversion:
    """The settings of the root queue with all below it."""
    queues = [line for line in lines if line.subject == "qdisc" and line.kind in (*tc_queue.KINDS, *CLASSFUL, "gred")]
    above = {line.id for line in lines if line.id}
    roots = [
        line for line in queues if not line.parent or (line.parent not in above and _owner(line.parent) not in above)
    ]
    if len(roots) != 1:
        raise DialectError(f"one root queue is expected; this text has {len(roots)}")
    tree = _Tree(list(lines), facts)
    # Classes that tc prints for queues without settings of their classes, and devices without a queue.
    tree.used |= {id(line) for line in lines if line.subject == "class" and line.kind != "htb"}
    tree.used |= {id(line) for line in lines if line.kind == "noqueue"}
    found = tree.queue(roots[0])
    found.missing += [line.text for line in lines if id(line) not in tree.used]
    return found


def read_gred(lines: Sequence[Line], facts: Facts) -> Conversion:
    """The virtual queues of gred as the levels of wred."""
    words = [word for line in lines for word in line.words]
    starts = [place for place, word in enumerate(words) if word in ("vq", "DP") and place + 1 < len(words)]
    if not starts:
        raise DialectError(
            "gred needs its virtual queues: lines tc qdisc change ... gred vq 0 limit ... min ... max ..."
        )
    found = Conversion("wred", {})
    setup = _options(words[: starts[0]], {"grio", "ecn", "harddrop", "setup"})
    levels: dict[int, Conversion] = {}
    priorities = set()
    for start, end in zip(starts, [*starts[1:], len(words)], strict=True):
        part = words[start:end]
        level = int(part[1]) if part[1].isdigit() else len(levels)
        options = _options(part[2:], {"ecn", "harddrop"})
        priorities.add(options.pop("prio", None))
        levels[level] = tc_queue.queue("red", [word for pair in options.items() for word in pair if word], facts)
    ordered = [levels[level].parameters for level in sorted(levels)]
    for name in ("min_th", "max_th", "max_p"):
        found.parameters[name] = [one[name] for one in ordered]
    for name in ("w_q", "mean_packet", "limit"):
        values = [one.get(name) for one in ordered]
        if values[0] is not None:
            found.parameters[name] = values[0]
        found.missing += [f"{name} of vq {level} = {value}" for level, value in zip(sorted(levels), values, strict=True)
                          if value != values[0]]  # fmt: skip
    found.parameters |= {"spacing": "count", "measure_in": "bytes"}
    if "limit" in setup:
        # Room for all and for a level: with one average both are compared with the whole backlog.
        rooms = [round(measured(setup["limit"], SIZES, "size"))]
        rooms += [parse_size(found.parameters["limit"])] if "limit" in found.parameters else []
        found.parameters["limit"] = f"{min(rooms)}B"
    if "ecn" in setup or any(one.get("ecn") for one in ordered):
        found.parameters["ecn"] = True
    if "grio" not in setup or len(priorities) > 1:
        found.missing.append("an average for each vq: wred has one over all packets, as gred with grio and equal prio")
    found.notes.append("the vq of a packet is its tc_index, set by filters; here its precedence chooses the level")
    found.notes += list(dict.fromkeys(note for level in sorted(levels) for note in levels[level].notes))
    return found


class _Tree:
    """The queues and classes of a text; `used` are those that were read."""

    def __init__(self, lines: list[Line], facts: Facts) -> None:
        self.lines, self.facts = lines, facts
        self.used: set[int] = set()

    def queue(self, line: Line) -> Conversion:
        """A queue with all below it."""
        self.used.add(id(line))
        match line.kind:
            case "tbf":
                return self._tbf(line)
            case "prio":
                return self._prio(line)
            case "pfifo_fast":
                return self._pfifo_fast(line)
            case "htb":
                return self._htb(line)
            case "gred":
                levels = [one for one in self.lines if one.kind == "gred" and one.parent == line.parent]
                self.used |= {id(one) for one in levels}
                return read_gred(levels, self.facts)
            case _:
                return tc_queue.read(line, self.facts)

    def _below(self, place: str) -> Line | None:
        """The queue whose parent is this class."""
        return next((one for one in self.lines if one.subject == "qdisc" and one.parent == place and one.kind), None)

    def _tbf(self, line: Line) -> Conversion:
        given = _options(line.words, set())
        try:
            rate = measured(given.pop("rate"), RATES, "rate")
            burst = measured(
                next(given.pop(name) for name in ("burst", "buffer", "maxburst") if name in given), SIZES, "size"
            )
        except (KeyError, StopIteration):
            raise DialectError("tbf needs rate and burst") from None
        room = _tbf_limit(given, rate, burst)
        missing = [f"{name} {value}" for name, value in given.items() if (name, value) not in _NOTHING]
        below = self._below(f"{_major(line)}:1") or self._below(f"{_major(line)}:0")
        if below is None:
            found = Conversion("shaper", {"rate": format_rate(round(rate)), "burst": f"{round(burst)}B"})
            if room is not None:
                found.parameters["limit"] = f"{round(room)}B"
        else:
            found = self.queue(below)
            found.rate = rate
            found.notes.append(f"tbf gives its rate to the link: rate = {format_rate(round(rate))}")
            missing.append(f"burst of tbf, {round(burst)} B: a link has no bucket")
        found.missing += missing
        return found

    def _prio(self, line: Line) -> Conversion:
        bands, priomap = _bands(line)
        entries = self._filtered(line)
        default = priomap[0]
        claimed = {dscp for _, match in entries if set(match) == {"dscp"} for dscp in match["dscp"]}
        for band in sorted(set(priomap) - {default}):
            points = [dscp for dscp in range(64) if priomap[priority_of(dscp)] == band and dscp not in claimed]
            if points:
                _claim(entries, f"{_major(line)}:{band + 1:x}", {"dscp": points})
        last = f"{_major(line)}:{default + 1:x}"
        entries = [entry for entry in entries if entry[0] != last] + [(last, {})]
        order = [int(place.split(":")[1], 16) - 1 for place, _ in entries]
        found = Conversion("pq", {"classes": []})
        for (place, match), band in zip(entries, order, strict=True):
            priority = {} if order == sorted(order) and order[0] == 0 and len(order) == bands else {"priority": band}
            found.parameters["classes"].append(self._class(place, match, priority, found))
        for band in sorted(set(range(bands)) - set(order)):
            child = self._below(f"{_major(line)}:{band + 1:x}")
            if child is not None:
                self.used.add(id(child))
            found.notes.append(f"band {_major(line)}:{band + 1:x} gets no packet by its code point, and is left out")
        if len(found.parameters["classes"]) == 1:
            raise DialectError("prio: every packet goes to one band; its queue alone says the same")
        return found

    def _pfifo_fast(self, line: Line) -> Conversion:
        """Prio with three fixed bands; each holds as much as the device's queue, tc-pfifo_fast(8)."""
        found = self._prio(line)
        for one in found.parameters["classes"]:
            one["limit"] = "1000p"
        found.notes.append("limit = 1000 packets in each band, the usual txqueuelen of a device")
        return found

    def _htb(self, line: Line) -> Conversion:
        options = _options(line.words, {"offload"})
        classes = [one for one in self.lines if one.subject == "class" and _owner(one.id) == f"{_major(line)}:0"]
        self.used |= {id(one) for one in classes}
        parents = {one.parent for one in classes}
        leaves = {one.id: _HtbClass.of(one) for one in classes if one.id not in parents}
        tops = [one for one in classes if one.id in parents and one.parent in ("", f"{_major(line)}:0")]
        if not leaves:
            raise DialectError("htb needs classes: tc class add dev eth0 parent 1: classid 1:1 htb rate 10mbit")
        root = _HtbClass.of(tops[0]).ceil if len(tops) == 1 else sum(one.ceil for one in leaves.values())
        middle = [one for one in classes if one.id in parents and one not in tops]
        default = f"{_major(line)}:{_minor(options.get('default', '0'))}"
        alone = len(leaves) == 1
        found = self._only(next(iter(leaves)), root) if alone else self._shared(line, leaves, root, default)
        found.rate = root
        found.notes.append(f"htb gives its rate to the link: rate = {format_rate(round(root))}")
        found.missing += [
            f"class {one.id} between the root and its leaves: there is one level of classes" for one in middle
        ]
        if not tops and len(leaves) > 1:
            found.missing.append("no class above the others: in htb none may borrow from another, here each may")
        if default not in leaves:
            found.missing.append("packets without a filter pass htb unshaped: here the last class has them")
        return found

    def _only(self, place: str, root: float) -> Conversion:
        """One class: its queue, on a link with its rate."""
        for one in self.lines:
            if one.subject == "filter":
                self.used.add(id(one))
        child = self._below(place)
        return self.queue(child) if child else Conversion("droptail", {}, rate=root)

    def _shared(self, line: Line, leaves: dict[str, _HtbClass], root: float, default: str) -> Conversion:
        ranked = len({one.prio for one in leaves.values()}) > 1
        entries = [entry for entry in self._filtered(line) if entry[0] in leaves and entry[0] != default]
        found = Conversion("pq" if ranked else "wfq", {"classes": []})
        for place in leaves:
            if place != default and place not in {name for name, _ in entries}:
                entries.append((place, {"traffic": [place]}))
                found.missing.append(f"the packets of {place}: no filter leads to it; name them in its match")
        entries += [(default, {})] if default in leaves else []
        for place, match in entries:
            leaf = leaves[place]
            shares: dict[str, Any] = {"weight": number(leaf.rate / 1e6)}
            if ranked:
                shares = {
                    "priority": leaf.prio,
                    "rate": format_rate(round(leaf.rate)),
                    "burst": leaf.burst or HTB_BURST,
                }
            found.parameters["classes"].append(self._class(place, match, shares, found))
            found.missing += leaf.unsaid(place, root, ranked)
        if ranked and len({one.prio for one in leaves.values()}) < len(leaves):
            found.missing.append("turns between classes of the same prio: here the first one listed goes first")
        return found

    def _class(self, place: str, match: dict[str, Any], more: dict[str, Any], found: Conversion) -> dict[str, Any]:
        """A class of a scheduler, with the queue below it."""
        made = {"name": place, **({"match": match} if match else {}), **more}
        child = self._below(place)
        if child is None:
            return made
        below = self.queue(child)
        if "classes" in below.parameters or below.rate is not None:
            found.missing.append(f"classes below {place}: there is one level of classes")
            return made
        found.notes += [f"{place}: {note}" for note in below.notes]
        found.missing += [f"{place}: {item}" for item in below.missing]
        law, lost = _law(below)
        if lost:
            found.missing.append(f"{place}: {lost}")
        limit = {key: value for key, value in below.parameters.items() if key == "limit"}
        return made | ({"queue": {"scheme": law.scheme, **law.parameters}} if law.scheme != "droptail" else limit)

    def _filtered(self, line: Line) -> list[tuple[str, dict[str, Any]]]:
        """Classes with the conditions of their filters, in the order in which these are tried."""
        filters = [one for one in self.lines if one.subject == "filter" and one.parent == f"{_major(line)}:0"]
        entries: list[tuple[str, dict[str, Any]]] = []
        for one in sorted(filters, key=lambda one: _whole("pref", one.at.get("pref") or "65535")):
            target, match, _ = read_filter(one.words)
            if target is not None and match and _claim(entries, identifier(target), match):
                self.used.add(id(one))
        return entries


def _claim(entries: list[tuple[str, dict[str, Any]]], place: str, match: dict[str, Any]) -> bool:
    """Add conditions of a class; False where they are not its first ones, and cannot be joined to these."""
    points = set(match.get("dscp", ()))
    alone = [found for _, found in entries if set(found) == {"dscp"}]
    if set(match) == {"dscp"}:
        points -= {dscp for found in alone for dscp in found["dscp"]}
        match = {"dscp": sorted(points)}
    known = next((found for name, found in entries if name == place), None)
    if known is None:
        entries.append((place, match))
        return True
    if set(known) != {"dscp"} or set(match) != {"dscp"} or len(alone) < len(entries):
        return known == match
    known["dscp"] = sorted({*known["dscp"], *points})
    return True


def _law(below: Conversion) -> tuple[Conversion, str]:
    """The law of a class for the queue below it, and what that queue has besides: a class is one queue with a law."""
    if below.scheme in ("droptail", "red", "codel", "pie", "sfb"):
        return below, ""
    law = {"fq-codel": "codel", "fq-pie": "pie"}.get(below.scheme, "droptail")
    known = {"limit", *(param.name for param in find_scheme(law).params)}
    given = {key: value for key, value in below.parameters.items() if key in known}
    return Conversion(law, given), f"queues of {below.scheme} in a class: here it has one, guarded by {law}"


class _HtbClass:
    """The options of a class of htb."""

    def __init__(self, given: dict[str, str]) -> None:
        if "rate" not in given:
            raise DialectError("a class of htb needs a rate")
        self.rate = measured(given.pop("rate"), RATES, "rate")
        self.ceil = measured(given.pop("ceil"), RATES, "rate") if "ceil" in given else self.rate
        burst = given.pop("burst", None) or given.pop("buffer", None) or given.pop("maxburst", None)
        self.burst = None if burst is None else f"{round(measured(burst, SIZES, 'size'))}B"
        self.prio = _whole("prio", given.pop("prio", "0"))
        self.rest = given

    @classmethod
    def of(cls, line: Line) -> _HtbClass:
        """From a line. Raises `DialectError`."""
        return cls(_options(line.words, set()))

    def unsaid(self, place: str, root: float, ranked: bool) -> list[str]:
        """What a class cannot have here."""
        found = (
            [] if self.ceil >= root else [f"ceil {format_rate(round(self.ceil))} of {place}: a class may use the link"]
        )
        if self.burst is not None and not ranked and not _is_default(parse_size(self.burst), self.rate):
            found.append(f"burst {self.burst} of {place}")
        for name, value in self.rest.items():
            default = name == "cburst" and _is_default(measured(value, SIZES, "size"), self.ceil)
            if not default and (name, value) not in _NOTHING and name != "level":
                found.append(f"{name} {value} of {place}")
        return found


def _is_default(burst: float, rate: float) -> bool:
    """Whether tc computes this burst for a rate in bit/s; it prints some sizes to 16 B."""
    return any(abs(burst - parse_size(HTB_BURST) - rate / 8 / ticks) < 16 for ticks in HTB_TICKS)


_NOTHING = {("mpu", "0"), ("mpu", "0b"), ("overhead", "0"), ("linklayer", "ethernet")}
"""Options with the values that change nothing."""


def measured(text: str, units: dict[str, float], what: str) -> float:
    """As in `tc_units`. Raises `DialectError`."""
    try:
        return measured_text(text, units, what)
    except ValueError as error:
        raise DialectError(f"{text}: {error}") from None


def _whole(name: str, text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise DialectError(f"{name} {text}: expected a whole number") from None


def _options(words: Sequence[str], flags: set[str]) -> dict[str, str]:
    """Words with their values. Raises `DialectError`."""
    found, rest = {}, list(words)
    while rest:
        if rest[0] in flags:
            found[rest[0]], rest = "", rest[1:]
        elif len(rest) == 1:
            raise DialectError(f"{rest[0]} has no value")
        else:
            found[rest[0]], rest = rest[1], rest[2:]
    return found


def _tbf_limit(given: dict[str, str], rate: float, burst: float) -> float | None:
    """Bytes that may wait, from the limit or the latency, tc-tbf(8): with a peakrate the smaller of both buckets'."""
    if "limit" in given:
        return measured(given.pop("limit"), SIZES, "size")
    latency = given.pop("latency", None) or given.pop("lat", None)
    if latency is None:
        return None
    wait = measured(latency, TIMES, "time")
    found = rate / 8 * wait + burst
    if "peakrate" in given:
        small = next((given[name] for name in ("mtu", "minburst") if name in given), "0")
        found = min(found, measured(given["peakrate"], RATES, "rate") / 8 * wait + measured(small, SIZES, "size"))
    return found


def _bands(line: Line) -> tuple[int, list[int]]:
    """The number of bands, and the band of each priority."""
    words, bands, priomap = list(line.words), 3, list(PRIOMAP)
    while words:
        if words[0] == "bands" and len(words) > 1 and words[1].isdigit():
            bands, words = int(words[1]), words[2:]
        elif words[0] == "priomap":
            given = words[1:17]
            if len(given) < 16 or not all(word.isdigit() for word in given):
                raise DialectError("priomap needs the band of each of 16 priorities")
            priomap, words = [int(word) for word in given], words[17:]
        else:
            raise DialectError(f"{words[0]} is not an option of prio: it has bands and priomap")
    if not 2 <= bands <= 16 or max(priomap) >= bands:
        raise DialectError(f"prio has 2 to 16 bands, and its priomap leads to these: {plain(bands)} bands are given")
    return bands, priomap


def _major(line: Line) -> str:
    return line.id.partition(":")[0] or "1"


def _owner(place: str) -> str:
    return f"{place.partition(':')[0]}:0"


def _minor(text: str) -> str:
    try:
        return f"{int(text, 16):x}"
    except ValueError:
        raise DialectError(f"default {text} is not the minor number of a class") from None
