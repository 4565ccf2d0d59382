"""Measure what `penstock tune` advises on nine links, and write the page about it.

`make advice` runs this script; it takes 20 minutes on two idle cores. Every plan is carried out in full, so that a busy
machine measures the same numbers later. Without `--measure`, only the page is written again, from the stored data. With
`--store DIR`, finished runs are kept there and used again.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from penstock.files import write_text
from penstock.results.display import (
    DisplayUnit,
    decimal_places,
    display_unit,
    format_number,
    join_with_and,
    scheme_argument,
)
from penstock.results.metrics import find_metric
from penstock.scenario.document import Document
from penstock.studies.store import RunResults, Store
from penstock.tuning import display
from penstock.tuning import tune as tuning
from penstock.tuning.advice import Advice
from penstock.tuning.budget import BudgetClock

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "docs" / "data" / "advice.json"
CHECKS = ROOT / "docs" / "data" / "advice_check.json"
PAGE = ROOT / "docs" / "explanation" / "advice.md"


@dataclass(frozen=True)
class Case:
    """A scenario with one link and its load, the aims, the available schemes, and a budget in seconds."""

    name: str
    scenario: str
    aims: tuple[str, ...]
    schemes: tuple[str, ...]
    budget_s: float = 60.0


def link(rate: str, delay: str, limit: str, more: str, seconds: float = 20, extra: str = "") -> str:
    """The scenario text of a link from A to B with its load `more`; `extra` are further keys of the link."""
    return f"""
duration = "{seconds:g}s"
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


def tcp(count: int, keys: str = "", name: str = "bulk") -> str:
    """The scenario text of endless TCP flows from A to B."""
    return f"""
[traffic.{name}]
kind = "tcp"
count = {count}
from = "A"
to = "B"
{keys}
"""


def workload(kind: str, users: int, more: str = "") -> str:
    """The scenario text of a named workload with its servers at A."""
    return f"""
[workloads.users]
kind = "{kind}"
users = {users}
from = "A"
to = "B"
{more}
"""


CALL = """
[traffic.call]
kind = "cbr"
rate = "80kbit"
packet = "172B"
headers = "28B"
dscp = "EF"
phase = "random"
from = "A"
to = "B"
"""
NS2 = 'flavour = "sack"\nprofile = "ns2"\npacket = "1000B"\nwindow = 20\nstart = { uniform = ["0s", "3s"] }'
DCTCP = 'flavour = "dctcp"\necn = true\nmin_rto = "10ms"'
INCAST = f"""
[traffic.queries]
kind = "incast"
senders = 32
bytes = "20kB"
every = "20ms"
profile = "linux"
from = "A"
to = "B"
{DCTCP}
"""
BOTH = 'reverse = {{ rate = "{0}", queue = {{ scheme = "droptail", limit = "{1}" }}, watch = true }}'
OFFICE = (ROOT / "examples" / "office_uplink.toml").read_text(encoding="utf-8").replace('"60s"', '"20s"')
OFFICE_AIMS = ("office-calls-up.owd p99 < 50ms", "office-calls-up.loss < 1%")
CASES = (
    Case("Home, 20 and 5 Mbit/s",
         link("20Mbit", "7.5ms", "250p", workload("home", 4, "calls = 1\nbackups = 1"), 30,
              BOTH.format("5Mbit", "120p")),
         ("users-calls.owd p99 < 50ms", "users-calls-up.owd p99 < 50ms"), ("droptail", "codel", "fq-codel", "cake")),
    Case("Link of Alemu's thesis (2004), 1.5 Mbit/s", link("1500kbit", "20ms", "35p", tcp(28, NS2), 60),
         ("delay < 100ms", "utilization > 95%"), ("red", "fq-codel")),
    Case("Link of Alemu's thesis (2004), RED only", link("1500kbit", "20ms", "35p", tcp(28, NS2), 60),
         ("delay p99 < 200ms", "utilization > 95%"), ("red",)),
    Case("Standard link, 10 Mbit/s", (ROOT / "scenarios" / "standard.toml").read_text(encoding="utf-8"),
         ("delay p99 < 40ms",), ("droptail", "codel")),
    Case("Office uplink, 100 Mbit/s", OFFICE, OFFICE_AIMS, ("wred", "pie", "fq-codel", "cake"), 240.0),
    Case("Office uplink, WRED only", OFFICE, OFFICE_AIMS, ("wred",), 150.0),
    Case("Access network, 200 households on 1 Gbit/s",
         link("1Gbit", "10ms", "5000p", workload("home", 3, "count = 200\nvideo = 0").replace('"B"', '"B{i}"')
              + '[links.line]\ncount = 200\nfrom = "B"\nto = "B{i}"\nrate = "100Mbit"\ndelay = "2ms"\n', 8),
         ("delay p99 < 20ms",), ("pie", "fq-codel"), 240.0),
    Case("DSL upload, 795 kbit/s with ATM cells",
         link("795kbit", "20ms", "60p", tcp(2) + CALL, 40, 'framing = "pppoe-vcmux"'),
         ("call.owd p99 < 100ms", "utilization > 85%"), ("droptail", "codel", "fq-codel")),
    Case("Data-centre port, 10 Gbit/s",
         link("10Gbit", "50us", "1000p", tcp(8, DCTCP) + INCAST, 0.2, ""),
         ("delay p99 < 1ms", "utilization > 50%"), ("red:ecn=true", "codel:ecn=true", "fq-codel"), 120.0),
    Case("LTE, 2 to 40 Mbit/s",
         link("20Mbit", "25ms", "800p", workload("mobile", 10), 40,
              'change = [{ every = "200ms", rate = { uniform = ["2Mbit", "40Mbit"] } }]'),
         ("users-calls.owd p99 < 150ms",), ("red", "codel", "fq-codel")),
    Case("Satellite, 20 Mbit/s, 600 ms",
         link("20Mbit", "300ms", "1000p", tcp(4) + tcp(2, 'flavour = "bbr"', "bbr") + CALL, 60),
         ("call.owd p99 < 400ms", "utilization > 80%"), ("codel", "fq-codel", "pie"), 90.0),
)  # fmt: skip
"""Nine links, two of which appear twice, with different schemes or aims."""


