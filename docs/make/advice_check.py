"""Check the advice of `docs/data/advice.json` on fresh networks, and against many random settings where it fails.

A network is attainable if the advice or any of the random settings meets all aims on it. The advice should meet the
aims on at least 95 % of the attainable networks. On networks where the advice fails, the random settings are tried in
batches until a setting meets the aims. Finished runs are kept in the store.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import advice
import numpy as np
from penstock.files import write_text
from penstock.scenario.document import Document
from penstock.studies.store import RunResults, Store
from penstock.tuning.bench import Setting, TuningBench
from penstock.tuning.floors import violated_floors
from penstock.tuning.paste import round_to_tc_values
from penstock.tuning.space import search_space
from penstock.tuning.tune import DRAW_OFFSET, create_bench

DATA = advice.ROOT / "docs" / "data" / "advice_check.json"

FIRST_DRAW = 4 * DRAW_OFFSET
"""The first of the fresh networks: behind those of the confirmation and of the map."""

BATCH = 10
"""Settings that run together."""


def main() -> None:
    """Check the links with these numbers, and write the numbers and the page of the advice."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--case", nargs="+", type=int, default=range(len(advice.CASES)), help="links, counted from 0 (default: all)"
    )
    parser.add_argument("--settings", type=int, default=500, help="random settings per link (default: 500)")
    parser.add_argument("--networks", type=int, default=200, help="fresh networks (default: 200)")
    parser.add_argument("--store", type=Path, metavar="DIR", help="store of the runs (default: the user's)")
    options = parser.parse_args()
    data = json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}
    for case in (advice.CASES[number] for number in options.case):
        data[case.name] = check(case, options.settings, options.networks, Store(options.store))
        print(f"{case.name}: {data[case.name]}", file=sys.stderr, flush=True)
        names = [each.name for each in advice.CASES if each.name in data]
        write_text(DATA, json.dumps({name: data[name] for name in names}, indent=1, ensure_ascii=False) + "\n")
    advice.write_page()


def check(case: advice.Case, count: int, networks: int, store: RunResults) -> dict[str, Any]:
    """The setting advised on a link, its successes, and those of all settings together."""
    advised = json.loads(advice.DATA.read_text(encoding="utf-8"))[case.name]["confirmed"][0]
    bench, candidates = create_bench(Document.parse(case.scenario), case.aims, case.schemes, store=store)
    draws = [bench.population.draw(number) for number in range(FIRST_DRAW, FIRST_DRAW + networks)]
    (own,) = bench.measure([Setting(advised["scheme"], advised["parameters"])], draws)
    missed = [draw for draw, is_met in zip(draws, own.meets_all_aims, strict=True) if not is_met]
    met = networks - len(missed)
    settings = list(random_settings(bench, [(each.name, dict(each.params)) for each in candidates], count))
    for start in range(0, len(settings), BATCH):
        if not missed:
            break
        batch = bench.measure(settings[start : start + BATCH], missed)
        is_attained = np.logical_or.reduce([each.meets_all_aims for each in batch])
        missed = [draw for draw, is_met in zip(missed, is_attained, strict=True) if not is_met]
    return {
        "setting": own.setting.label,
        "settings": len(settings),
        "networks": networks,
        "attainable": networks - len(missed),
        "met": met,
    }


def random_settings(bench: TuningBench, schemes: Sequence[tuple[str, dict[str, Any]]], count: int) -> Iterator[Setting]:
    """Different settings above the floors, from the search spaces of all schemes in turn; always the same ones."""
    random = np.random.default_rng(1)
    spaces = [(name, fixed, space) for name, fixed in schemes if (space := search_space(name, bench.link, fixed)).knobs]
    known: set[str] = set()
    for number in range(100 * count):
        name, fixed, space = spaces[number % len(spaces)]
        values = {
            knob.name: random.choice(knob.choices).item()
            if knob.choices
            else math.exp(random.uniform(math.log(knob.low), math.log(knob.high)))
            for knob in space.knobs
        }
        parameters = round_to_tc_values(name, space.parameters(values), fixed, bench.link)
        setting = Setting(name, parameters, "searched")
        if (
            setting.label in known
            or violated_floors(name, parameters, bench.link, fixed)
            or not bench.is_valid(setting)
        ):
            continue
        known.add(setting.label)
        yield setting
        if len(known) == count:
            return


if __name__ == "__main__":
    main()
