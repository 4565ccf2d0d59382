"""Random small networks, every scheme in turn: the numbers of results, comparisons and pages fit together."""

from __future__ import annotations

import html
import math
import random
import re
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import penstock as ps
import pytest
from penstock.aqms.catalog import Scheme, find_scheme, schemes
from penstock.report.page import render
from penstock.scenario._generated import SCHEMES
from penstock.scenario.document import Document

CHECKED = [scheme.name for scheme in schemes()]
FLAVOURS = ("reno", "newreno", "sack", "cubic", "vegas", "dctcp", "bbr", "bbr3")
SECONDS = 8
PACKET_BITS = 8 * 1100
WINDOW = 20

# Families that serve in order of arrival. Elsewhere a packet that waits may have waited longer than any that left.
IN_ORDER = ("passive", "probability", "RED", "control", "delay", "rate", "fair dropping", "per flow", "classes")


def network(scheme: Scheme, rng: random.Random) -> dict[str, Any]:
    """One to four links in a row, one of them the bottleneck with this queue; TCP, datagrams and web sessions."""
    count = rng.randrange(1, 5)
    bottleneck = rng.randrange(count)
    rate = rng.choice((1.0, 2.0, 4.0))
    links: dict[str, dict[str, Any]] = {}
    for i in range(count):
        fast = rng.choice((2, 5, 10)) if i != bottleneck else 1
        links[f"l{i}"] = {
            "from": f"N{i}",
            "to": f"N{i + 1}",
            "rate": f"{rate * fast}Mbit",
            "delay": f"{rng.randrange(1, 20)}ms",
        }
    links[f"l{bottleneck}"] |= {"queue": queue(scheme, rng, rate), "watch": True}
    ends = {"from": "N0", "to": f"N{count}"}
    ecn = rng.random() < 0.5
    flavour = rng.choice(FLAVOURS)
    able = ecn or flavour == "dctcp"
    tcp: dict[str, Any] = {"kind": "tcp", "flavour": flavour, "ecn": able, "window": WINDOW}
    tcp["count"] = rng.randrange(1, 6)
    start: dict[str, Any] = {"start": {"uniform": ["0s", "1s"]}}
    udp: dict[str, Any] = {
        "kind": rng.choice(("cbr", "poisson")),
        "rate": f"{rate * rng.choice((0.1, 0.3, 1.2))}Mbit",
        "packet": "500B",
        "ecn": ecn,
    }
    web: dict[str, Any] = {"kind": "web", "sessions": rng.randrange(1, 5), "pages": "500ms", "window": WINDOW}
    named: dict[str, dict[str, Any]] = {"tcp": tcp | start, "udp": udp | start, "web": web}
    chosen = rng.sample(sorted(named), rng.randrange(1, 4))
    return {
        "duration": f"{SECONDS}s",
        "warmup": rng.choice(("0s", "2s")),
        "seed": rng.randrange(1000),
        "links": links,
        "traffic": {name: ends | named[name] for name in chosen},
    }


def queue(scheme: Scheme, rng: random.Random, rate: float) -> dict[str, Any]:
    """The scheme with its defaults, what it requires, and ECN where it has a switch for that."""
    table: dict[str, Any] = {"scheme": scheme.name, "limit": f"{rng.choice((30, 60, 100))}p"}
    table |= {param.name: scheme.example(param) for param in scheme.params if param.required}
    for key in {"rate", "cir"} & set(table):
        table[key] = f"{rate / 2}Mbit"
    switch = scheme.param("ecn")
    if switch is not None and switch.kind == "flag":
        table["ecn"] = rng.random() < 0.5
    return table


def random_of(name: str) -> random.Random:
    """The same draws on every machine."""
    return random.Random(zlib.crc32(name.encode()))


@pytest.mark.parametrize("name", CHECKED)
def test_the_numbers_of_a_run_fit_together(name: str) -> None:
    scheme, rng = find_scheme(name), random_of(name)
    for _ in range(3):
        tree = network(scheme, rng)
        run = ps.run(Document(tree))
        ((link, numbers),) = run.raw["links"].items()
        context = {"link": link, "tree": tree, "numbers": numbers}
        finite(run.raw)
        shares_and_percentiles(numbers)
        conservation(numbers, tree, context)
        lengths(numbers)
        if "delay_mean_s" in numbers:
            little(numbers, tree, scheme, context)
        rates(run.raw, link, tree, context)


