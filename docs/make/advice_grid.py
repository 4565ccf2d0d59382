"""RED and WRED by `penstock tune` beside an exhaustive grid: RED on four of the ten links, WRED on two others.

`make advice` runs this too; it takes a few minutes of a core for each link. `docs/make/advice.py` shows the data.
"""

from __future__ import annotations

import json
import math
import sys
import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from advice import BUDGET_S, CALLS, CASES, Case, link, tcp
from penstock.engine.run import cores
from penstock.files import write_text
from penstock.results.estimate import summarize
from penstock.scenario.loaded_link import LoadedLink
from penstock.scenario.scenario import Document
from penstock.tuning.advice import FRESH, tune
from penstock.tuning.aim import Aim
from penstock.tuning.bench import Bench, Measured, Setting
from penstock.tuning.space import Knob, space_of

Array = npt.NDArray[np.float64]

DATA = Path(__file__).resolve().parents[2] / "docs" / "data" / "advice_grid.json"
GRIDS = {
    "red": {"min_th": 6, "spread": 5, "max_p": 4, "trips": 3},
    "wred": {"min_th": 5, "spread": 3, "max_p": 3, "trips": 2, "lead": 3},
}
"""Values of each number that the search chooses, equally far apart by their logarithm, from end to end of its range."""

GRID_RUNS, AGAIN = 3, 60
"""Runs of each setting of the grid, and of those that are measured again with the advice."""

MOST_POWERFUL = 10
"""Settings of the grid with the best scores that are measured again, beside those on the front."""

SECOND = "utilization"
WITH_WRED = (
    # Of the calls' delay 100 ms, RED's aim there, is met by none of WRED's settings that were measured again.
    Case("DSL uplink, 0.5 Mbit/s, calls in EF", link("500kbit", "15ms", "60p", tcp(2) + CALLS + 'dscp = "EF"', 40),
         ("calls.owd p99 < 120ms", "utilization > 90%", "calls.loss < 1%"), ("wred",)),
    Case("10 Mbit/s, 4 of 16 flows in AF11",
         link("10Mbit", "20ms", "100p", tcp(12) + 'dscp = "AF12"' + tcp(4).replace("bulk", "gold") + 'dscp = "AF11"'),
         ("delay p99 < 40ms", "utilization > 98%", "gold.loss < 3%"), ("wred",)),
)  # fmt: skip
"""Links with two drop precedences; the third aim is a bound that each setting of the grid has to meet too."""

MEASURED = (*(("red", CASES[place]) for place in (0, 1, 2, 6)), *(("wred", case) for case in WITH_WRED))
"""The schemes, and the links that each one is tuned on."""


def main() -> None:
    """Measures all of `MEASURED`, or those whose numbers are given."""
    known = json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}
    for place in sorted({int(word) for word in sys.argv[1:] if word.isdigit()} or range(len(MEASURED))):
        scheme, case = MEASURED[place]
        known[case.name] = measured(scheme, case)
        names = [one.name for _, one in MEASURED if one.name in known]
        write_text(DATA, json.dumps({name: known[name] for name in names}, indent=1, ensure_ascii=False) + "\n")


def measured(scheme: str, case: Case) -> dict[str, Any]:
    """The advice for the scheme, and its distances from the grid's best, on seeds that neither has met."""
    begun = time.process_time()
    document = Document.parse(case.scenario)
    found = tune(document, case.aims, (scheme,), budget_s=BUDGET_S)
    tuned = time.process_time()
    resolved = document.resolve()
    bench = Bench(document, LoadedLink.of(resolved, found.link.place), found.aims, threads=cores())
    seed = int(resolved.readable["seed"])
    every = bench.measure(settings(scheme, bench), range(seed, seed + GRID_RUNS))
    grid = [one for one in every if is_allowed(bench, one)]
    chosen = [*front(grid, found.aims[0], bench.link.place)]
    chosen += [one for one in sorted(grid, key=lambda one: one.score)[:MOST_POWERFUL] if one not in chosen]
    fresh = range(seed + 2 * FRESH, seed + 2 * FRESH + AGAIN)
    advised, *best = bench.measure([found.advised[0], *(one.setting for one in chosen)], fresh)
    best = [one for one in best if is_allowed(bench, one)]
    print(
        f"{case.name}: grid of {len(every)}, {len(grid)} within further aims, {len(chosen)} measured again",
        file=sys.stderr,
        flush=True,
    )
    return {
        "scheme": scheme,
        "aims": list(case.aims),
        "advice": found.advised[0].label,
        "settings": len(every),
        "again": len(chosen),
        "runs": {"grid": GRID_RUNS, "again": AGAIN},
        **distances(bench, advised, best),
        "lowest": lowest(scheme, case, bench, grid, fresh),
        "cpu_s": {"tune": round(tuned - begun, 1), "grid": round(time.process_time() - tuned, 1)},
    }