def main() -> None:
    """Write the page; with `--measure`, first measure all cases, or only the cases with the given numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--measure", nargs="*", type=int, metavar="CASE", help="measure these cases, counted from 0 (default: all)"
    )
    parser.add_argument("--store", type=Path, metavar="DIR", help="keep finished runs in this folder, and use them")
    options = parser.parse_args()
    if options.measure is not None:
        measure_cases(options.measure or range(len(CASES)), None if options.store is None else Store(options.store))
    write_page()


def write_page() -> None:
    """Write the page from the stored data."""
    checks = json.loads(CHECKS.read_text(encoding="utf-8")) if CHECKS.exists() else {}
    write_text(PAGE, page(json.loads(DATA.read_text(encoding="utf-8")), checks))


def measure_cases(numbers: Collection[int], store: RunResults | None) -> None:
    """Measure cases, and write the data after each of them."""
    data = json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}
    for case in (CASES[at] for at in sorted(numbers)):
        data[case.name] = measure(case, store)
        names = [each.name for each in CASES if each.name in data]
        write_text(DATA, json.dumps({name: data[name] for name in names}, indent=1, ensure_ascii=False) + "\n")


class PatientClock(BudgetClock):
    """A clock by which no machine is too slow for its plan."""

    def is_behind(self, done: int, more: int) -> bool:
        """Whether runs would exceed the budget: never."""
        return False


def measure(case: Case, store: RunResults | None) -> dict[str, Any]:
    """Run `tune` on a case, and return the data of the page."""
    started = time.monotonic()
    with mock.patch.object(tuning, "Clock", PatientClock):
        document = Document.parse(case.scenario)
        advice = tuning.tune(document, case.aims, case.schemes, budget_s=case.budget_s, store=store)
    print(f"{case.name}: {advice.conclusion} ({time.monotonic() - started:.0f} s)", file=sys.stderr, flush=True)
    return page_data(case, advice)


def page_data(case: Case, advice: Advice) -> dict[str, Any]:
    """The parts of the advice that the page shows."""
    result = advice.to_dict()
    return {
        **{name: result[name] for name in ("place", "aims", "conclusion", "met", "confirmed", "runs", "rounds")},
        "schemes": list(case.schemes),
        "lines": [device["tc"] for device in result["advice"][0]["devices"] if device["tc"]],
        "map": sum(point["met"] for point in result["map"]),
        "points": len(result["map"]),
        "reasons": display.missed_aim_lines(advice),
    }


HEAD = """# Nine links

