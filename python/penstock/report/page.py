"""One self-contained HTML page for a result of `compare` or `run`: it works offline, without a request."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import tomli_w

from penstock import _native
from penstock.files import write_text
from penstock.report import view
from penstock.report.chart_data import comparison_chart_data, run_chart_data, with_unbroken_units
from penstock.report.courses import comparison_series, traffic_group_names
from penstock.report.page_size import (
    LARGEST,
    ComparedSettings,
    add_series,
    cut_distributions,
    json_text,
)
from penstock.report.shell_script import command_text, shell_script
from penstock.report.templating import bundled_script, render_template, script_safe_json, style_sheet, template_text
from penstock.results.comparison import Comparison
from penstock.results.conclusion import MARGIN, run_sentence
from penstock.results.display import is_number, setting_text, with_spaced_unit
from penstock.results.metrics import find_metric, in_catalogue_order
from penstock.results.palette import LIGHT
from penstock.results.parts import TITLES, metrics_by_part, place_name
from penstock.results.quantity import as_numbers
from penstock.results.sweep import SweepPoint, axis_title, horizontal_axis
from penstock.units import format_time

Json = Mapping[str, Any]
Swept = Mapping[str, list[Any]]

PLACES = 100
"""Maximum number of links, and of groups of flows, on the page of a run."""

OF_MANY = {"links": "links", "traffic": "groups of flows", "dscp": "codepoints"}
"""The words for the places of each part, for the note on omitted places."""

SAMPLES = 4, 12
"""Numbers of settings of two sample pages, from whose sizes the size of a larger page is estimated."""

UNSURE = 1.1
"""Pages whose estimated size exceeds the limit by less than this factor are tried."""

MANY = 10
"""Maximum number of values of a swept fact in the head of a page."""

FEW_SCHEMES = len(LIGHT)
"""Maximum number of schemes with a colour each; more are chosen from a menu, and tables have a row per scheme."""

MOST_CHIPS = 6
"""Maximum number of schemes that a cell of the best schemes names."""

FLOWS = 2000
"""Maximum number of flows on the page of a run."""


def write(result: Json, path: str | Path) -> None:
    """Write the page of `result` to `path`. Raises `FileError` if it cannot be written."""
    write_text(path, render(result))


def render(result: Json) -> str:
    """The page of a `compare` result (it has `rows`) or of a single run, as HTML text.

    >>> render({"penstock": "0", "scenario": {"name": "empty"}, "rows": []}).startswith("<!doctype html>")
    True
    """
    if "rows" in result:
        return _fitted_comparison(result)
    context, data, series, left_out = _run_page(result)
    frame = _frame(result, context, {})
    if series and not add_series(data, series, LARGEST - frame - _bytes(data), traffic_group_names(result, series)):
        left_out.append("the queues over time")
    return _html(result, context, data, left_out, {})


def _fitted_comparison(result: Json) -> str:
    """The page of a comparison with as much detail as fits."""
    settings = ComparedSettings(result)
    swept = _swept(settings.points)
    left_out: list[str] = []
    for reduced, left_out in _versions(result, settings, swept):  # noqa: B007 - the last one is used
        comparison = Comparison(reduced)
        context, data = _compare_page(reduced, comparison, swept)
        room = LARGEST - (frame := _frame(result, context, swept)) - _bytes(_without_distributions(data))
        if room >= 0:
            break
    points = len(comparison.points)
    complete_points = cut_distributions(data, room)
    if complete_points < points:
        left_out.append(f"the distributions at {points - complete_points} of {points} settings")
    series = comparison_series(result, comparison)
    drawn_points = add_series(data, series, LARGEST - frame - _bytes(data), traffic_group_names(result, series))
    stored = len({entry["point"] for entry in series})
    if drawn_points < stored:
        left_out.append(f"the queues over time at {stored - drawn_points} of {stored} settings")
    return _html(result, context, data, left_out, swept)


def _versions(result: Json, settings: ComparedSettings, swept: Swept) -> Iterator[tuple[Json, list[str]]]:
    """The result with all of its numbers, then only its key metrics, then these at fewer and fewer settings.

    Results far too large for a page, estimated from pages with few settings, are left out.
    """
    says = ["the metrics that are not key"]
    setting_count = count = len(settings)
    if _may_fit(settings, swept)(count):
        yield result, []
    may_fit = _may_fit(settings, swept, only_key=True)
    if may_fit(count) or count == 1:
        yield settings.reduced_result(count, only_key=True), says
    while setting_count > 1:
        setting_count = setting_count * 2 // 3
        if may_fit(setting_count) or setting_count == 1:
            yield (
                settings.reduced_result(setting_count, only_key=True),
                [f"{count - setting_count} of {count} settings", *says],
            )


def _may_fit(settings: ComparedSettings, swept: Swept, only_key: bool = False) -> Callable[[int], bool]:
    """Whether a page with this number of settings may be small enough, without its series and distributions."""
    few, many = SAMPLES
    if len(settings) <= 2 * many:
        return lambda _: True
    sizes = {}
    for count in SAMPLES:
        reduced = settings.reduced_result(count, only_key)
        context, data = _compare_page(reduced, Comparison(reduced), swept)
        sizes[count] = _frame(reduced, context, swept) + _bytes(_without_distributions(data))
    each = (sizes[many] - sizes[few]) / (many - few)
    return lambda count: sizes[many] + (count - many) * each <= UNSURE * LARGEST


def _without_distributions(data: Json) -> dict[str, Any]:
    return {**data, "places": [{**place, "distributions": []} for place in data["places"]]}


def _frame(result: Json, context: Json, swept: Swept) -> int:
    """Bytes of a page without the data of its charts."""
    return len(_html(result, context, {}, ["the rest"] * 4, swept).encode())


def _bytes(data: Json) -> int:
    """Bytes of the data of charts on a page."""
    return len(script_safe_json(data).encode())


def _html(result: Json, context: Json, data: Json, left_out: Sequence[str], swept: Swept) -> str:
    return render_template(
        "page.html.jinja",
        **_common(result, swept),
        **context,
        data=script_safe_json(data),
        left_out=left_out,
        css=style_sheet("page.css"),
        charts=template_text("vendor/charts.js"),
        script=bundled_script("report/scripts/main.js"),
    )


def _compare_page(result: Json, comparison: Comparison, swept: Swept) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values for the template, and the data of the charts without the series."""
    schemes = _registry()
    units = view.display_scales(comparison)
    tables = {place: view.metric_tables(comparison, units, place) for place in comparison.places}
    path, _ = horizontal_axis(comparison.points)
    names = {name for of_place in comparison.metrics.values() for name in of_place}
    names |= {name for *_, name in comparison.distributions}
    seed = int(result["scenario"].get("seed", 1))
    first = comparison.conclusions_at(comparison.places[0] if comparison.places else "")
    context = {
        "kind": "compare",
        "over_all": with_unbroken_units(first.over_all),
        "conclusion": with_unbroken_units(next((conclusion.text for conclusion in first.points), "")),
        "warnings": comparison.warnings,
        "margin": f"{100 * comparison.margin:g}",
        "schemes": comparison.schemes,
        "many": len(comparison.schemes) > FEW_SCHEMES,
        "most_chips": MOST_CHIPS,
        "sorted_by": "delay_p99_s",
        "short": view.short_labels(comparison.schemes),
        "sources": [schemes[s.name]["source"] if s.name in schemes else "" for s in comparison.schemes],
        "families": _families(comparison),
        "paired": bool(comparison.paired_intervals),
        "points": comparison.points,
        "places": comparison.places,
        "runs": comparison.runs,
        "correction": comparison.interval_correction,
        "seeds": f"{seed}–{seed + comparison.runs - 1}" if comparison.runs > 1 else str(seed),
        "swept": None if path is None else axis_title(path),
        "swept_all": [axis_title(p) for p, values in swept.items() if len(values) > 1],
        "leads": [{"place": p, "rows": view.leading_schemes_summary(comparison, p)} for p in comparison.places],
        "tables": [{"place": place, "groups": groups} for place, groups in tables.items()],
        "repeated": [
            {"scheme": comparison.schemes[s].label, "points": points} for s, points in comparison.identical_schemes()
        ],
        "definitions": [find_metric(n) for n in in_catalogue_order(names)],
        "has_distributions": bool(comparison.distributions),
        "has_series": bool(result.get("series")),
        "shell": result.get("script") or _script(result, _command(result, comparison, swept)),
        "flows": [],
    }
    return context, comparison_chart_data(comparison, units, tables)