def finite(value: Any) -> None:
    """No number of the result is NaN or infinite."""
    if isinstance(value, Mapping):
        for inner in value.values():
            finite(inner)
    elif isinstance(value, list):
        for inner in value:
            finite(inner)
    elif isinstance(value, float):
        assert math.isfinite(value)


def distributions(numbers: Mapping[str, Any]) -> Iterator[tuple[str, list[float]]]:
    """The distributions that a run has, by name."""
    return ((name, values) for name, values in numbers.items() if name.endswith("_pmf") and values)


def shares_and_percentiles(numbers: Mapping[str, Any]) -> None:
    """Shares lie between 0 and 1, distributions sum to 1, percentiles rise."""
    for name, value in numbers.items():
        if name in ("utilization", "loss_rate", "mark_rate", "empty_share", "sampled_empty_share", "jain"):
            assert 0 <= value <= 1 + 1e-12, name
    for name, values in distributions(numbers):
        assert min(values) >= 0, name
        assert math.isclose(sum(values), 1, rel_tol=1e-9), name
    for stem in ("delay_p{}_s", "completion_p{}_s"):
        rising = [numbers[stem.format(p)] for p in (50, 95, 99, 999) if stem.format(p) in numbers]
        assert rising == sorted(rising)


def conservation(numbers: Mapping[str, Any], tree: Mapping[str, Any], context: object) -> None:
    """Arrivals are departures, drops, and the change of what waits, at most the longest queue."""
    drops = [value for name, value in numbers.items() if name.startswith("drops_")]
    assert numbers["drops"] == sum(drops), context
    grown = numbers["arrivals"] - numbers["departures"] - numbers["drops"]
    longest = len(numbers["length_pmf"]) - 1
    assert (0 if tree["warmup"] == "0s" else -longest) <= grown <= longest, context
    arrivals = numbers["arrivals"] or 1
    if "loss_rate" in numbers:
        assert math.isclose(numbers["loss_rate"], numbers["drops"] / arrivals, rel_tol=1e-9, abs_tol=1e-12), context


def lengths(numbers: Mapping[str, Any]) -> None:
    """Mean, variance and the empty share are those of the distribution of the length."""
    for prefix, mean, variance, empty in (
        ("length_pmf", "length_mean_pkts", "length_var_pkts2", "empty_share"),
        ("sampled_length_pmf", "length_sampled_mean_pkts", "length_sampled_var_pkts2", "sampled_empty_share"),
    ):
        pmf = numbers[prefix]
        first = sum(length * share for length, share in enumerate(pmf))
        assert math.isclose(numbers[mean], first, rel_tol=1e-9, abs_tol=1e-12)
        second = sum((length - first) ** 2 * share for length, share in enumerate(pmf))
        assert math.isclose(numbers[variance], second, rel_tol=1e-6, abs_tol=1e-9)
        assert math.isclose(numbers[empty], pmf[0], rel_tol=1e-9, abs_tol=1e-12)


def little(numbers: Mapping[str, Any], tree: Mapping[str, Any], scheme: Scheme, context: object) -> None:
    """Mean length = departures per second x mean sojourn, but for packets that wait at the edges or leave as drops.

    Each of these spent at most as long in the queue as nearly all that left; where packets overtake, at most the run.
    """
    window = SECONDS - float(tree["warmup"].removesuffix("s"))
    in_packets, in_sojourns = numbers["length_mean_pkts"] * window, numbers["departures"] * numbers["delay_mean_s"]
    longest = len(numbers["length_pmf"]) - 1
    grown = numbers["arrivals"] - numbers["departures"] - numbers["drops"]
    waiting = grown if tree["warmup"] == "0s" else 2 * longest
    inside = numbers["drops_sojourn"] + numbers["drops_evicted"]
    longest_wait = 1.1 * numbers["delay_p999_s"] + 0.005 if scheme.family in IN_ORDER else window
    edges = (waiting + inside) * longest_wait
    assert abs(in_packets - in_sojourns) <= edges + 0.005 * in_packets + 1e-6, context


