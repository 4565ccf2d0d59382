"""Real runs compared with simulated runs: twelve scenarios with TCP, and one with TCP and datagrams.

`make real-vs-simulated` runs this script as root: it measures on links of this machine, then writes the data and the
page. Without `--measure`, only the page is written, from the stored data.
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock.files import write_text
from penstock.link.comparison import measure_plan, prepare_plan
from penstock.results.display import decimal_places, display_unit, format_number
from penstock.results.metrics import find_metric
from penstock.scenario.document import Document
from penstock.studies.plan import ComparisonPlan

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "docs" / "data" / "real_and_simulated.json"
PART = DATA.with_suffix(".part.json")
PAGE = ROOT / "docs" / "explanation" / "real-and-simulated.md"
RUNS = 5
SECONDS = {"duration": "14s", "warmup": "4s"}
RATES = ("10Mbit", "100Mbit")
SCHEMES = ("droptail", "red:ecn=false,gentle=true", "codel")
FLAVOURS = {"cubic": "cubic", "sack": "Reno with SACK"}
LINK_METRICS = ("delay_mean_s", "delay_p99_s", "loss_rate", "utilization")
TRAFFIC_METRICS = ("goodput_bps", "srtt_mean_s")
DATAGRAM_METRICS = ("loss_rate", "owd_mean_s", "jitter_mean_s")


@dataclass(frozen=True)
class Cell:
    """Four flows of one flavour at one rate; with `mixed`, also datagrams at a tenth of that rate."""

    rate: str
    flavour: str
    mixed: bool = False

    @property
    def name(self) -> str:
        """Title of the tables."""
        datagrams = ", with datagrams" if self.mixed else ""
        return f"{self.rate.replace('Mbit', ' Mbit/s')}, {FLAVOURS[self.flavour]}{datagrams}"

    def document(self) -> Document:
        """The scenario: round trips of 20 to 26 ms, and a buffer of 40 ms at the rate of the link."""
        megabits = int(self.rate.removesuffix("Mbit"))
        packets = megabits * 40 // 12
        link = {"from": "R1", "to": "R2", "rate": self.rate, "delay": "10ms", "watch": True}
        link["queue"] = {"scheme": "droptail", "limit": f"{packets}p"}
        tree: dict[str, Any] = {"name": self.name, **SECONDS, "seed": 1, "links": {"bottleneck": link}, "traffic": {}}
        fast = {"rate": f"{10 * megabits}Mbit"}
        for i in range(4):
            tree["links"][f"access{i}"] = {"from": f"S{i}", "to": "R1", "delay": f"{i}ms", **fast}
        tree["links"]["sink"] = {"from": "R2", "to": "D", "delay": "0s", **fast}
        tree["traffic"]["bulk"] = {
            "kind": "tcp",
            "flavour": self.flavour,
            "profile": "linux",
            "count": 4,
            "from": [f"S{i}" for i in range(4)],
            "to": "D",
            "start": {"uniform": ["0s", "1s"]},
        }
        if self.mixed:
            rate = f"{megabits * 100}kbit"
            tree["traffic"]["datagrams"] = {"kind": "poisson", "rate": rate, "packet": "1000B", "from": "S0", "to": "D"}
        return Document(tree)


def cells() -> list[Cell]:
    """All combinations of two rates and two flavours, and a mixture with datagrams."""
    return [Cell(rate, flavour) for rate in RATES for flavour in FLAVOURS] + [Cell("10Mbit", "cubic", mixed=True)]


def measure() -> dict[str, Any]:
    """The rows of each cell, from runs in sequence. An interrupted call resumes after its last finished cell."""
    found: list[dict[str, Any]] = json.loads(PART.read_text(encoding="utf-8")) if PART.exists() else []
    for done, cell in enumerate(cells()):
        if done < len(found):
            continue
        schemes = SCHEMES[2:] if cell.mixed else SCHEMES
        plan = ComparisonPlan.resolve_cases(cell.document(), schemes)
        ready = prepare_plan(plan)

        def report(finished: int, planned: int, done: int = done) -> None:
            print(f"\r{done + 1} of {len(cells())} scenarios: {finished} of {planned} runs ", end="", file=sys.stderr)

        measured = measure_plan(plan, ready, RUNS, simulate=True, attempts=5, on_run=report)
        kept = (*LINK_METRICS, *TRAFFIC_METRICS, *DATAGRAM_METRICS)
        names = ("scheme", "params", "place", "metric", "mean", "sd", "ci95", "runs", "on")
        rows = [{key: row[key] for key in names} for row in measured.rows() if row["metric"] in kept]
        differences = [{key: row[key] for key in names} for row in measured.difference_rows() if row["metric"] in kept]
        validity = [
            {key: run[key] for key in ("scheme", "seed", "valid", "attempts", "lateness", "invalid_because")}
            for run in measured.attempts
        ]
        found.append({"cell": cell.name, "rows": rows, "differences": differences, "runs": validity})
        write_text(PART, json.dumps(found))
    print(file=sys.stderr)
    PART.unlink()
    return {"kernel": platform.release().split("-")[0], "runs": RUNS, "cells": found}


HEAD = """# Real and simulated runs side by side

