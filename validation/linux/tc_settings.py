"""Generated settings of the queues that `penstock.convert` writes as lines of ``tc``, by the kind of queue in tc.

`strategy` is for tests; `settings` gives a fixed list, the same on each call with one version of Hypothesis.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed
from hypothesis import settings as options
from hypothesis import strategies as st
from penstock.dialects import ConversionContext, write
from penstock.units import format_rate, parse_time

__all__ = ["KINDS", "RATE", "Setting", "lines_of", "settings", "strategy"]

Table = dict[str, Any]
Tables = st.SearchStrategy[Table]
Parts = Mapping[str, st.SearchStrategy[Any]]

Setting = tuple[str, Table]
"""A scheme and the parameters of its queue."""

UNCHECKED = list(HealthCheck)
RATE = 10e6
"""Rate of the link, in bit/s, where a line needs it."""

flag = st.booleans()
shares = st.integers(1, 99).map(lambda percent: percent / 100)
counts = st.integers(1, 5000).map(lambda count: f"{count}p")
sizes = st.integers(1000, 10**6).map(lambda octets: f"{octets}B")
packets = st.integers(256, 9000).map(lambda octets: f"{octets}B")
long_times = st.integers(1, 10**6).map(lambda ms: f"{ms}ms")
times = st.one_of(
    st.integers(1, 1000).map(lambda ms: f"{ms}ms"),
    st.integers(100, 99999).map(lambda us: f"{us}us"),
)
rates = st.integers(8000, 10**8).map(lambda octets: format_rate(8 * octets))
parts = st.integers(1000, 250_000).map(lambda octets: 8 * octets)
sixteenths = st.integers(1, 32).map(lambda count: count / 16)


def table(always: Parts, sometimes: Parts | None = None) -> Tables:
    """Parameters that are given, and some that may be absent."""
    return st.fixed_dictionaries(dict(always), optional=dict(sometimes or {}))


def red(more: Parts | None = None) -> Tables:
    """Thresholds in packets, a limit above them, a share and a weight."""

    def made(low: int, above: int, room: int, rest: Table) -> Table:
        return {"min_th": low, "max_th": low + above, "limit": f"{low + above + room}p", **rest}

    powers = st.integers(1, 12).map(lambda power: 2.0**-power)
    rest = table({"max_p": shares, "w_q": powers, "ecn": flag, **(more or {})})
    return st.builds(made, st.integers(1, 100), st.integers(1, 300), st.integers(1, 1000), rest)


def sfq() -> Tables:
    """Within what tc-sfq(8) allows: a depth of 127 packets at most, room for no more than all queues hold."""

    def made(depth: int, flows: int, share: float, rest: Table) -> Table:
        return {"depth": depth, "flows": flows, "limit": f"{max(2, round(share * depth * flows))}p", **rest}

    powers = st.integers(9, 14).map(lambda power: 2**power)
    seconds = st.integers(1, 600).map(lambda count: f"{count}s")
    rest = table({"quantum": packets, "buckets": powers}, {"perturb": seconds, "headdrop": st.just(True)})
    return st.builds(made, st.integers(2, 127), st.integers(2, 500), shares, rest)


def classes(more: Parts | None = None) -> st.SearchStrategy[list[Table]]:
    """Two to five classes; the last one has no condition."""
    codel = table({"scheme": st.just("codel"), "limit": counts, "target": times, "ecn": flag})
    aqms: Tables = st.one_of(table({"limit": counts}), table({"queue": codel}), st.just({}))
    one = st.builds(lambda aqm, rest: {**rest, **aqm}, aqms, table(more or {}))

    def made(points: list[int], rest: list[Table], udp: bool) -> list[Table]:
        matches: list[Table] = [{"dscp": sorted(points[place::3])} for place in range(min(3, len(points)))]
        matches += [{"protocol": "udp"}] if udp else []
        matches = [{"match": match} for match in matches][: len(rest) - 1]
        tables = zip([*matches, {}], rest, strict=False)
        return [{"name": f"1:{place}0", **match, **more} for place, (match, more) in enumerate(tables, 1)]

    points = st.lists(st.integers(0, 63), min_size=1, max_size=6, unique=True)
    return st.builds(made, points, st.lists(one, min_size=2, max_size=5), flag)


def ranked(given_: list[Table]) -> Table:
    """Classes with their ranks as priorities."""
    return {"classes": [{**one, "priority": rank} for rank, one in enumerate(given_)]}


def banded(given_: list[Table]) -> Table:
    """Classes in the order of their bands, which are named by it."""
    return {"classes": [{**one, "name": f"1:{rank + 1:x}"} for rank, one in enumerate(given_)]}


def gred() -> Tables:
    """Levels with one weight, which tc can give to each of them."""

    def made(lows: list[int], spread: int, power: int, share: float, ecn: bool) -> Table:
        return {
            **{"min_th": lows, "max_th": [low + spread for low in lows], "max_p": [share] * len(lows)},
            **{"limit": "400p", "w_q": 2.0**-power, "ecn": ecn},
        }

    lows = st.lists(st.integers(1, 50), min_size=1, max_size=8)
    return st.builds(made, lows, st.integers(1, 50), st.integers(2, 10), shares, flag)


CODEL: Parts = {"limit": counts, "target": times, "interval": times, "ecn": flag}
PIE: Parts = {
    **{"limit": counts, "target": times, "t_update": times},
    **{"alpha": sixteenths, "beta": sixteenths, "ecn": flag},
}
FLOWS: Parts = {"flows": st.integers(1, 65536), "quantum": packets}
SFB: Parts = {
    **{"limit": counts, "max": st.integers(20, 500), "bin_size": st.integers(1, 19)},
    **{"d1": shares, "d2": shares, "warmup": long_times},
    **{"penalty_rate": st.integers(1, 1000), "penalty_burst": st.integers(1, 1000)},
}


def is_warm_in_time(given: dict[str, Any]) -> bool:
    """Whether the new hash tables of sfb are warm when they replace the old ones; penstock takes no other ones."""
    warmup, rehash = (parse_time(given.get(name, "600s")) for name in ("warmup", "rehash"))
    return warmup <= rehash


TINS = ("diffserv3", "diffserv4", "diffserv8", "precedence", "besteffort")
HOSTS = ("triple-isolate", "dual-srchost", "dual-dsthost", "flows", "hosts", "srchost", "dsthost", "flowblind")
CAKE: Parts = {"rtt": times, "diffserv": st.sampled_from(TINS), "isolation": st.sampled_from(HOSTS)}
CAKE_FLAGS: Parts = {
    "ack_filter": st.sampled_from(("off", "conservative", "aggressive")),
    **{"ingress": st.booleans(), "wash": st.booleans()},
}
OVERHEADS = st.integers(0, 256).map(lambda octets: f"{octets}B")
SHARED: Parts = {"weight": parts.map(lambda rate: rate / 1e6)}
BURSTS = st.integers(1000, 10**5).map(lambda octets: f"{octets}B")
RATED: Parts = {"rate": parts.map(format_rate), "burst": BURSTS}

KINDS: Mapping[str, tuple[str, Tables]] = {
    "pfifo": ("droptail", table({"limit": counts})),
    "bfifo": ("droptail", table({"limit": sizes})),
    "red": ("red", red({"mean_packet": st.sampled_from(["500B", "1000B", "1500B"])})),
    "choke": ("choke", red()),
    "gred": ("wred", gred()),
    "sfb": ("sfb", table(SFB, {"rehash": long_times}).filter(is_warm_in_time)),
    "codel": ("codel", table(CODEL, {"ce_threshold": times})),
    "fq_codel": (
        "fq-codel",
        table({**CODEL, **FLOWS, "drop_batch": st.integers(1, 1000)}, {"ce_threshold": times}),
    ),
    "pie": ("pie", table(PIE)),
    "fq_pie": ("fq-pie", table({**PIE, **FLOWS, "mark_ecnth": shares})),
    "sfq": ("sfq", sfq()),
    "cake": ("cake", table(CAKE, {"bandwidth": rates, "overhead": OVERHEADS, **CAKE_FLAGS})),
    "tbf": ("shaper", table({"rate": rates, "burst": sizes, "limit": sizes})),
    "prio": ("pq", classes().map(banded)),
    "htb": ("wfq", classes(SHARED).map(lambda made: {"classes": made})),
    "htb prio": ("pq", classes(RATED).map(ranked)),
}
"""By the kind of queue: penstock's scheme and its parameters."""


def strategy(kind: str) -> st.SearchStrategy[Setting]:
    """A scheme and parameters that tc can say, as a queue of this kind."""
    scheme, tables = KINDS[kind]
    return tables.map(lambda parameters: (scheme, parameters))


def settings(kind: str, count: int) -> list[Setting]:
    """Different settings of a kind."""
    found: dict[str, Setting] = {}

    @seed(count)
    @options(
        max_examples=4 * count, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=UNCHECKED
    )
    @given(made=strategy(kind))
    def collect(made: Setting) -> None:
        found.setdefault(repr(made), made)

    collect()
    return list(found.values())[:count]


def lines_of(setting: Setting) -> list[str]:
    """The lines for a device eth0 on a link of `RATE`; the weights of wfq are rates already."""
    return write(*setting, "tc", ConversionContext(None if setting[0] == "wfq" else RATE)).text.splitlines()