def _families(comparison: Comparison) -> dict[str, Mapping[str, Any]]:
    """The number of simultaneous intervals of each metric of a place, and the range of their levels."""
    families: dict[str, dict[str, Any]] = {}
    for row in comparison.ranking.leading.values():
        levels = families.setdefault(row.place, {"intervals": row.interval_count, "levels": []})["levels"]
        levels.append(row.level)
    return {
        place: {**family, "low": min(family["levels"]), "high": max(family["levels"])}
        for place, family in families.items()
    }


def _run_page(result: Json) -> tuple[dict[str, Any], dict[str, Any], list[Json], list[str]]:
    """The values for the template, the data of the charts, the series, and what is left out."""
    parts, left_out = _parts(result)
    links, traffic, course = parts["links"], parts["traffic"], result.get("course") or {}
    over_time = {name: series_of_link for name, series_of_link in (result.get("series") or {}).items() if name in links}
    series: list[Json] = [{"scheme": 0, "point": 0, "links": over_time, "course": course}] if over_time else []
    names = {n for part in parts.values() for values in part.values() for n, v in values.items() if is_number(v)}
    charts = run_chart_data({name: values for part in parts.values() for name, values in part.items()})
    tables = [
        {"place": TITLES[part], "columns": list(places), "groups": view.run_metric_table(places)}
        for part, places in parts.items()
        if places
    ]
    most = min(200, max(10, FLOWS // max(1, len(traffic))))
    flows = [
        {"name": name, "rows": values["flows"][:most], "all": len(values["flows"])}
        for name, values in traffic.items()
        if values.get("flows")
    ]
    conclusion = next(filter(None, (run_sentence(place, numbers) for place, numbers in links.items())), "")
    context: dict[str, Any] = {
        "kind": "run",
        "over_all": "",
        "conclusion": with_unbroken_units(conclusion),
        "warnings": [],
        "margin": "",
        "schemes": [],
        "many": False,
        "most_chips": MOST_CHIPS,
        "sorted_by": "",
        "short": [],
        "sources": [],
        "families": {},
        "paired": False,
        "points": [SweepPoint({})],
        "places": [t["place"] for t in tables],
        "runs": 1,
        "correction": "",
        "seeds": str(result["seed"]),
        "swept": None,
        "swept_all": [],
        "leads": [],
        "tables": tables,
        "repeated": [],
        "definitions": [find_metric(n) for n in in_catalogue_order(names)],
        "has_distributions": any(place["distributions"] for place in charts["places"]),
        "has_series": bool(series),
        "shell": result.get("script") or _script(result, _run_command(result)),
        "flows": flows,
    }
    return context, {**charts, "series": [], "times": []}, series, left_out


def _parts(result: Json) -> tuple[dict[str, dict[str, Json]], list[str]]:
    """The places of each part of a run that fit on the page, by name, and what is left out."""
    places_of = metrics_by_part(result)
    parts: dict[str, dict[str, Json]] = {
        part: {place_name(part, place): places[place] for place in list(places)[:PLACES]}
        for part, places in places_of.items()
    }
    left_out = [
        f"{len(places) - PLACES} of {len(places)} {OF_MANY[part]}"
        for part, places in places_of.items()
        if len(places) > PLACES
    ]
    return parts, left_out


def _registry() -> dict[str, Json]:
    """The registry entries of the schemes, by name."""
    return {entry["name"]: entry for entry in json.loads(_native.schemes())}


def _common(result: Json, swept: Swept) -> dict[str, Any]:
    scenario: Json = result["scenario"]
    links: Mapping[str, Json] = scenario.get("links") or {}
    watched = {n: link for n, link in links.items() if isinstance(link, Mapping) and link.get("watch")}
    provenance: Mapping[str, Any] = result.get("provenance") or {}
    return {
        "name": str(scenario.get("name") or "penstock result"),
        "version": str(result["penstock"]),
        "duration": with_spaced_unit(scenario.get("duration", "")),
        "warmup": with_spaced_unit(scenario.get("warmup", "0s")),
        "links": [_link_facts(n, link, swept) for n, link in watched.items()],
        "swept_facts": _swept_facts(swept, watched),
        "scenario_toml": tomli_w.dumps(_without_none(scenario)),
        "provenance": {str(k): v for k, v in provenance.items() if k != "penstock"},
        "measured": _measured(result),
    }  # fmt: skip


def _measured(result: Json) -> str:
    """A sentence about the real links of a result; empty if all of it is simulated."""
    if "lateness" in result:
        late = format_time(result["lateness"]["p99_s"] * 1e9)
        text = f"Measured on a real link with the TCP of this machine: 99 % of the packets left it at most {late} late."
        reasons = "; ".join(result.get("invalid_because", ()))
        return f"{text} The run is invalid, its numbers do not count: {reasons}." if reasons else text
    places = {row.get("on") for row in result.get("rows", ())}
    if "link" not in places:
        return ""
    both = "simulation" in places
    return f"{'Simulated, and measured' if both else 'Measured'} on a real link with the TCP of this machine."


def _link_facts(name: str, link: Json, swept: Swept) -> dict[str, Any]:
    """The facts of a link in the head of the page; if a fact is swept, all its values."""
    limit = (link.get("queue") or {}).get("limit")
    facts: dict[str, Any] = {"name": name, "from": link.get("from"), "to": link.get("to")}
    for key, path, value in (
        ("rate", "rate", link.get("rate")),
        ("delay", "delay", link.get("delay")),
        ("limit", "queue.limit", limit),
    ):
        values = swept.get(f"links.{name}.{path}", [value])
        facts[key] = _some(values) if all(isinstance(v, str | int) for v in values) else None
    return facts


def _swept_facts(swept: Swept, links: Json) -> list[tuple[str, str]]:
    """The swept values that are not facts of a link, each with its name."""
    paths = {f"links.{name}.{key}" for name in links for key in ("rate", "delay", "queue.limit")}
    return [
        (axis_title(path), _some(values)) for path, values in swept.items() if path not in paths and len(values) > 1
    ]


def _some(values: Sequence[Any]) -> str:
    """The values with their units, the first and the last of many."""
    amounts, unit = (len(values) > 1 and as_numbers(values)) or (None, "")
    texts = (
        [f"{amount:.12g}" for amount in amounts]
        if amounts
        else [with_spaced_unit(setting_text(value)) for value in values]
    )
    return f"{', '.join(texts if len(texts) <= MANY else [*texts[: MANY - 2], '…', texts[-1]])} {unit}".strip()


def _swept(points: Sequence[SweepPoint]) -> dict[str, list[Any]]:
    """The values of each swept path, in their order."""
    value_table: dict[str, dict[str, Any]] = {}
    for path, value in (item for point in points for item in point.vary.items()):
        value_table.setdefault(path, {}).setdefault(json_text(value), value)
    return {path: list(values.values()) for path, values in value_table.items()}


def _script(result: Json, command: str) -> str:
    """The script of a result without the scenario as written; it contains the resolved scenario."""
    scenario = _without_none(result["scenario"])
    name = _file_name(str(scenario.get("name") or "scenario"))
    script = shell_script({name: tomli_w.dumps(scenario).encode()}, command)
    if aqms := result.get("aqms"):
        return f"# {', '.join(aqms)}: AQMs in Python; load their files with --load FILE.py\n{script}"
    return script


def _command(result: Json, comparison: Comparison, swept: Swept) -> str:
    """A command that repeats this result with the scenario file on the page."""
    options = [["--scheme", scheme.argument] for scheme in comparison.schemes]
    options += [["--vary", f"{path}={','.join(map(setting_text, values))}"] for path, values in swept.items()]
    if comparison.margin != MARGIN:
        options.append(["--margin", f"{100 * comparison.margin:g}%"])
    goal = result.get("precision")
    if goal:
        options += [["--runs", str(goal["looks"][0])], ["--precision", f"{goal['metric']}={goal['rel_error']}"]]
    else:
        options += [["--runs", str(comparison.runs)]]
    if any(row.get("on") == "link" for row in result["rows"]):
        options.append(["--on", "link"])
    return command_text(["penstock", "compare", _file_name(str(result["scenario"].get("name") or "scenario"))], options)


def _run_command(result: Json) -> str:
    """A command that repeats a run with the scenario file on the page."""
    name = _file_name(str(result["scenario"].get("name") or "scenario"))
    real = [["--on", "link"]] if "lateness" in result else []
    return command_text(["penstock", "run", name], [["--seed", str(result["seed"])], *real])


def _file_name(name: str) -> str:
    return (re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-") or "scenario") + ".toml"


def _without_none(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(k): _without_none(v) for k, v in value.items() if v is not None}
    return [_without_none(v) for v in value] if isinstance(value, list) else value