This page compares simulations with runs on real links, with the same scenarios and seeds. Both kinds of runs use
penstock's queues. Real runs use the TCP of Linux {kernel} between network namespaces.

Four flows with round trips of 20 to 26 ms share a link with a buffer of 40 ms. Statistics cover 10 s after a warm-up
of 4 s. Each number is the mean of {runs} runs. Differences are real minus simulated values of the same seed, with the
half-width of the 95 % interval.

`make real-vs-simulated` measures all {count} combinations of rate, scheme and congestion control, and one scenario
with datagrams. It takes about {minutes} minutes and writes this page.

{validity}

## Summary

The table has the ratio of the real mean to the simulated mean, first with CUBIC, then with Reno:

{summary}

* **Drop-tail:** Mean delay and utilization agree within 5 %. The real goodput is about 1 % lower, because TCP
  timestamps take 12 of the 1460 bytes that a simulated packet has for user data.
* **Short queues at 100 Mbit/s:** Real packets arrive in bursts, because the hosts share two processors and handle
  several acknowledgements at once. Simulated hosts send no such bursts. With RED, whose default `max_th` is 1.8 ms at
  this rate, bursts cause more drops and a lower utilization. With CoDel, they raise the delay by 20 to 25 %. At 10
  Mbit/s, both effects are small.
* **Smoothed round-trip time:** At 10 Mbit/s, it is 0.4 to 1.5 ms shorter in real runs, because Linux delays fewer
  acknowledgements than the simulated receivers.
* **Connection setup:** Real flows start with a handshake, and simulated flows of the profile `linux` do not. After
  the warm-up, this makes no difference.
