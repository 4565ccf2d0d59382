"""Sets every cell up, runs all of it in one batch and compares."""

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from .reference import Cell, Comparison, compare, load
from .setup import Setting
from .simulate import simulate

SEED = 1


@dataclass
class Report:
    """What came out."""

    comparisons: list[Comparison] = field(default_factory=list)
    waiting: list[tuple[Cell, str]] = field(default_factory=list)

    def of(self, file: str) -> list[Comparison]:
        """The comparisons of one reference file."""
        return [c for c in self.comparisons if c.cell.file == file]


def validate(
    files: Iterable[str],
    runs: int,
    jobs: int | None = None,
    wanted: Callable[[Cell], bool] = lambda cell: True,
) -> Report:
    """Run the cells of `files` that are `wanted`, `runs` times each, and compare them with the reference."""
    report = Report()
    todo: list[tuple[Cell, Setting]] = []
    for file in files:
        module = importlib.import_module(f"{__package__}.{file}")
        for cell in filter(wanted, load(file)):
            settings = module.settings(cell)
            if isinstance(settings, str):
                report.waiting.append((cell, settings))
            else:
                todo += [(cell, setting) for setting in settings]
    seeds = range(SEED, SEED + runs)
    results = simulate([setting.scenario for _, setting in todo], seeds, jobs)
    for (cell, setting), group in zip(todo, results, strict=True):
        for metric in setting.metrics:
            report.comparisons.append(compare(cell, metric, [setting.read(run, metric) for run in group]))
    return report
