"""The pages of the Python interface: one per object listed in `docs/reference/python.md`, and one per scheme class."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

import penstock as ps
from penstock.aqms.queue import Element
from penstock.scenario._generated import SCHEMES

__all__ = ["classes_table", "file_names", "listed", "pages", "value_of"]

LISTED = re.compile(r"^   ~(penstock\.[\w.]+)$", re.M)

MEMBERS = {
    "penstock.Run": "to_dict, rows, flow_rows, to_pandas, to_arrow",
    "penstock.Runs": "schemes, points, axes, places, metrics, where, array, estimate, summary, compare, plot, save, "
    "to_dict, to_json, to_arrow, to_pandas, to_xarray",
    "penstock.Estimates": "table, to_arrow, to_pandas",
    "penstock.Study": "run, cells, with_max_seeds",
    "penstock.Store": "has, get, put",
    "penstock.Cluster": "close",
    "penstock.LiveBench": "save",
    "penstock.Precision": "parse",
    "penstock.Scenario": "load, loads, save, to_toml, replace, check, key",
    "penstock.Aqm": "reset, on_arrival, on_enqueued, on_overflow, on_departure, on_evicted, on_idle, on_link, "
    "next_timeout, on_timeout, gauges, drop_function",
    "penstock.Fit": "scenario, estimates, save, to_dict",
    "penstock.evaluation.evaluate.Evaluation": "schemes, cases, rows, points, conclusion, to_dict",
    "penstock.tuning.advice.Advice": "best, tc, conclusion, to_dict",
    "penstock.reproduce.experiment_run.Outcome": "runs, figure, failed_claims, to_dict",
    "penstock.challenges.challenge.Challenge": "network, worse_by, is_worse, conclusion, rule_text, to_dict",
    "penstock.results.table.Table": "axis, axes, where, along, rows, run_rows, to_pandas, to_arrow",
    "penstock.results.sample.RunSample": "summary, mean",
}
"""The documented members of classes; other classes are described by their parameters."""


def listed(index: str) -> list[str]:
    """The full names of all objects with a page: those listed in the text of the index, and the scheme classes."""
    return [*LISTED.findall(index), *(f"penstock.{scheme.__name__}" for scheme in SCHEMES.values())]


def value_of(name: str) -> Any:
    """The object with this full name."""
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(module), attribute)


def file_names(names: Iterable[str]) -> dict[str, str]:
    """The file name of the page of each object, without suffix; distinct where letters have no case."""
    taken: dict[str, str] = {}
    for name in names:
        short = name.removeprefix("penstock.")
        taken[name] = f"{short}-class" if short.lower() in {other.lower() for other in taken.values()} else short
    return taken


def pages(index: str) -> Iterator[tuple[str, str]]:
    """The file name and the text of each page."""
    names = listed(index)
    schemes = {f"penstock.{scheme.__name__}": name for name, scheme in SCHEMES.items()}
    for name, file in file_names(names).items():
        yield file, "\n".join([f"# {name}", "", *_scheme_note(schemes.get(name)), *_directive(name), ""])


def _scheme_note(scheme: str | None) -> list[str]:
    if scheme is None:
        return []
    return [
        f"The queue scheme [`{scheme}`](../schemes/{scheme}.md): its page has the algorithm and the settings' ranges.",
        "",
    ]


def _directive(name: str) -> list[str]:
    value = value_of(name)
    kind = "data"
    if isinstance(value, type):
        kind = "exception" if issubclass(value, BaseException) else "class"
    elif inspect.isroutine(value):
        kind = "function"
    lines = ["```{eval-rst}", f".. auto{kind}:: {name}{_signature(value)}"]
    if members := MEMBERS.get(name):
        lines.append(f"   :members: {members}")
    return [*lines, "```"]


def _signature(value: Any) -> str:
    """The arguments of a part of a scenario, which autodoc would take from its `__new__`; empty for all others."""
    if not (isinstance(value, type) and issubclass(value, Element)):
        return ""
    fields = dataclasses.fields(value)
    positional = [_argument(field) for field in fields if not field.kw_only]
    return f"({', '.join([*positional, '*', *(_argument(field) for field in fields if field.kw_only)])})"


def _argument(field: dataclasses.Field[Any]) -> str:
    return field.name if field.default is dataclasses.MISSING else f"{field.name}={field.default!r}"


def classes_table(index: str) -> str:
    """The Python class of each scheme, with links to both pages."""
    files = file_names(listed(index))
    lines = ["| class | scheme | name |", "| --- | --- | --- |"]
    titles = {scheme.name: scheme.title for scheme in ps.schemes()}
    for name, queue in SCHEMES.items():
        page = files[f"penstock.{queue.__name__}"]
        lines.append(
            f"| [`ps.{queue.__name__}`](../generated/api/{page}.md) | [`{name}`](../generated/schemes/{name}.md) "
            f"| {titles[name]} |"
        )
    return "\n".join([*lines, ""])
