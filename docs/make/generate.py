"""The reference pages that are generated from the code: schemes, TCP keys, metrics, command line."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import api
import router_keys
import tc_keys
import typer
from penstock import _native
from penstock.cli import app as cli
from penstock.cli.command import option_text
from penstock.cli.exit_codes import MEANINGS
from penstock.explain import explanation, standard_case
from penstock.explain import text as explain
from penstock.live.page_data import DEFAULT, live_page_data
from penstock.results import metrics
from penstock.scenario.document import read_document
from penstock.scenario.workloads import KINDS, PARTS, default_flow_count

SCHEMES_HEAD = """# Schemes

This page lists all queue schemes of the registry. `penstock explain schemes` prints the list, and
`penstock explain SCHEME` prints the page of a scheme.
"""

VICTIMS_HEAD = """These schemes can remove a queued packet when another packet arrives; the table describes the removed
packet. All other schemes drop the arriving packet, or the packet at the head of its queue."""

CONDITIONERS_HEAD = """# Conditioners

The conditioners in `edge` of a link process packets before its queue, in the given order. Markers, meters and policers
act on each packet at once; shapers hold packets. An action is `"pass"`, `"drop"` or a new codepoint. `penstock explain
conditioners` prints this list, and `penstock explain NAME` prints the page of a conditioner.
"""

TCP_HEAD = """# TCP keys

Flavours: {flavours}. A profile is a set of defaults; `{default}` is the default profile. A `[traffic.NAME]` of kind
`tcp` can override each key.
"""

WORKLOADS_HEAD = """# Workloads

This page lists the named workloads for `[workloads.NAME]` of a scenario ([how to use them](../howto/workloads.md)).
`penstock explain workloads` prints it. The number of flows of each part is a share of the number of users; these shares
are our own choice. The parameters of the flows have sources.
"""

METRICS_HEAD = """# Metrics