def lowest(scheme: str, case: Case, bench: Bench, grid: list[Measured], seeds: range) -> dict[str, Any]:
    """The advice where the aim's metric shall be as low as can be, beside the grid's lowest, at enough utilization."""
    aims = (case.aims[1], f"min {case.aims[0].partition('<')[0].strip()}", *case.aims[2:])
    found = tune(Document.parse(case.scenario), aims, (scheme,), budget_s=BUDGET_S)
    place = bench.link.place
    enough = [one for one in grid if not bench.aims[1].shortfall(float(np.mean(one.values[place, SECOND])))]
    nearest = sorted(enough, key=lambda one: float(np.nanmean(column(one, bench.aims[0], place))))[:MOST_POWERFUL]
    advised, *best = bench.measure([found.advised[0], *(one.setting for one in nearest)], seeds)
    ours = column(advised, bench.aims[0], place)
    kept = [
        one
        for one in best
        if is_allowed(bench, one) and not bench.aims[1].shortfall(float(np.mean(one.values[place, SECOND])))
    ]
    return {
        "aims": list(aims),
        "advice": found.advised[0].label,
        "point": {"metric": told(ours), SECOND: told(advised.values[place, SECOND])},
        "distance": worst([gain(ours, column(one, bench.aims[0], place)) for one in kept]),
    }


def is_allowed(bench: Bench, one: Measured) -> bool:
    """Whether the means meet the aims beside the two that the distances are in."""
    return not any(aim.shortfall(float(np.nanmean(column(one, aim, bench.link.place)))) for aim in bench.aims[2:])


def settings(scheme: str, bench: Bench) -> list[Setting]:
    """Every combination of the grid that the scheme accepts, each once."""
    space = space_of(scheme, bench.link, {})
    values = [levels(knob, GRIDS[scheme]) for knob in space.knobs]
    names = [knob.name for knob in space.knobs]
    made = [Setting(scheme, space.parameters(dict(zip(names, one, strict=True))), "grid") for one in product(*values)]
    return [one for one in {one.label: one for one in made}.values() if bench.is_valid(one)]


def levels(knob: Knob, grid: dict[str, int]) -> list[Any]:
    """The values of a knob in the grid."""
    if knob.choices:
        return list(knob.choices)
    return [float(value) for value in np.geomspace(knob.low, knob.high, grid[knob.name])]


def column(one: Measured, aim: Aim, place: str) -> Array:
    """The metric of the aim, of each run."""
    found: Array = one.values[aim.place or place, aim.metric]
    return found


def front(grid: list[Measured], aim: Aim, place: str) -> list[Measured]:
    """The settings that no other one beats in both the aim's metric (less is better) and the utilization."""
    points = np.array([(np.nanmean(column(one, aim, place)), -np.nanmean(one.values[place, SECOND])) for one in grid])
    return [
        one
        for one, point in zip(grid, points, strict=True)
        if not ((points <= point).all(axis=1) & (points < point).any(axis=1)).any()
    ]


def distances(bench: Bench, advised: Measured, best: list[Measured]) -> dict[str, Any]:
    """From the advice to the front, in the aim's metric and the utilization, and in the power that the search ranks by.

    *front*: the largest factor by which one setting of the grid is better in both, less 1. *delay*: the part of the
    aim's metric that the lowest setting of the front with no less utilization saves. *power*: the part of the power by
    which the best setting that meets the aims is better. Each with the 95 % interval of the paired runs.
    """
    aim, place = bench.aims[0], bench.link.place
    ours, used = column(advised, aim, place), advised.values[place, SECOND]
    both = [smaller(gain(ours, column(one, aim, place)), gain(one.values[place, SECOND], used)) for one in best]
    lower = [one for one in best if np.mean(one.values[place, SECOND]) >= np.mean(used)]
    delay = [gain(ours, column(one, aim, place)) for one in lower]
    meeting = [one for one in best if meets(bench, one)]
    power = [gain(bench.power(one.values), bench.power(advised.values)) for one in meeting]
    return {
        "metric": f"{aim.place or place}.{aim.metric}",
        "point": {"metric": told(ours), SECOND: told(used), "power": told(bench.power(advised.values))},
        "front": worst(both),
        "delay": worst(delay),
        "power": worst(power),
        "points": [
            {
                "label": one.setting.label,
                "metric": told(column(one, aim, place)),
                SECOND: told(one.values[place, SECOND]),
            }
            for one in best
        ],
    }


def meets(bench: Bench, one: Measured) -> bool:
    """Whether the means meet every aim."""
    return not any(aim.shortfall(float(np.nanmean(column(one, aim, bench.link.place)))) for aim in bench.aims)


def gain(large: Array, small: Array) -> Array:
    """The factor between two metrics less 1, of each run."""
    found: Array = large / small - 1
    return found


def smaller(one: Array, other: Array) -> Array:
    """The gain with the smaller mean."""
    return one if one.mean() < other.mean() else other


def worst(gains: list[Array]) -> dict[str, Any] | None:
    """The largest mean gain with its interval, negative if no setting is better; None with nothing to compare."""
    return told(max(gains, key=lambda one: float(one.mean()))) if gains else None


def told(values: Array) -> dict[str, Any]:
    """Mean and interval."""
    found = summarize([value for value in values.tolist() if math.isfinite(value)])
    return {"mean": found.mean, "ci95": list(found.ci95 or (found.mean, found.mean))}


if __name__ == "__main__":
    main()