def rates(raw: Mapping[str, Any], link: str, tree: Mapping[str, Any], context: object) -> None:
    """Goodput <= throughput <= what the link sent <= its capacity, but for packets on their way at the edges."""
    window = SECONDS - float(tree["warmup"].removesuffix("s"))
    capacity = 1e6 * float(tree["links"][link]["rate"].removesuffix("Mbit"))
    sent = raw["links"][link]["utilization"] * capacity
    total = 0.0
    for name, numbers in raw["traffic"].items():
        shares_and_percentiles(numbers)
        flows = max(numbers["count"], 1)
        # On the wire behind the bottleneck, and out of order at the receiver; nothing is before a run.
        before = 0.0 if tree["warmup"] == "0s" else flows * WINDOW * PACKET_BITS + 0.1 * capacity
        assert numbers["goodput_bps"] <= numbers["throughput_bps"] + before / window + 1e-6, (name, context)
        if numbers.get("sent_pkts") and tree["warmup"] == "0s":
            assert math.isclose(numbers["loss_rate"], numbers["lost_pkts"] / numbers["sent_pkts"], abs_tol=1e-9), (
                context
            )
        total += numbers["throughput_bps"]
    assert total <= sent + PACKET_BITS / window, context
    assert sent <= capacity * (1 + 1e-12), context


@pytest.mark.parametrize("start", range(0, len(CHECKED), 8))
def test_the_numbers_of_a_comparison_fit_together(start: int) -> None:
    rng = random_of(f"comparison {start}")
    names = CHECKED[start : start + 8]
    tree = network(find_scheme("droptail"), rng)
    tree["traffic"].setdefault("udp", {"kind": "poisson", "from": "N0", "to": f"N{len(tree['links'])}"})
    tree["traffic"]["udp"] |= {"rate": "2Mbit", "packet": "500B"}
    tables = [queue(find_scheme(name), rng, 1.0) for name in names]
    queues = [SCHEMES[table.pop("scheme")](**table) for table in tables]
    document = ps.compare(Document(tree), queues, runs=3, jobs=1).to_dict()
    sums: dict[tuple[object, ...], float] = defaultdict(float)
    for row in document["rows"]:
        finite(row)
        if row["ci95"] is not None:
            low, high = row["ci95"]
            assert low <= row["mean"] <= high
        name, bracket, _ = row["metric"].partition("[")
        if bracket:
            key = row["scheme"], str(row["params"]), row["place"], name
            sums[key] += row["mean"]
        elif name in ("utilization", "loss_rate", "mark_rate", "empty_share", "jain"):
            assert 0 <= row["mean"] <= 1 + 1e-12, row
    assert {key[3] for key in sums} >= {"length_pmf", "sampled_length_pmf"}
    for place, total in sums.items():
        assert math.isclose(total, 1, rel_tol=1e-9), place


FACTORS = {
    "s": 1, "ms": 1e3, "µs": 1e6, "%": 100, "packets": 1, "packets²": 1, "": 1, "bit/s": 1, "kbit/s": 1e-3,
    "Mbit/s": 1e-6, "Gbit/s": 1e-9, "B": 1, "kB": 1e-3, "MB": 1e-6,
}  # fmt: skip
ROW = re.compile(r'<code>(\w+)</code></th><td class="unit">([^<]*)</td>(.*?)</tr>', re.S)
CELL = re.compile(r'<span class="v">([^<]*)</span>')


@pytest.mark.parametrize("name", CHECKED[::6])
def test_a_page_shows_the_numbers_of_the_result(name: str) -> None:
    run = ps.run(Document(network(find_scheme(name), random_of(f"page {name}"))), flows=False)
    page = render(run.to_dict())
    parts = page.split('<table class="grid">')[1:3]
    count = 0
    for columns, table in zip((run.raw["links"], run.raw["traffic"]), parts, strict=True):
        for metric, unit, cells in ROW.findall(table.partition("</table>")[0]):
            values = [column.get(metric) for column in columns.values()]
            for value, text in zip(values, CELL.findall(cells), strict=True):
                if value is None:
                    assert text == "–"
                    continue
                plain = html.unescape(text).replace("\u202f", "").replace("−", "-")
                places = len(plain.partition(".")[2])
                assert abs(float(plain) - value * FACTORS[unit]) <= 0.5001 * 10**-places, (metric, text, value)
                count += 1
    assert count > 30