This page defines each metric. The names are the keys of results; they end in the SI unit unless they are counts or
ratios. Statistics start at `warmup` and end at `duration`. The packet in service is **not** in the queue: with a limit
of 35 packets, 35 packets can wait while another one is being sent.
"""

CODEPOINTS_HEAD = """If packets of a watched link have a codepoint other than the default one, the link reports these
metrics for each codepoint: {names}. NAME is `af12`, `ef`, `default` or a number. The codepoint of a packet is read
after the conditioners of the link. A burst of losses ends with the next accepted packet of the same codepoint."""


def write(folder: Path) -> None:
    """Write all generated pages into `folder`; unchanged files keep their time stamp."""
    schemes = json.loads(_native.schemes())
    (folder / "schemes").mkdir(parents=True, exist_ok=True)
    put(folder / "schemes.md", schemes_page(schemes))
    playable = {scheme["name"] for scheme in live_page_data(read_document(DEFAULT), (), None)["schemes"]}
    for entry in schemes:
        found = explanation.prepare_explanation(entry["name"], "10Mbit", "100ms", "16", "50p")
        picture = folder / "schemes" / f"{entry['name']}.svg"
        found.draw(picture)
        is_drawn = (
            entry["name"] in playable
            and found.picture_kind == "drop function"
            and found.drop_function_curve() is not None
        )
        page = scheme_page(entry, picture.name, live_aqm(entry) if is_drawn else [])
        put(folder / "schemes" / f"{entry['name']}.md", page)
    conditioners = json.loads(_native.conditioners())
    (folder / "conditioners").mkdir(parents=True, exist_ok=True)
    put(folder / "conditioners.md", conditioners_page(conditioners))
    for entry in conditioners:
        if not entry["holds"]:
            put(folder / "conditioners" / f"{entry['name']}.md", conditioner_page(entry))
    write_api(folder)
    put(folder / "tcp.md", tcp_page(json.loads(_native.tcp())))
    put(folder / "workloads.md", workloads_page())
    put(folder / "metrics.md", metrics_page())
    put(folder / "cli.md", cli_page())
    put(folder / "router-keys.md", router_keys.page())
    put(folder / "tc-keys.md", tc_keys.page())
    put(folder / "validation.md", validation_page(folder.parent / "validation-results.md"))
    remove_stale(folder)


def write_api(folder: Path) -> None:
    """The pages of the Python interface, and their list."""
    index = (folder.parent / "reference" / "python.md").read_text(encoding="utf-8")
    put(folder / "classes.md", api.classes_table(index))
    (folder / "api").mkdir(exist_ok=True)
    pages = dict(api.pages(index))
    for name, text in pages.items():
        put(folder / "api" / f"{name}.md", text)
    names = "\n".join(f"../generated/api/{name}" for name in pages)
    put(folder / "api-list.md", "\n".join(["```{toctree}", ":hidden:", "", names, "```", ""]))


def remove_stale(folder: Path) -> None:
    """Remove the pages of an earlier version that are no longer written."""
    for path in folder.rglob("*.md"):
        if path not in _WRITTEN:
            path.unlink()


_WRITTEN: set[Path] = set()


def put(path: Path, text: str) -> None:
    """Write `text` if it differs from the content of the file."""
    _WRITTEN.add(path)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def schemes_page(schemes: Sequence[Mapping[str, Any]]) -> str:
    """The list of all schemes, by family."""
    families: dict[str, list[Mapping[str, Any]]] = {}
    for entry in schemes:
        families.setdefault(entry["family"], []).append(entry)
    lines = [SCHEMES_HEAD]
    for family, entries in families.items():
        lines += [f"## {family}", "", "| scheme | name | ECN | source |", "| --- | --- | --- | --- |"]
        for e in entries:
            also = f" ({', '.join(e['aliases'])})" if e["aliases"] else ""
            link = f"[`{e['name']}`](schemes/{e['name']}.md)"
            lines.append(f"| {link}{also} | {cell(e['title'])} | {'yes' if e['ecn'] else 'no'} | {cell(e['source'])} |")
        lines.append("")
    lines += ["## Victims", "", VICTIMS_HEAD, "", "| scheme | victim |", "| --- | --- |"]
    lines += [f"| [`{e['name']}`](schemes/{e['name']}.md) | {words} |" for e in schemes if (words := victim(e["doc"]))]
    lines.append("")
    names = "\n".join(f"schemes/{e['name']}" for e in schemes)
    return "\n".join([*lines, "```{toctree}", ":hidden:", "", names, "```", ""])


def victim(doc: str) -> str:
    """The section on the victim of a scheme's documentation, in one line; empty without one."""
    _, _, after = doc.partition("# Victim\n")
    return cell(" ".join(after.partition("\n# ")[0].split()))


PICTURES = {
    "drop function": "With default parameters, a limit of 50 packets, a link of 10 Mbit/s:",
    "response": f"{explanation.RESPONSE_WORDS} A link of 10 Mbit/s with a limit of 50 packets:",
    "service": f"{explanation.SERVICE_WORDS} A link of 10 Mbit/s:",
}


LIVE = """On the live bench, you can change each parameter. Twenty downloads with a round trip of 260 ms pass through
the queue; the point shows the present average and drop probability."""


def live_aqm(entry: Mapping[str, Any]) -> list[str]:
    """The drop function of a scheme on the live bench, as lines of its page."""
    setting = {
        "queues": [{"scheme": entry["name"], "limit": {"packets": 50}, "params": {}}],
        "counts": {},
        "only": "aqm",
    }
    address = base64.urlsafe_b64encode(json.dumps(setting).encode()).decode().rstrip("=")
    title = f"Live bench: drop function of {entry['name']}"
    frame = f'<iframe class="live-law" src="../../live.html#{address}" title="{title}" loading="lazy"></iframe>'
    return [LIVE, "", frame, ""]


