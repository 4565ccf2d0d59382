"""Ten links, what `penstock tune` advises on each, and the page that shows it with `advice_grid.py`'s data.

`make advice` runs this; it takes ten minutes on two quiet cores. Without `--measure` only the page is made
again, from the data.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock.files import write_text
from penstock.results.display import Scale, decimals, number, scale_for, scheme_argument
from penstock.results.metrics import metric
from penstock.scenario.scenario import Document
from penstock.tuning.advice import tune

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "docs" / "data" / "advice.json"
GRID = ROOT / "docs" / "data" / "advice_grid.json"
PAGE = ROOT / "docs" / "explanation" / "advice.md"

BUDGET_S = 45.0


@dataclass(frozen=True)
class Case:
    """A link with its load, the aims, and the candidates."""

    name: str
    scenario: str
    aims: tuple[str, ...]
    candidates: tuple[str, ...]


def link(rate: str, delay: str, limit: str, more: str, seconds: int = 20, extra: str = "") -> str:
    """A link from A to B with a return path, and its load."""
    return f"""
duration = "{seconds}s"
warmup = "{seconds / 4:g}s"
[links.bottleneck]
from = "A"
to = "B"
rate = "{rate}"
delay = "{delay}"
queue = {{ scheme = "droptail", limit = "{limit}" }}
watch = true
{extra}
{more}
"""


def tcp(count: int, flavour: str = "cubic", ecn: str = "false") -> str:
    """Endless flows from A to B."""
    return f"""
[traffic.bulk]
kind = "tcp"
flavour = "{flavour}"
profile = "linux"
count = {count}
ecn = {ecn}
from = "A"
to = "B"
start = {{ uniform = ["0s", "1s"] }}
"""


CALLS = """
[traffic.calls]
kind = "cbr"
rate = "80kbit"
packet = "172B"
phase = "random"
count = 2
from = "A"
to = "B"
"""


def workload(kind: str, users: int) -> str:
    """A named workload, whose servers are at A."""
    return f"""
[workloads.users]
kind = "{kind}"
users = {users}
from = "A"
to = "B"
"""


OFFICE = link("100Mbit", "20ms", "1000p", workload("office", 60) + tcp(2), 60)
ROUTER = ("red", "pie", "codel", "fq-codel", "droptail")
CASES = (
    Case("DSL uplink, 0.5 Mbit/s, with calls", link("500kbit", "15ms", "60p", tcp(2) + CALLS, 40),
         ("calls.owd p99 < 100ms", "utilization > 90%"), ROUTER),
    Case("the thesis' link, 1.5 Mbit/s", link("1500kbit", "27ms", "35p", tcp(10, "sack"), 40),
         ("delay p99 < 120ms", "utilization > 95%"), ("red", "pi", "lred", "droptail")),
    Case("home, 20 Mbit/s", link("20Mbit", "10ms", "250p", workload("home", 3) + tcp(2), 30),
         ("delay p99 < 30ms", "utilization > 95%"), ROUTER),
    Case("satellite, 10 Mbit/s, 550 ms", link("10Mbit", "275ms", "500p", tcp(6), 60),
         ("delay p99 < 200ms", "utilization > 90%"), ROUTER),
    Case("cell that changes its rate, 2 to 20 Mbit/s", link("10Mbit", "25ms", "300p", tcp(4), 40,
         'change = [{ every = "500ms", rate = { uniform = ["2Mbit", "20Mbit"] } }]'),
         ("delay p95 < 100ms", "utilization > 80%"), ROUTER),
    Case("office uplink, 100 Mbit/s", OFFICE, ("users-calls.loss < 0.1%", "users-calls.owd p99 < 70ms"), ROUTER),
    Case("standard link, 10 Mbit/s, RED alone", link("10Mbit", "20ms", "100p", tcp(16, "newreno")),
         ("delay p99 < 40ms", "utilization > 98%"), ("red",)),
    Case("campus uplink, 200 Mbit/s", link("200Mbit", "15ms", "1500p", tcp(40), 10),
         ("delay p99 < 15ms", "utilization > 95%"), ROUTER),
    Case("data centre, 1 Gbit/s, DCTCP", link("1Gbit", "50us", "250p", tcp(8, "dctcp", "true"), 2),
         ("delay p99 < 400us", "utilization > 95%"), ("red:ecn=true,gentle=false", "codel:ecn=true", "pi2:ecn=true")),
    Case("backbone, 10 Gbit/s", link("10Gbit", "5ms", "20000p", tcp(100), 2),
         ("delay p99 < 5ms", "utilization > 95%"), ("red", "codel", "droptail")),
    Case("the office uplink, asked to be full", OFFICE, ("delay p99 < 20ms", "utilization > 95%"), ROUTER),
)  # fmt: skip
"""Ten links, and one of them with a question that has no answer."""


def main() -> None:
    """Measures if asked to, all cases or those whose numbers are given, and writes the page."""
    if "--measure" in sys.argv[1:]:
        wanted = {int(word) for word in sys.argv[1:] if word.isdigit()} or set(range(len(CASES)))
        known = json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}
        for place in sorted(wanted):
            known[CASES[place].name] = measured(CASES[place])
            names = [case.name for case in CASES if case.name in known]
            write_text(DATA, json.dumps({name: known[name] for name in names}, indent=1, ensure_ascii=False) + "\n")
    write_text(PAGE, page(json.loads(DATA.read_text(encoding="utf-8"))))


def measured(case: Case) -> dict[str, Any]:
    """The advice for a case, without the settings that were only tried."""
    begun = time.process_time()
    found = tune(Document.parse(case.scenario), case.aims, case.candidates, budget_s=BUDGET_S)
    result = found.to_dict()
    kept = {name: result[name] for name in ("place", "aims", "conclusion", "confirmed", "runs")}
    robust = result["advice"][0]["robust"] or []
    print(f"{case.name}: {found.conclusion}", file=sys.stderr, flush=True)
    return {
        **kept,
        "advised": len(result["advice"]),
        "tc": result["advice"][0]["tc"],
        "robust": sum(point["met"] for point in robust),
        "points": len(robust),
        "tried": len(result["tried"]),
        "cpu_s": round(time.process_time() - begun, 1),
    }


def page(data: dict[str, Any]) -> str:
    """The page: a table over all links, and a section for each."""
    beside = json.loads(GRID.read_text(encoding="utf-8"))
    return "\n".join(
        [
            HEAD,
            *(line(name, data[name]) for name in data),
            "",
            grid_head(beside),
            *(grid_line(name, beside[name]) for name in beside),
            "",
            grid_settings(beside),
            *(section(name, data[name]) for name in data),
        ]
    )


HEAD = """# Ten links