This page shows the advice of [`penstock tune`](../howto/tune.md) for nine links from 0.8 Mbit/s to 10 Gbit/s, two of
which appear twice, with different schemes or aims. Each setting is measured on 20 [random
variations](../howto/tune.md#random-networks) of the link, called *networks* (10 for the access network).

* **Schemes** are the schemes that the router offers.
* **Meets the aims** counts the networks on which the advised setting meets the aims. Networks on which no
  [acceptable](../howto/tune.md#selection-rules) setting meets them are not counted.
* **Map** counts the cases in which the advised setting meets the aims. In each of the 27 cases, the rate, the number of
  flows and the round trip are halved, unchanged or doubled.

In the sections below, the gain of the advised setting is relative to the present queue. "Tuning would improve this
further" names the best searched setting; its gain is relative to the advised setting. The tables omit searched settings
that the text does not mention. `make advice` repeats the measurement.

| link | schemes | advice | meets the aims | map |
| --- | --- | --- | --- | --- |"""


def page(data: dict[str, Any], checks: dict[str, Any]) -> str:
    """The page: a table of all links, and a section for each, with its check against random settings if it has one."""
    lines = [line(*item) for item in data.items()]
    return "\n".join([HEAD, *lines, "", *(section(name, entry, checks.get(name)) for name, entry in data.items())])


def line(name: str, entry: dict[str, Any]) -> str:
    """A row of the table."""
    best = entry["confirmed"][0]
    networks = best["networks"]
    met = f"{networks['met']} of {networks['attainable']} networks" if entry["met"] else "no"
    advised = f"`{label(best)}`" + (" (the present queue)" if best["origin"] == "present" else "")
    return f"| {name} | {', '.join(entry['schemes'])} | {advised} | {met} | {entry['map']} of {entry['points']} |"


def section(name: str, entry: dict[str, Any], check: dict[str, Any] | None) -> str:
    """The conclusion, the check, aims missed on the map, the tc commands, and a table of the confirmed settings."""
    names = [(place, name) for place, metrics in entry["confirmed"][0]["metrics"].items() for name in metrics]
    rows = [f"## {name}", "", f"Aims: {', '.join(f'`{aim}`' for aim in entry['aims'])}.", ""]
    rows += [code(without_repetition(entry), entry), ""]
    if check is not None:
        rows += [
            f"In a check on {check['networks']} fresh networks, `{check['setting']}` meets the aims on {check['met']}. "
            f"On {check['attainable']} of these networks, the aims are attainable: this setting or at least one of "
            f"{check['settings']} random settings meets them.",
            "",
        ]
    if entry["reasons"]:
        rows += [*(f"* {code(text.strip(), entry)}" for text in entry["reasons"]), ""]
    if entry["lines"]:
        rows += ["```text", *entry["lines"], "```", ""]
    rows += [f"| setting | origin | all aims met | {' | '.join(heads(entry, names))} |"]
    rows.append("| --- " * (3 + len(names)) + "|")
    for setting in filter(lambda each: is_listed(each, entry), entry["confirmed"]):
        cells = " | ".join(cell(entry, key, setting["metrics"][key[0]][key[1]]) for key in names)
        origin = display.ORIGINS.get(setting["origin"], setting["origin"].partition(":")[0])
        if setting["barred"]:
            origin += f"; not acceptable: {' and '.join(setting['barred'])}"
        networks = f"{setting['networks']['met']} of {setting['networks']['of']}"
        rows.append(f"| `{label(setting)}` | {origin} | {networks} | {cells} |")
    return "\n".join([*rows, ""])


def without_repetition(entry: dict[str, Any]) -> str:
    """The conclusion without the names of the aims, which are above it."""
    text = entry["conclusion"].replace(f"meets {join_with_and(entry['aims'])}", "meets the aims")
    text = text.replace("meets the aims together", "meets all aims")
    return str(text.replace("random variations of the scenario", "networks"))


def is_listed(setting: dict[str, Any], entry: dict[str, Any]) -> bool:
    """Whether the table has a setting: all but searched settings that the conclusion does not name."""
    name = rf"(?<![^\s(]){re.escape(label(setting))}(?=[),.:;]?(?:\s|$))"
    return setting["origin"] != "searched" or re.search(name, entry["conclusion"]) is not None


def code(text: str, entry: dict[str, Any]) -> str:
    """The text with aims, and settings that have parameters, in code font."""
    labels = {label(setting) for setting in entry["confirmed"] if setting["parameters"]}
    words = sorted({*entry["aims"], *labels}, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, words)), lambda match: f"`{match[0]}`", text)


def heads(entry: dict[str, Any], names: list[tuple[str, str]]) -> list[str]:
    """Column headers with units; metrics of other places than the tuned link are prefixed by the place."""
    return [
        f"{'' if place == entry['place'] else place + ': '}"
        f"{find_metric(name).title} ({scale(entry, (place, name)).unit})"
        for place, name in names
    ]


def scale(entry: dict[str, Any], key: tuple[str, str]) -> DisplayUnit:
    """The unit that suits a metric over all settings."""
    place, name = key
    return display_unit(
        find_metric(name).quantity, [setting["metrics"][place][name]["mean"] for setting in entry["confirmed"]]
    )


def cell(entry: dict[str, Any], key: tuple[str, str], estimate: dict[str, Any]) -> str:
    """Mean ± half-width of the 95 % interval."""
    factor = scale(entry, key).factor
    half = factor * (estimate["ci95"][1] - estimate["ci95"][0]) / 2
    places = decimal_places([factor * estimate["mean"]], [half])
    return f"{format_number(factor * estimate['mean'], places)} ± {format_number(half, places)}"


def label(setting: dict[str, Any]) -> str:
    """A setting in the notation of `--scheme`."""
    return scheme_argument(setting["scheme"], setting["parameters"])


if __name__ == "__main__":
    main()