def scheme_page(entry: Mapping[str, Any], picture: str, live: Sequence[str]) -> str:
    """The page of a scheme: its algorithm, its picture, the `live` lines, its parameters, when to use it."""
    also = f" Also called {', '.join(f'`{a}`' for a in entry['aliases'])}." if entry["aliases"] else ""
    ecn = "It can mark instead of dropping." if entry["ecn"] else "It drops and never marks."
    lines = [f"# {entry['title']}", "", f"`{entry['name']}` · family {entry['family']}.{also} {ecn}", ""]
    lines += [deeper(entry["doc"]), ""]
    lines += [f"Cost: {cell(entry['cost'])}.", ""]
    kind = entry["picture"]
    lines += [f"## {kind.capitalize()}", "", PICTURES[kind], ""]
    lines += [f"![{kind} of {entry['name']}]({picture}){{.drop-function}}", "", *live]
    lines += ["## Settings", "", *param_table(entry["params"]), ""]
    if entry["class_params"]:
        lines += ["## Settings of each class", "", *param_table(entry["class_params"]), ""]
    lines += ["## When to use it", ""]
    for title, words in (("Good at", entry["good"]), ("Bad at", entry["bad"])):
        if words:
            lines += [f"**{title}:** {words}", ""]
    lines += [
        " ".join(standard_case.result_sentences(entry["name"])),
        "",
        "[All schemes on this link](../../schemes-compared.md)",
        "",
    ]
    return "\n".join([*lines, "## Source", "", entry["source"], ""])


def conditioners_page(conditioners: Sequence[Mapping[str, Any]]) -> str:
    """The list of all conditioners; a shaper links to the page of its scheme."""
    lines = [CONDITIONERS_HEAD, "| kind | name | source |", "| --- | --- | --- |"]
    for e in conditioners:
        also = f" ({', '.join(e['aliases'])})" if e["aliases"] else ""
        folder = "schemes" if e["holds"] else "conditioners"
        lines.append(f"| [`{e['name']}`]({folder}/{e['name']}.md){also} | {cell(e['title'])} | {cell(e['source'])} |")
    names = "\n".join(f"conditioners/{e['name']}" for e in conditioners if not e["holds"])
    return "\n".join([*lines, "", "```{toctree}", ":hidden:", "", names, "```", ""])


def conditioner_page(entry: Mapping[str, Any]) -> str:
    """The page of a conditioner: its rule and its parameters."""
    also = f" · also called {', '.join(f'`{a}`' for a in entry['aliases'])}" if entry["aliases"] else ""
    lines = [f"# {entry['title']}", "", f"`{entry['name']}`{also}", "", deeper(entry["doc"]), ""]
    lines += ["## Settings", "", *param_table(entry["params"]), ""]
    if entry["class_params"]:
        lines += ["## Settings of each class", "", *param_table(entry["class_params"]), ""]
    return "\n".join([*lines, "## Source", "", entry["source"], ""])


def tcp_page(entry: Mapping[str, Any]) -> str:
    """The keys of TCP traffic with a default for each profile."""
    profiles = entry["profiles"]
    flavours = ", ".join(f"`{f}`" for f in entry["flavours"])
    lines = [TCP_HEAD.format(flavours=flavours, default=entry["default_profile"])]
    lines += [f"| key | {' | '.join(f'`{p}`' for p in profiles)} | allowed | what it does |"]
    lines += ["| --- |" + " --- |" * len(profiles) + " --- | --- |"]
    for p in entry["params"]:
        shown = [cell(explain.default_text({**p, "default": p["defaults"][profile]})) for profile in profiles]
        lines.append(f"| `{p['name']}` | {' | '.join(shown)} | {cell(explain.range_text(p))} | {cell(p['doc'])} |")
    return "\n".join([*lines, ""])