What [`penstock tune`](../howto/tune.md) advises on ten links from 0.5 Mbit/s to 10 Gbit/s, beside the defaults of the
schemes and the published rules that fit the link: Floyd's thresholds for RED, Brandauer's REDopt, the design rules of
PI and LRED, CoDel's interval by RFC 8289. `make advice` measures it again.

The aims of the office are those of its calls by ITU-T Y.1541, class 0: at most 0.1 % of the packets lost, and 50 ms of
delay above the 20 ms of the link (there for 99.9 % of the packets, here for 99 %). It is asked for a full link too, in
the last row: 60 users, whose pages come in bursts, leave two endless flows half of the link and losses every few
seconds, so that no queue of 1000 packets fills it; the section says what is within reach.

*others*: of the defaults and rules, those that miss an aim, those worse than the advice of which 20 runs do not tell
whether they meet every aim, those that meet all with less power, those that tie, and those that are better; by the
simultaneous 95 % intervals of the differences over 20 runs with seeds that the search did not use. *robust*: points of
the map of rate, flows and round trip, each halved and doubled, at which the advice still meets the aims.

| link | aims | advice | aims met | others: miss, undecided, less power, tie, better | robust |
| --- | --- | --- | --- | --- | --- |"""


def line(name: str, entry: dict[str, Any]) -> str:
    """A row of the table."""
    best, others = entry["confirmed"][0], entry["confirmed"][1:]
    told = [standing(one) for one in others]
    counts = ", ".join(str(told.count(word)) for word in ("miss", "undecided", "worse", "tie", "better"))
    words = {True: "yes", False: "no", None: "undecided"}
    met = ", ".join(words[value] for value in best["met"].values())
    return (
        f"| {name} | {', '.join(entry['aims'])} | `{label(best)}` | {met} | {counts} | "
        f"{entry['robust']} of {entry['points']} |"
    )


def grid_head(beside: dict[str, Any]) -> str:
    """What stands in the table of the grid."""
    settings = {
        scheme: max(entry["settings"] for entry in beside.values() if entry["scheme"] == scheme)
        for scheme in ("red", "wred")
    }
    runs = next(iter(beside.values()))["runs"]
    return f"""## RED and WRED beside an exhaustive grid

On four of the links RED alone is tuned, and a grid over all that the search may choose is run besides: 6 values of
`min_th`, 5 of `max_th / min_th`, 4 of `max_p`, 3 of the time constant of the average, each from end to end of its range
by the logarithm, and `gentle` off and on: {settings["red"]} settings that RED accepts, {runs["grid"]} runs each.
WRED is tuned on two links with two drop precedences, beside a grid of {settings["wred"]} settings: 5, 3, 3 and 2
values of the same numbers for the level that is dropped first, `gentle` off and on, and 3 of how many times higher the
thresholds of the other level are. There a third aim bounds the losses of the other level; settings that miss it do not
count.

