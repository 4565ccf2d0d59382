"""The JSON schemas: the output of every verb is valid, and what they do not describe is refused."""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
import sys
from collections.abc import Container, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import penstock as ps
import pytest
from jsonschema import Draft202012Validator
from penstock.aqms.catalog import conditioners
from penstock.cli.app import VERBS
from penstock.engine.run import run_batch
from penstock.results.metrics import METRICS
from penstock.results.run import Run
from penstock.scenario.document import Document
from penstock.schemas import VERBS as DESCRIBED

from .recorded_runs import recorded_runs

ROOT = Path(__file__).resolve().parents[2]

STUDY = """
name = "queues"
base = "scenarios/standard.toml"
schemes = ["droptail", "codel"]
seeds = 2
metrics = ["bottleneck.delay_mean_s"]
[axes]
"traffic.bulk.count" = [2, 4]
"""

SHORT = ("--set", "duration=5s", "--set", "warmup=1s")
REAL = ("--on", "link", *(f"--set={text}" for text in ("duration=2s", "warmup=1s", "traffic.bulk.count=1")))
PAIR = ("--scheme", "droptail", "--scheme", "red:gentle=true")
LINK = "scenarios/standard.toml"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the scenarios, a study, a result of a run, and a store with a part of the study."""
    folder = tmp_path_factory.mktemp("schemas")
    for name in ("scenarios", "examples"):
        shutil.copytree(ROOT / name, folder / name)
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    penstock(folder, "run", LINK, *SHORT, "--json", "run.json")
    penstock(folder, "new", "aqm", "my-red")
    penstock(folder, "compare", "study.toml", *SHORT, "--store", "store")
    return folder


def penstock(folder: Path, *arguments: str, statuses: Container[int] = (0,)) -> None:
    command = [sys.executable, "-m", "penstock", *arguments]
    process = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert process.returncode in statuses, process.stderr


def answer(folder: Path, *arguments: str, statuses: Container[int] = (0,)) -> Any:
    """The JSON that a command writes; the file is in the folder afterwards."""
    verb, *rest = arguments
    file = folder / "answer.json"
    penstock(folder, verb, "--json", file.name, *rest, statuses=statuses)
    return json.loads(file.read_text(encoding="utf-8"))


@cache
def validator(verb: str) -> Draft202012Validator:
    return Draft202012Validator(ps.json_schema(verb))


def errors(verb: str, document: Any) -> list[str]:
    """The places and messages of all errors, with those of the alternatives."""
    violations = list(validator(verb).iter_errors(document))
    return [
        f"{list(each.absolute_path)}: {each.message[:200]}" for error in violations for each in [error, *error.context]
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "scenarios/thesis_link.toml", *SHORT, "--set", "traffic.extra.count=50"),
        ("compare", LINK, *PAIR, *SHORT, "--runs", "5", "--vary", "traffic.bulk.count=5,10"),
        ("compare", LINK, *PAIR, *SHORT, "--runs", "2", "--precision", "utilization=50%"),
        ("compare", LINK, *PAIR, *SHORT, "--dry-run"),
        ("compare", "study.toml", *SHORT),
        ("run", LINK, *SHORT, "--scheme", "my_red.py:my-red"),
        ("compare", LINK, *SHORT, "--scheme", "my_red.py:my-red", "--scheme", "pie", "--runs", "2"),
        ("live", "scenarios/thesis_link.toml", "--scheme", "pi", "-o", "live.html", "--no-open"),
        ("check", "scenarios/thesis_link.toml"),
        ("check", "examples/slow_dsl.toml"),
        ("check", "study.toml"),
        ("convert", "--from", "penstock", "--to", "tc", "red:min_th=5,max_th=15,max_p=0.1", "--rate", "10Mbit"),
        ("fit", "examples/uplink.pcap.gz"),
        ("results", "store"),
        ("results", "store", "--status"),
        ("results", "store", "--resume"),
        ("results", "store", "--sql", "SELECT scheme, avg(delay_mean_s) FROM runs GROUP BY scheme"),
        ("results", "run.json"),
        ("reproduce", "cc", "--recorded"),
        ("reproduce", "cc", "kt", "--list"),
        ("doctor",),
        ("new", "aqm", "my-red", "--into", "new"),
        ("explain", "red", "--rate", "20Mbit", "--rtt", "80ms", "--count", "50..400"),
        ("explain", "pi", "--count", "10"),
        ("explain", "codel", "--scenario", "scenarios/standard.toml"),
        ("explain", "fq-codel"),
        ("explain", "cubic"),
        ("explain", "delay_p99_s"),
        ("explain", "json/compare"),
        *(("explain", name) for name in
          ("schemes", "conditioners", "transports", "traffic", "workloads", "metrics", "papers", "json")),
        *(("explain", conditioner.name) for conditioner in conditioners()),
        pytest.param(("evaluate", "codel", "--quick"), marks=pytest.mark.slow),
        pytest.param(("challenge", "sfq:buckets=16", "--against", "drr", "--metric", "fairness", "--budget", "20s"),
                     marks=pytest.mark.slow),
        pytest.param(("reproduce", "cc/fig4", "--quick"), marks=pytest.mark.slow),
        pytest.param(("reproduce", "--recorded"), marks=pytest.mark.slow),
    ],
    ids=" ".join,
)  # fmt: skip
def test_the_output_of_every_verb_is_valid(folder: Path, arguments: tuple[str, ...]) -> None:
    (folder / "new").mkdir(exist_ok=True)
    assert not errors(arguments[0], answer(folder, *arguments))


@pytest.mark.slow
def test_advice_is_valid_whether_the_aim_is_met_or_not(folder: Path) -> None:
    for aim, status in (("delay p99 < 40ms", 0), ("delay p99 < 1us", 3)):
        searched = ("--scheme", "pie", "--budget", "5s")
        document = answer(folder, "tune", LINK, *SHORT, "--aim", aim, *searched, statuses=(status,))
        assert not errors("tune", document)


@pytest.mark.link
@pytest.mark.parametrize(
    "arguments",
    [
        ("run", LINK, *REAL),
        ("compare", LINK, *PAIR, *REAL, "--runs", "2"),
        ("link", "examples/slow_dsl.toml", "--", "true"),
        ("link", LINK, *PAIR, "--", "true"),
        ("link", LINK, "--", "sh", "-c", "ip link delete penstock0; sleep 1"),
    ],
    ids=" ".join,
)
def test_results_of_real_links_are_valid(folder: Path, arguments: tuple[str, ...]) -> None:
    # On a busy machine the numbers do not count (1), which the document says.
    assert not errors(arguments[0], answer(folder, *arguments, statuses=(0, 1)))


@pytest.mark.slow
def test_the_result_of_every_mechanism_is_valid(tmp_path: Path) -> None:
    runs = {name: tree for name, tree in recorded_runs(tmp_path).items() if "Python" not in name}
    resolved = [Document(tree).resolve() for tree in runs.values()]
    results = run_batch([each.for_engine(flows=True, series=False) for each in resolved], [1] * len(resolved))
    for name, scenario, text in zip(runs, resolved, results, strict=True):
        assert not errors("run", Run.from_json(text, {**scenario.readable, "seed": 1}).to_dict()), name


@pytest.fixture(scope="module")
def documents(folder: Path) -> dict[str, Any]:
    """A result of `run`, and one of `compare` with few of its rows."""
    compared = answer(folder, "compare", LINK, *PAIR, *SHORT, "--runs", "5")
    short = {name: value[:3] if isinstance(value, list) else value for name, value in compared.items()}
    return {"run": answer(folder, "run", LINK, *SHORT), "compare": short}


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """All objects of a document, at any depth."""
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(part)


@pytest.mark.parametrize(
    ("verb", "path"),
    [
        ("run", ()), ("run", ("links", "bottleneck")), ("run", ("traffic", "bulk")), ("run", ("scenario",)),
        ("run", ("scenario", "links", "bottleneck")), ("run", ("scenario", "traffic", "bulk")),
        ("run", ("traffic", "bulk", "flows", 0)), ("run", ("fairness",)),
        ("compare", ()), ("compare", ("rows", 0)), ("compare", ("differences", 0)), ("compare", ("conclusions", 0)),
        ("compare", ("conclusions", 0, "points", 0)), ("compare", ("leaders", 0)),
    ],
    ids=str,
)  # fmt: skip
def test_an_unknown_key_is_refused(documents: dict[str, Any], verb: str, path: tuple[Any, ...]) -> None:
    assert not errors(verb, documents[verb])
    broken = copy.deepcopy(documents[verb])
    place = broken
    for key in path:
        place = place[key]
    place["unexpected"] = 1
    assert errors(verb, broken)


@pytest.mark.parametrize("verb", ["run", "compare"])
def test_a_missing_key_is_refused(documents: dict[str, Any], verb: str) -> None:
    for key in ("penstock", "scenario"):
        assert errors(verb, {name: value for name, value in documents[verb].items() if name != key})


def test_a_metric_with_a_wrong_value_is_refused(documents: dict[str, Any]) -> None:
    for name, value in (("utilization", 1.2), ("drops", 1.5), ("delay_mean_s", "3ms"), ("loss_rate", None)):
        broken = copy.deepcopy(documents["run"])
        broken["links"]["bottleneck"][name] = value
        assert errors("run", broken), name


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_a_schema_that_says_of_each_object_whether_it_is_closed(verb: str) -> None:
    schema = ps.json_schema(verb)
    Draft202012Validator.check_schema(schema)
    described = [each for each in objects(schema) if isinstance(each.get("properties"), dict)]
    open_ones = [each for each in described if "additionalProperties" not in each]
    # The schema of a schema is the draft's.
    assert not open_ones or (verb, open_ones) == ("explain", [schema["$defs"]["json_schema"]])
    assert set(schema.get("$defs", {})) == {
        each["$ref"].removeprefix("#/$defs/") for each in objects(schema) if isinstance(each.get("$ref"), str)
    }


def test_the_schemas_are_those_of_the_verbs_and_of_the_catalogue_of_metrics() -> None:
    assert tuple(VERBS) == DESCRIBED
    definitions = ps.json_schema("run")["$defs"]
    described = {**definitions["link_metrics"]["properties"], **definitions["traffic_metrics"]["properties"]}
    assert {entry.name for entry in METRICS} <= set(described)
    assert described["delay_p99_s"]["unit"] == "seconds"
    assert described["goodput_bps"]["unit"] == "bits per second"
    assert (described["utilization"]["minimum"], described["utilization"]["maximum"]) == (0, 1)
    assert "maximum" not in described["fair_share"]  # a flow can have more than its share
    with pytest.raises(ps.PenstockError, match='no verb "comapre"; did you mean "compare"'):
        ps.json_schema("comapre")