def workloads_page() -> str:
    """The page of all workloads and their parts."""
    lines = [WORKLOADS_HEAD, "| kind | users | flows | description |", "| --- | --- | --- | --- |"]
    for name, kind in KINDS.items():
        flows = ", ".join(f"`{part}` {default_flow_count(kind, part, kind.default_users)}" for part in kind.parts)
        lines.append(f"| `{name}` | {kind.default_users} | {flows} | {cell(kind.doc)} |")
    lines += ["", "| part | description | source |", "| --- | --- | --- |"]
    lines += [f"| `{name}` | {cell(part.doc)} | {cell(part.source)} |" for name, part in PARTS.items()]
    return "\n".join([*lines, ""])


def metrics_page() -> str:
    """The page of all metrics: name, meaning, unit."""
    units = {"time": "s", "rate": "bit/s", "packets2": "packets²", "share": "ratio", "number": ""}
    lines = [METRICS_HEAD]
    groups: dict[str, list[metrics.Metric]] = {}
    for metric in metrics.METRICS:
        groups.setdefault(metric.group, []).append(metric)
    for group, found in groups.items():
        lines += [f"## {group}", "", "| name | what it is | unit |", "| --- | --- | --- |"]
        lines += [
            f"| `{m.name}` | **{cell(m.title)}.** {cell(m.doc)} | {units.get(m.quantity, m.quantity)} |" for m in found
        ]
        lines.append("")
    names = ", ".join(f"`dscp_NAME_{name}`" for name in metrics.BY_CODEPOINT)
    lines += ["## By codepoint", "", CODEPOINTS_HEAD.format(names=names), ""]
    return "\n".join(
        [*lines, f"A key `share = [[5, 15]]` on a queue adds `share_5_15`: {metrics.find_metric('share_5_15').doc}", ""]
    )


def cli_page() -> str:
    """The page of all verbs with their arguments and options, as printed by `--help`."""
    lines = ["# Command line", ""]
    group = typer.main.get_group(cli.app)
    for name, verb in group.commands.items():
        example = (verb.epilog or "").removeprefix("Example: ")
        lines += [f"## penstock {name}", "", cell(verb.help or ""), "", "```sh", example, "```", ""]
        lines += ["| option | what it does |", "| --- | --- |"]
        for param in verb.params:
            if getattr(param, "hidden", False):
                continue
            shown = option_text(param).replace("|", "\\|")
            lines.append(f"| `{shown}` | {cell(getattr(param, 'help', None) or '')} |")
        lines.append("")
    lines += ["## Exit codes", "", "| code | meaning |", "| --- | --- |"]
    lines += [f"| {code.value} | {cell(meaning)} |" for code, meaning in MEANINGS.items()]
    return "\n".join([*lines, ""])


def validation_page(results: Path) -> str:
    """The results of `make validate`, if it has been run in this folder."""
    if results.exists():
        return "```{include} ../validation-results.md\n```\n"
    return "# Validation cell by cell\n\n`make validate` writes this page: it has not been run in this folder.\n"


def param_table(params: Sequence[Mapping[str, Any]]) -> list[str]:
    """Parameters as a table."""
    if not params:
        return ["None besides the limit of the queue."]
    lines = ["| symbol | default | allowed | what it does |", "| --- | --- | --- | --- |"]
    for p in params:
        lines.append(
            f"| `{p['name']}` | {cell(explain.default_text(p))} | {cell(explain.range_text(p))} | {cell(p['doc'])} |"
        )
    return lines


def deeper(doc: str) -> str:
    """An AQM's documentation with its headings one level down."""
    lines = []
    for line in doc.strip().splitlines():
        if line.startswith("# "):
            lines += ["", "#" + line, ""]
        else:
            # Markdown requires a blank line before a list.
            if line.startswith("* ") and lines and lines[-1] and not lines[-1].startswith(("* ", "  ")):
                lines.append("")
            lines.append(line)
    return "\n".join(lines)


def cell(text: str) -> str:
    """Text for a cell of a table."""
    return " ".join(str(text).replace("|", "\\|").replace("<", "&lt;").split())