The settings that no other one beats in both the delay of the aim and utilization (the Pareto front), and the ten best
by the search's own measure, meet the advice again in {runs["again"]} runs with seeds that neither has met. The table
has how much better the best of them is than the advice, in per cent with the 95 % interval of the paired runs; below
zero the advice is better. The best of many is partly the luckiest, so the distances are rather too large than too
small.

| link | from the front: better in both | lowest delay, asked for | power | delay at no less utilization |
| --- | --- | --- | --- | --- |"""


def grid_line(name: str, entry: dict[str, Any]) -> str:
    """The distances of a link."""
    found = (entry["front"], entry["lowest"]["distance"], entry["power"], entry["delay"])
    return f"| {name} | {' | '.join(percent(one) for one in found)} |"


def percent(found: dict[str, Any] | None) -> str:
    """A distance in per cent; nothing where no setting of the grid can be compared."""
    if found is None:
        return "none"
    low, high = found["ci95"]
    return f"{number(100 * found['mean'], 1)} % ({number(100 * low, 1)} to {number(100 * high, 1)})"


def grid_settings(beside: dict[str, Any]) -> str:
    """What the columns mean, and the settings."""
    within = [entry for entry in beside.values() if all(is_near(one) for one in near_parts(entry))]
    rows = [
        f"* {name}: `{entry['lowest']['advice']}` for {aims(entry['lowest'])}; `{entry['advice']}` for {aims(entry)}"
        for name, entry in beside.items()
    ]
    return "\n".join([GRID_TEXT, f"The first three are below {round(100 * NEAR)} % with their whole intervals on "
                      f"{len(within)} of {len(beside)} links. The advice:", "", *rows, ""])  # fmt: skip


GRID_TEXT = """*From the front*: the factor by which one setting is better in both delay and utilization. *Lowest delay,
asked for*: `tune` with the aim `min` of this delay and the same bound on utilization, beside the grid's lowest delay
that keeps the bound. *Power*: what `tune` ranks by where all aims are met. *Delay at no less utilization*: what the
advice by power leaves in the percentile of the delay, which is not in its power: who wants it as low as can be has to
ask for it, as in the second column.
"""

NEAR = 0.1
"""The distance within which an advice is said to be on the front."""


def near_parts(entry: dict[str, Any]) -> tuple[dict[str, Any] | None, ...]:
    """The distances in what `tune` was asked for."""
    return entry["front"], entry["lowest"]["distance"], entry["power"]


def is_near(found: dict[str, Any] | None) -> bool:
    """Whether the whole interval of a distance is small."""
    return found is not None and bool(found["ci95"][1] < NEAR)


def aims(entry: dict[str, Any]) -> str:
    """The aims of an advice."""
    return " and ".join(f"`{aim}`" for aim in entry["aims"])


def standing(one: dict[str, Any]) -> str:
    """Where a setting stands beside the advice; if it is worse, whether it misses an aim."""
    met = one["met"].values()
    return one["verdict"] if one["verdict"] != "worse" or all(met) else "miss" if False in met else "undecided"


def section(name: str, entry: dict[str, Any]) -> str:
    """The settings of a link with the metrics of the aims and of the tuned queue."""
    names = [(place, name) for place, found in entry["confirmed"][0]["metrics"].items() for name in found]
    rows = [
        f"## {name[0].upper()}{name[1:]}",
        "",
        entry["conclusion"],
        "",
        f"| setting | origin | {' | '.join(heads(entry, names))} |",
    ]
    rows.append("| --- " * (2 + len(names)) + "|")
    for one in entry["confirmed"]:
        cells = " | ".join(cell(entry, key, one["metrics"][key[0]][key[1]]) for key in names)
        rows.append(f"| `{label(one)}` | {one['origin']} | {cells} |")
    return "\n".join([*rows, ""])


def heads(entry: dict[str, Any], names: list[tuple[str, str]]) -> list[str]:
    """Titles with units; before those of other places than the tuned link the place."""
    return [
        f"{'' if place == entry['place'] else place + ': '}{metric(name).title} ({scale(entry, (place, name)).unit})"
        for place, name in names
    ]


def scale(entry: dict[str, Any], key: tuple[str, str]) -> Scale:
    """The unit that suits a metric of all settings."""
    place, name = key
    return scale_for(metric(name).quantity, [one["metrics"][place][name]["mean"] for one in entry["confirmed"]])


def cell(entry: dict[str, Any], key: tuple[str, str], found: dict[str, Any]) -> str:
    """Mean and half-width."""
    factor = scale(entry, key).factor
    half = factor * (found["ci95"][1] - found["ci95"][0]) / 2
    places = decimals([factor * found["mean"]], [half])
    return f"{number(factor * found['mean'], places)} ± {number(half, places)}"


def label(one: dict[str, Any]) -> str:
    """A setting in the notation of `--scheme`."""
    return scheme_argument(one["scheme"], one["parameters"])


if __name__ == "__main__":
    main()
