"""`penstock explain`: a scheme, conditioner, transport or metric as text and picture; lists; JSON schemas."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.options import (
    OUTPUT,
    JsonTarget,
    Load,
    Settings,
    complete_scheme_names,
    list_option,
    single_link,
    value_option,
)
from penstock.cli.output import Outputs, json_text, load_aqms, terminal_width
from penstock.cli.output_files import output_file_except_stdout
from penstock.errors import PenstockError, nearest_name

if TYPE_CHECKING:
    from penstock.explain.explanation import Explanation
    from penstock.explain.scheme_on_link import SchemeOnLink

JSON = "json/"
"""Begins the name of a JSON schema."""

EXAMPLE = "penstock explain red --rate 20Mbit --rtt 80ms --count 50..400"

Name = Annotated[
    str,
    typer.Argument(
        metavar="[NAME]",
        help="Scheme or conditioner, with parameters as in red:max_p=0.2; a transport such as cubic, or a metric. Or a "
        "list: schemes (the default), conditioners, transports, traffic, workloads, metrics, papers, json. json/VERB "
        "is the JSON schema of penstock VERB --json.",
        autocompletion=complete_scheme_names,
    ),
]
Rate = Annotated[str | None, value_option("--rate", "RATE", "Rate of the link; default: 10Mbit.")]
Rtt = Annotated[str | None, value_option("--rtt", "TIME", "Round-trip time without queueing; default: 100ms.")]
Count = Annotated[
    str | None,
    value_option(
        "--count",
        "N|A..B",
        "Number of TCP flows, or a range A..B. Also shows where the drop function meets the queue law of TCP.",
    ),
]
Limit = Annotated[str | None, value_option("--limit", "LENGTH", "Buffer size; default: 1BDP.")]
ScenarioOption = Annotated[
    str | None,
    value_option(
        "--scenario",
        "FILE",
        "Take the rate, round-trip time, flows and buffer from this scenario instead of the options.",
    ),
]
At = Annotated[list[str], list_option("--at", "LINK", "Link in that scenario; default: the first watched one.")]
From = Annotated[
    str | None,
    value_option(
        "--from",
        "DIALECT",
        "Explain router statistics: NAME is their text, or - for standard input; only tc is supported.",
    ),
]
Device = Annotated[str | None, value_option("--device", "NAME", "With --from: the device, if the text has several.")]
Figure = Annotated[
    str | None,
    value_option(
        "--figure",
        "FILE.{svg,pdf,png}",
        "Write a figure of the scheme; with --count, also of the queue law of TCP.",
        OUTPUT,
    ),
]


@dataclass(frozen=True)
class LinkOptions:
    """The link that the options describe, or a link of a scenario."""

    rate: str | None
    rtt: str | None
    count: str | None
    limit: str | None
    scenario: str | None
    settings: list[str]
    at: list[str]

    @property
    def options(self) -> list[str]:
        """The options that are given, without those that need --scenario."""
        own = {"--rate": self.rate, "--rtt": self.rtt, "--count": self.count, "--limit": self.limit}
        return [option for option, value in {**own, "--scenario": self.scenario}.items() if value is not None]

    def check(self) -> None:
        """Raise `PenstockError` for options that exclude each other."""
        own = [option for option in self.options if option != "--scenario"]
        if self.scenario is not None and own:
            raise PenstockError(f"{', '.join(own)}: the scenario sets these; override its values with --set PATH=VALUE")
        if self.scenario is None and (self.settings or self.at):
            raise PenstockError(f"{'--set' if self.settings else '--at'}: requires --scenario FILE")


def explain(
    *,
    name: Name = "schemes",
    rate: Rate = None,
    rtt: Rtt = None,
    count: Count = None,
    limit: Limit = None,
    scenario: ScenarioOption = None,
    at: At,
    settings: Settings,
    load: Load,
    figure: Figure = None,
    source: From = None,
    device: Device = None,
    json_target: JsonTarget = None,
) -> None:
    """Explain a scheme, conditioner, transport or metric: formulas, parameters, source, picture, strengths.

    Without a name, print the list of schemes; with the name of a list, that list. With --from tc, explain the
    counters of `tc -s qdisc show`.
    """
    outputs = Outputs.from_options(json_target)
    if source is not None:
        others = {"--rate": rate, "--rtt": rtt, "--count": count, "--limit": limit, "--scenario": scenario, "--at": at}
        others |= {"--set": settings, "--load": load, "--figure": figure}
        if unused := [option for option, value in others.items() if value]:
            raise PenstockError(f"{', '.join(unused)}: cannot be combined with --from")
        _explain_router(name, source, device, outputs)
        return
    if device is not None:
        raise PenstockError("--device: requires --from tc")
    picture = None if figure is None else output_file_except_stdout(figure, "--figure")
    load_aqms(load)
    link = LinkOptions(rate, rtt, count, limit, scenario, settings, at)
    link.check()
    if (entry := _by_name(name)) is None:
        _explain_scheme(name, link, outputs, picture)
        return
    if picture is not None:
        raise PenstockError(f"--figure: {name} has no figure; only schemes have one")
    if link.options:
        raise PenstockError(f"{link.options[0]}: requires a scheme, as in penstock explain red {link.options[0]} ...")
    text, value = entry
    outputs.show(text)
    outputs.write_json(value)


def _explain_router(text: str, source: str, device: str | None, outputs: Outputs) -> None:
    """Explain the statistics that a router printed."""
    from penstock.dialects import ConversionContext
    from penstock.explain.tc_statistics_report import read_queue_reports, reports_text
    from penstock.files import read_standard_input

    if source != "tc":
        raise PenstockError(f"--from {source}: only the statistics of tc can be explained")
    router_reports = read_queue_reports(
        read_standard_input() if text == "-" else text, ConversionContext(device=device)
    )
    outputs.show(reports_text(router_reports))
    outputs.write_json([report.as_json() for report in router_reports])


def _by_name(name: str) -> tuple[str, Any] | None:
    """A list, JSON schema, conditioner, transport or metric as text and as plain values; None for any other name."""
    from penstock.cli.lists import LISTS
    from penstock.explain.conditioner import conditioner_entry, conditioner_text
    from penstock.explain.metric import find_metric, metric_entry, metric_text
    from penstock.explain.transport import TRANSPORTS, transport_entry, transport_text
    from penstock.schemas import json_schema

    width = terminal_width()
    if name in LISTS:
        entries = LISTS[name].entries()
        return LISTS[name].text(entries), entries
    if name.startswith(JSON):
        schema = json_schema(name.removeprefix(JSON))
        return json_text(schema), schema
    if (text := conditioner_text(name, width)) is not None:
        return text, conditioner_entry(name)
    if name in TRANSPORTS:
        return transport_text(name, width), transport_entry(name)
    metric = find_metric(name)
    return None if metric is None else (metric_text(metric, width), metric_entry(metric))


def _explain_scheme(name: str, link: LinkOptions, outputs: Outputs, picture: Path | None) -> None:
    explained, on_link = _on_link(name, link)
    outputs.show(explained.text(terminal_width()) + ("" if on_link is None else "\n" + on_link.text(explained)))
    outputs.write_json(explained.as_json() | ({} if on_link is None else on_link.as_json(explained)))
    if picture is not None:
        explained.draw(picture)


def _on_link(name: str, link: LinkOptions) -> tuple[Explanation, SchemeOnLink | None]:
    """The explanation of a scheme, and the scheme on the link."""
    from penstock.explain import explanation
    from penstock.explain.scheme_on_link import SchemeOnLink
    from penstock.scenario.document import read_document

    _check_name(name)
    if link.scenario is None:
        prepared = explanation.prepare_explanation(
            name, link.rate or "10Mbit", link.rtt or "100ms", link.count, link.limit or "1BDP"
        )
        return prepared, SchemeOnLink.from_explanation(prepared)
    on_link = SchemeOnLink.from_document(
        name, read_document(link.scenario, link.settings), single_link(link.at, "explain")
    )
    return explanation.prepare_explanation(on_link.scheme, **on_link.options), on_link


def _check_name(name: str) -> None:
    """Raise `PenstockError` with a suggestion if the nearest name is a list, transport or metric, not a scheme."""
    from penstock.aqms.catalog import conditioners, scheme_names
    from penstock.cli.lists import LISTS
    from penstock.explain.transport import TRANSPORTS
    from penstock.results.metrics import METRICS

    names = {*LISTS, *TRANSPORTS, *(entry.name for entry in METRICS), *(entry.name for entry in conditioners())}
    schemes = scheme_names()
    near = nearest_name(name, [*schemes, *names])
    if ":" not in name and name not in schemes and near in names:
        raise PenstockError(
            f'no scheme, conditioner, transport, metric or list "{name}"; did you mean "{near}"? '
            f"Lists: {', '.join(LISTS)}"
        )
