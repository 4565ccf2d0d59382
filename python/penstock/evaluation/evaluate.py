"""RFC 7928's scenarios, run with schemes against drop-tail: a row for each scenario and scheme."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from penstock import _native
from penstock.engine.run import threads_of
from penstock.errors import Option, PenstockError
from penstock.evaluation import load, mixes, transport
from penstock.evaluation.case import Case
from penstock.evaluation.discussion import Discussion, discussed
from penstock.evaluation.form import FULL, QUICK, Form
from penstock.studies.candidate import Candidate, SchemeLike
from penstock.studies.compare import run_plan
from penstock.studies.plan import Plan
from penstock.studies.runs import Runs
from penstock.studies.store import Results

__all__ = ["FULL", "QUICK", "Evaluation", "Form", "Row", "cases_of", "evaluate"]

LINK = ("utilization", "delay_mean_s", "delay_p99_s", "loss_rate", "jain")
GROUP = ("goodput_bps", "loss_rate", "completion_mean_s", "owd_mean_s", "jitter_mean_s")


@dataclass(frozen=True)
class Row:
    """A scheme in a scenario.

    Attributes:
        case: the scenario.
        scheme: label in the notation of `--scheme`.
        metrics: by place and metric: mean and 95 % interval.
        against: the same of the difference to drop-tail, paired by seed; empty for drop-tail.

    """

    case: Case
    scheme: str
    metrics: Mapping[str, Mapping[str, Mapping[str, Any]]]
    against: Mapping[str, Mapping[str, Mapping[str, Any]]]

    def beside(self, metric: str, *, lower_is_better: bool) -> str:
        """Beside drop-tail: "better", "worse", "tie"; empty without a difference."""
        difference = self.against.get("bottleneck", {}).get(metric)
        if difference is None or difference["ci95"] is None:
            return ""
        low, high = difference["ci95"]
        if low <= 0 <= high:
            return "tie"
        return "better" if (high < 0) == lower_is_better else "worse"


@dataclass(frozen=True)
class Evaluation:
    """The outcome of `evaluate`.

    Attributes:
        form: bench, runs, extent.
        schemes: labels; drop-tail is the first.
        rows: a row for each scenario and scheme.
        points: queueing delay (s) and goodput (bit/s) of each run, by scenario and scheme, for the trade-off diagrams.
        discussion: sections 8.3, 11 and 12 for each scheme.

    """

    form: Form
    schemes: tuple[str, ...]
    rows: tuple[Row, ...]
    points: Mapping[tuple[str, str], tuple[list[float], list[float]]]
    discussion: tuple[Discussion, ...]

    def counts(self, scheme: str, metric: str, *, lower_is_better: bool) -> dict[str, int]:
        """The numbers of scenarios in which a scheme is better than drop-tail, ties with it, or is worse."""
        outcomes = [row.beside(metric, lower_is_better=lower_is_better) for row in self.rows if row.scheme == scheme]
        return {word: outcomes.count(word) for word in ("better", "tie", "worse")}

    @property
    def conclusion(self) -> str:
        """A sentence for each scheme: delay and utilization compared with drop-tail."""
        sentences = []
        for scheme in self.schemes[1:]:
            delay = self.counts(scheme, "delay_mean_s", lower_is_better=True)
            used = self.counts(scheme, "utilization", lower_is_better=False)
            total = sum(delay.values())
            sentences.append(
                f"{scheme} has a shorter queueing delay than drop-tail in {delay['better'] or 'none'} of {total} "
                f"scenarios and a longer one in {delay['worse'] or 'none'}; it uses less of the link in "
                f"{used['worse'] or 'none'} and more in {used['better'] or 'none'}."
            )
        return " ".join(sentences)

    def to_dict(self) -> dict[str, Any]:
        """As `penstock evaluate --json` writes it."""
        bench = self.form.bench
        return {
            "penstock": _native.version,
            "rfc": 7928,
            "quick": self.form.quick,
            "bench": {"rate_bps": bench.rate, "rtt_s": bench.rtt_ms / 1e3, "buffer_pkts": bench.buffer()},
            "runs": self.form.runs,
            "schemes": list(self.schemes),
            "conclusion": self.conclusion,
            "rows": [
                {
                    "id": row.case.id,
                    "section": row.case.section,
                    "title": row.case.title,
                    "requirement": row.case.requirement,
                    "scheme": row.scheme,
                    "metrics": row.metrics,
                    "against_droptail": row.against,
                }
                for row in self.rows
            ],
            "discussion": [entry.to_dict() for entry in self.discussion],
        }


def cases_of(form: Form) -> list[Case]:
    """The scenarios in the order of the RFC."""
    cases = [*transport.cases(form.quick), *load.cases(), *mixes.cases()]
    return sorted(cases, key=lambda case: [int(part) for part in case.section.split(".")])


def evaluate(
    schemes: Iterable[SchemeLike],
    form: Form = FULL,
    *,
    jobs: int | None = None,
    progress: Callable[[str, int, int], object] | None = None,
    store: Results | None = None,
) -> Evaluation:
    """Run every scenario of RFC 7928 with drop-tail and these schemes.

    Args:
        schemes: as after `--scheme`; AQMs in Python too.
        form: `FULL`, or `QUICK` for a first look, as `penstock evaluate --quick`.
        jobs: number of threads; by default all cores.
        progress: called with the title of a scenario, its number, and the number of scenarios.
        store: where finished runs are kept and looked up.

    Raises `ScenarioError` with all errors of the schemes.
    """
    named = [
        candidate
        for candidate in Candidate.all_of(schemes, Option("SCHEME", "schemes"))
        if candidate.label != "droptail"
    ]
    if not named:
        raise PenstockError("name a scheme other than droptail, which is always there to compare with")
    candidates, threads = [Candidate("droptail"), *named], threads_of(jobs)
    rows: list[Row] = []
    points: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
    cases = cases_of(form)
    for number, case in enumerate(cases):
        if progress is not None:
            progress(case.title, number, len(cases))
        chosen = [_changed(candidate, case) for candidate in candidates]
        runs = run_plan(Plan.make(case.scenario(form.bench), chosen), form.runs, jobs=threads, store=store)
        for candidate, run_as in zip(candidates, chosen, strict=True):
            rows.append(_row(case, candidate.label, run_as, runs))
            points[case.id, candidate.label] = _points(runs, run_as.label, case)
    labels = tuple(candidate.label for candidate in candidates)
    discussion = tuple(discussed(form, named, threads, store))
    return Evaluation(form, labels, tuple(rows), points, discussion)


def _changed(candidate: Candidate, case: Case) -> Candidate:
    """The scheme with the changes of the case to parameters that it has."""
    from penstock.aqms.catalog import find_scheme

    names = {param.name for param in find_scheme(candidate.name).params}
    more = {name: value for name, value in case.changes.items() if name in names and name not in candidate.params}
    return replace(candidate, params={**candidate.params, **more})


def _row(case: Case, label: str, run_as: Candidate, runs: Runs) -> Row:
    columns = {(place, name) for place in ("bottleneck", "bottleneck.reverse", "second") for name in LINK}
    columns |= {(place, name) for place in case.groups for name in GROUP}
    tables: list[dict[str, dict[str, dict[str, Any]]]] = []
    for rows in (runs.summary(), runs.compare()):
        table: dict[str, dict[str, dict[str, Any]]] = {}
        for row in rows:
            own = row["scheme"] == run_as.name and row["params"] == dict(run_as.params)
            if own and (row["place"], row["metric"]) in columns:
                table.setdefault(row["place"], {})[row["metric"]] = {"mean": row["mean"], "ci95": row["ci95"]}
        tables.append(table)
    return Row(case, label, *tables)


def _points(runs: Runs, label: str, case: Case) -> tuple[list[float], list[float]]:
    """Queueing delay and goodput of all groups of each run (section 2.7: one point per run)."""
    own = runs[label].table.to_pylist()
    return [row.get("links.bottleneck.delay_mean_s") or 0.0 for row in own], [_sum(row, case.groups) for row in own]


def _sum(row: Mapping[str, Any], groups: Sequence[str]) -> float:
    return sum(row.get(f"traffic.{name}.goodput_bps") or 0.0 for name in groups)
