"""The record of results, `tests/data/meaning.json`: compares it with the runs of `recorded_runs`, and writes it.

The record holds a hash of the result of each run, without its cost (`events`, `cpu_s`), and the version of meaning of
the build that made it. It is the same on all machines: the simulator uses integers, IEEE 754 arithmetic and the
functions of the crate `libm` (`penstock_core::math`), never those of the platform; the recorded AQM in Python uses
arithmetic only.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from penstock import _native
from penstock.engine.run import run_batch
from penstock.scenario.document import Document

from .recorded_runs import Tree, recorded_runs

FILE: Final = Path(__file__).resolve().parents[1] / "data" / "meaning.json"
COST: Final = ("events", "cpu_s")
RULE: Final = "crates/penstock-sim/src/meaning.rs"


@dataclass(frozen=True)
class Record:
    """Hashes of results by the names of their runs, and the version of meaning of the build that made them."""

    meaning: int
    results: Mapping[str, str]

    @classmethod
    def read(cls) -> Record:
        """The committed record."""
        return cls(**json.loads(FILE.read_text(encoding="utf-8")))

    def write(self) -> None:
        """Replace the committed record."""
        content = {"meaning": self.meaning, "results": dict(sorted(self.results.items()))}
        FILE.write_text(json.dumps(content, indent=0) + "\n", encoding="utf-8")

    @classmethod
    def of_this_build(cls) -> Record:
        """Run everything now."""
        with tempfile.TemporaryDirectory() as folder:
            runs = recorded_runs(Path(folder))
            scenarios = {name: _for_engine(name, tree) for name, tree in runs.items()}
            results: dict[str, str] = {}
            # A batch with an AQM in Python uses processes for all of its runs.
            for names in ([name for name in runs if ("Python" in name) is python] for python in (False, True)):
                batch = run_batch([scenarios[name] for name in names], [1] * len(names))
                results |= zip(names, map(_hash, batch), strict=True)
        return cls(_native.meaning, results)


def _for_engine(name: str, tree: Tree) -> str:
    return Document(tree, {"": name}).resolve().for_engine(flows=True, series=True, series_points=20)


def _hash(result: str) -> str:
    values = {key: value for key, value in json.loads(result).items() if key not in COST}
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:12]


def errors(old: Record, new: Record) -> list[str]:
    """The reasons why the record does not belong to this build, each with its cure."""
    messages = []
    changed, added, removed = _differences(old, new)
    if old.meaning == new.meaning and changed:
        messages.append(_unmarked(old, changed))
    elif old.meaning != new.meaning:
        messages.append(
            _refused(old, new) or f"The record is of meaning {old.meaning}, MEANING is {new.meaning}: make meaning."
        )
    if added:
        messages.append(f"Not recorded: {_listed(added, new.results)}. Record with: make meaning.")
    if removed:
        messages.append(f"Recorded, but no longer run: {_listed(removed, old.results)}. Record with: make meaning.")
    return messages


def refusal(old: Record, new: Record) -> str | None:
    """The reason why `new` must not replace `old`, if there is one."""
    changed, _, _ = _differences(old, new)
    return _unmarked(old, changed) if old.meaning == new.meaning and changed else _refused(old, new)


def _refused(old: Record, new: Record) -> str | None:
    changed, added, _ = _differences(old, new)
    if new.meaning < old.meaning:
        return f"MEANING ({RULE}) is {new.meaning}, but {old.meaning} is recorded: it is never lowered."
    if new.meaning > old.meaning and not (changed or added):
        return (
            f"MEANING ({RULE}) was raised from {old.meaning} to {new.meaning}, but no recorded run changed.\n"
            "Take it back, so that stored runs stay valid; or, if other results change, add a run that shows it to "
            "tests/python/recorded_runs.py."
        )
    return None


def _unmarked(old: Record, changed: Iterable[str]) -> str:
    return (
        f"The results of recorded runs changed, but MEANING is still {old.meaning}: {_listed(changed, old.results)}.\n"
        "Either the edit is a mistake, or it is meant to change results. Then\n"
        f"  raise MEANING in {RULE},\n"
        f"  name the change under Results that change in CHANGELOG.md, ending with (meaning {old.meaning + 1}),\n"
        "  and record the results again: make meaning\n"
        "If only a scenario in tests/python/recorded_runs.py was edited, give it a new name."
    )


def _differences(old: Record, new: Record) -> tuple[list[str], list[str], list[str]]:
    """The names of the runs whose results differ, that are new, and that are gone."""
    changed = [name for name, result in new.results.items() if old.results.get(name, result) != result]
    return changed, [*new.results.keys() - old.results], [*old.results.keys() - new.results]


def _listed(names: Iterable[str], among: Iterable[str]) -> str:
    """Names of runs; by what they test, if they are many."""
    names = sorted(names)
    if len(names) <= 10:
        return ", ".join(names)
    totals = Counter(map(_group, among))
    counts = sorted(Counter(map(_group, names)).items())
    groups = [f"{group} ({count} of {totals[group]} runs)" for group, count in counts[:30]]
    return ", ".join(groups) + (f", and {len(counts) - 30} more" if len(counts) > 30 else "")


def _group(name: str) -> str:
    return "/".join(name.split("/")[:2])


def main() -> None:
    """Record the results of this build, unless they changed and MEANING did not."""
    new = Record.of_this_build()
    if FILE.exists() and (reason := refusal(Record.read(), new)):
        sys.exit(reason)
    new.write()
    print(f"{FILE}: {len(new.results)} runs of meaning {new.meaning}")


if __name__ == "__main__":
    main()