"""


def summary(data: Mapping[str, Any]) -> Iterator[str]:
    """A row for each rate and scheme, with the ratios for both congestion controls."""
    names = ("delay_mean_s", "loss_rate", "utilization")
    yield "| rate | scheme | " + " | ".join(find_metric(name).title.lower() for name in names) + " | goodput |"
    yield "|---|---|" + "---|" * (len(names) + 1)
    for rate in RATES:
        shown = rate.replace("Mbit", " Mbit/s")
        mine = [cell for cell in data["cells"] if cell["cell"].startswith(shown) and is_plain(cell)]
        for scheme in dict.fromkeys(row["scheme"] for row in mine[0]["rows"]):
            ratios = [
                ", ".join(f"{ratio(cell, scheme, place, name):.3f}" for cell in mine)
                for place, name in [*(("bottleneck", name) for name in names), ("bulk", "goodput_bps")]
            ]
            yield f"| {shown} | {scheme} | " + " | ".join(ratios) + " |"


def is_plain(cell: Mapping[str, Any]) -> bool:
    """Whether the cell has TCP alone."""
    return "datagrams" not in cell["cell"]


def ratio(cell: Mapping[str, Any], scheme: str, place: str, name: str) -> float:
    """The ratio of the real to the simulated mean."""
    wanted = scheme, place, name
    found = {row["on"]: row["mean"] for row in cell["rows"] if (row["scheme"], row["place"], row["metric"]) == wanted}
    return float(found["link"] / found["simulation"])


def page(data: Mapping[str, Any]) -> str:
    """The page of the data."""
    runs = [run for cell in data["cells"] for run in cell["runs"]]
    valid = [run for run in runs if run["valid"]]
    late = max((run["lateness"]["p99_s"] for run in valid), default=0.0)
    again = sum(run["attempts"] > 1 for run in runs)
    validity = (
        f"Of {len(runs)} real runs, {len(valid)} are valid; {again} needed more than one attempt. In each valid run, "
        f"at least 99 % of the packets\nwere delivered at most {late * 1e6:.0f} µs late."
    )
    count = sum(len({row["scheme"] for row in cell["rows"]}) for cell in data["cells"] if is_plain(cell))
    minutes = round(len(runs) * 14.5 / 60)
    text = HEAD.format(
        summary="\n".join(summary(data)),
        count=count,
        kernel=data["kernel"],
        runs=data["runs"],
        minutes=minutes,
        validity=validity,
    )
    for cell in data["cells"]:
        text += f"\n## {cell['cell']}\n\n" + "\n".join(table(cell)) + "\n"
    return text


def table(cell: Mapping[str, Any]) -> Iterator[str]:
    """A row for each scheme and metric."""
    rows = {(row["on"], row["scheme"], row["place"], row["metric"]): row for row in cell["rows"]}
    differences = {(row["scheme"], row["place"], row["metric"]): row for row in cell["differences"]}
    yield "| scheme | place | metric | simulated | real | difference |"
    yield "|---|---|---|---|---|---|"
    wanted = {"bottleneck": LINK_METRICS, "bulk": TRAFFIC_METRICS, "datagrams": DATAGRAM_METRICS}
    for scheme in dict.fromkeys(row["scheme"] for row in cell["rows"]):
        for place, names in wanted.items():
            for name in names:
                both = [rows.get((on, scheme, place, name)) for on in ("simulation", "link")]
                difference = differences.get((scheme, place, name))
                if both[0] is None or both[1] is None or difference is None:
                    continue
                shown = texts(name, both[0], both[1], difference)
                yield f"| {scheme} | {place} | {find_metric(name).title} | " + " | ".join(shown) + " |"


def texts(name: str, *rows: Mapping[str, Any]) -> list[str]:
    """Two means, and a difference with its half-width, in the unit of the larger."""
    scale = display_unit(find_metric(name).quantity, [row["mean"] for row in rows[:2]])
    halves = [(row["ci95"][1] - row["ci95"][0]) / 2 * scale.factor if row["ci95"] else 0.0 for row in rows]
    places = decimal_places([row["mean"] * scale.factor for row in rows], [half for half in halves if half])
    means = [format_number(row["mean"] * scale.factor, places) for row in rows]
    sign = "+" if rows[2]["mean"] > 0 else ""
    unit = f" {scale.unit}" if scale.unit else ""
    return [means[0] + unit, means[1] + unit, f"{sign}{means[2]} ± {format_number(halves[2], places)}{unit}"]


def main() -> None:
    """Measure if requested, then write the page."""
    if "--measure" in sys.argv[1:]:
        write_text(DATA, json.dumps(measure(), indent=1) + "\n")
    write_text(PAGE, page(json.loads(DATA.read_text(encoding="utf-8"))))


if __name__ == "__main__":
    main()
