"""Schedulers in scenarios: classes in TOML and in Python, what their matches mean, and every error with its line."""

from __future__ import annotations

from typing import Any

import penstock as ps
import pytest
from penstock.aqms.catalog import schemes
from penstock.cli.app import app
from penstock.scenario.check import resolved_text
from penstock.scenario.document import Document
from penstock.scenario.resolve import Resolved

HEAD = """
duration = "20s"
[links.core]
from = "R1"
to = "R2"
rate = "1Mbit"
delay = "5ms"
watch = true
[traffic.voice]
kind = "cbr"
from = "R1"
to = "R2"
rate = "900kbit"
packet = "172B"
dscp = "EF"
[traffic.bulk]
kind = "cbr"
count = 3
from = "R1"
to = "R2"
rate = "900kbit"
packet = "972B"
"""

SCHEDULER = """
[links.core.queue]
scheme = "{scheme}"
limit = "100p"
[[links.core.queue.classes]]
name = "voice"
match = {match}
{settings}
queue = {{ scheme = "red", limit = "40p", max_p = 0.2 }}
[[links.core.queue.classes]]
name = "rest"
limit = "50p"
"""


def scenario(match: str = '{ dscp = "EF" }', scheme: str = "wfq", settings: str = "") -> str:
    """A link with a class for voice and one for the rest."""
    return HEAD + SCHEDULER.format(scheme=scheme, match=match, settings=settings)


def classes(resolved: Resolved) -> list[dict[str, Any]]:
    """The canonical classes of the link."""
    entries: list[dict[str, Any]] = resolved.canonical["links"][0]["queue"]["params"]["classes"]
    return entries


def errors(text: str) -> dict[str, str]:
    """The errors of a scenario file, as origin and message by path."""
    with pytest.raises(ps.ScenarioError) as caught:
        ps.Scenario.loads(text, "link.toml")
    return {error.path: f"{error.origin}: {error.message}" for error in caught.value.errors}


def line_of(text: str, start: str) -> int:
    """The number of the line that starts so."""
    return next(i for i, line in enumerate(text.splitlines(), 1) if line.startswith(start))


def test_classes_come_out_in_canonical_form() -> None:
    text = scenario('{ dscp = ["EF", 10], size = ["0B", "1kB"], protocol = "udp", ecn = "not" }', settings="weight = 3")
    voice, rest = classes(Document.parse(text).resolve())
    assert voice == {
        "name": "voice",
        "match": {"dscp": [46, 10], "protocol": [17], "ecn": ["not"], "size": [0, 1000]},
        "params": {"weight": 3, "limit": {"packets": 40}},
        "queue": {"scheme": "red", "params": {"max_p": 0.2}},
    }
    assert rest == {"name": "rest", "match": {}, "params": {"limit": {"packets": 50}}, "queue": None}


@pytest.mark.parametrize(
    ("match", "flows"),
    [
        ('{ flow = "bulk.2" }', [("bulk", 2)]),
        ('{ flow = ["bulk.0", "voice.0"] }', [("bulk", 0), ("voice", 0)]),
        ('{ traffic = ["bulk", "voice"], flow = 0 }', [("bulk", 0), ("voice", 0)]),
    ],
)
def test_a_flow_is_its_traffic_and_its_number(match: str, flows: list[tuple[str, int]]) -> None:
    assert classes(Document.parse(scenario(match)).resolve())[0]["match"]["flow"] == flows


@pytest.mark.parametrize(
    "match",
    [
        '{ dscp = "EF" }',
        '{ traffic = "voice" }',
        '{ flow = "voice.0" }',
        '{ size = ["200B", "200B"] }',
        '{ from = "R1", size = ["0B", "500B"] }',
    ],
)
def test_whatever_matches_voice_gives_it_its_weight(match: str) -> None:
    text = scenario(match, settings="weight = 3").replace(
        'scheme = "red", limit = "40p", max_p = 0.2', 'scheme = "pfifo", limit = "40p"'
    )
    result = ps.run(ps.Scenario.loads(text))
    assert result.traffic["voice"]["goodput_bps"] / 172 * 200 == pytest.approx(750_000, rel=0.03)


def test_files_and_what_check_prints_survive_a_round_trip() -> None:
    text = scenario(
        '{ dscp = ["EF", "AF11"], flow = "bulk.1", size = ["0B", "1kB"] }', "pq", 'rate = "100kbit"\nburst = "3kB"'
    )
    original = ps.Scenario.loads(text)
    again = ps.Scenario.loads(original.to_toml())
    assert again == original
    resolved = Document.parse(text).resolve()
    assert Document.parse(resolved_text(resolved)).resolve().readable == resolved.readable
    assert classes(again.resolve()) == classes(resolved)


def test_python_and_toml_say_the_same() -> None:
    queue = ps.Wfq(
        limit="100p",
        classes=[
            ps.Class(name="voice", match={"dscp": "EF"}, weight=3, queue=ps.Red(limit="40p", max_p=0.2)),
            ps.Class(name="rest", limit="50p"),
        ],
    )
    read = ps.Scenario.loads(scenario(settings="weight = 3"))
    written = read.replace("links.core.queue", queue)
    assert written.resolve().canonical == read.resolve().canonical
    assert ps.Scenario.loads(written.to_toml()) == written


def test_a_class_is_changed_by_its_path() -> None:
    parsed = ps.Scenario.loads(scenario(settings="weight = 3"))
    changed = parsed.replace("links.core.queue.classes[0].weight", 5)
    assert classes(changed.resolve())[0]["params"]["weight"] == 5
    with pytest.raises(ps.ScenarioError, match="no such item"):
        parsed.replace("links.core.queue.classes[7].weight", 5)


def test_the_generated_class_has_every_key_of_every_scheduler() -> None:
    keys = {param.name for scheme in schemes() for param in scheme.class_params}
    assert keys <= set(ps.Class.field_names_by_key())


@pytest.mark.parametrize(
    ("match", "settings", "path", "line", "message"),
    [
        ('{ dscp = "EG" }', "", "match.dscp", "match", "must be a code point"),
        ("{ dscp = 64 }", "", "match.dscp", "match", "must lie between 0 and 63"),
        ('{ size = ["2kB", "1kB"] }', "", "match.size", "match", "the smallest size is above the largest"),
        ('{ size = "1kB" }', "", "match.size", "match", "the smallest and the largest size"),
        ('{ protocol = "tpc" }', "", "match.protocol", "match", 'did you mean "tcp"'),
        ('{ ecn = "ect2" }', "", "match.ecn", "match", "must be one of not, ect0, ect1, ce"),
        ("{ flow = 3 }", "", "match.flow", "match", 'such as "bulk.3"'),
        ('{ traffic = "voise" }', "", "match.traffic", "match", 'did you mean "voice"'),
        ('{ flow = "blk.0" }', "", "match.flow", "match", 'did you mean "bulk"'),
        ('{ from = "R7" }', "", "match.from", "match", "no link leads to or from"),
        ("{ traffic = [] }", "", "match.traffic", "match", "at least one"),
        ('{ dcsp = "EF" }', "", "match.dcsp", "match", 'did you mean "dscp"'),
        ("{ }", "", "match", "match", "only the last class, which takes all other packets, may omit it"),
        ('"EF"', "", "match", "match", "must be a table"),
        ('{ dscp = "EF" }', "weight = -1", "weight", "weight", "must lie between"),
        ('{ dscp = "EF" }', 'weight = "3"', "weight", "weight", "must be a number"),
        ('{ dscp = "EF" }', "wieght = 1", "wieght", "wieght", 'did you mean "weight"'),
        ('{ dscp = "EF" }', "share = 0.5\nweight = 2", "weight", "weight", "weights and shares cannot be mixed"),
        ('{ dscp = "EF" }', 'limit = "5p"', "queue.limit", "queue", "is set twice"),
    ],
)
def test_every_error_names_its_path_and_line(match: str, settings: str, path: str, line: str, message: str) -> None:
    text = scenario(match, settings=settings)
    error = errors(text)[f"links.core.queue.classes[0].{path}"]
    # The queue of the class is the second in the file.
    lines = [i for i, row in enumerate(text.splitlines(), 1) if row.startswith(f"{line} =")]
    assert error.startswith(f"link.toml:{lines[0]}: ")
    assert message in error


@pytest.mark.parametrize(
    ("queue", "path", "message"),
    [
        ('{ scheme = "red", max_p = 7 }', "queue.max_p", "must lie between 0 and 1"),
        ('{ scheme = "red", mxa_p = 0.1 }', "queue.mxa_p", 'did you mean "max_p"'),
        ('{ scheme = "rde" }', "queue.scheme", 'did you mean "red"'),
        ('{ scheme = "wfq" }', "queue.scheme", "is a scheduler"),
        ('{ scheme = "red", limit = "10p" }', "queue.max_th", "must not be above the limit of the queue, 10 packets"),
        ('{ scheme = "bernoulli" }', "queue.p", "is missing"),
    ],
)
def test_errors_of_the_aqm_of_a_class_name_its_path(queue: str, path: str, message: str) -> None:
    text = scenario().replace('{ scheme = "red", limit = "40p", max_p = 0.2 }', queue)
    error = errors(text)[f"links.core.queue.classes[0].{path}"]
    assert error.startswith(f"link.toml:{line_of(text, 'queue =')}: ")
    assert message in error


@pytest.mark.parametrize(
    ("table", "path", "message"),
    [
        ('scheme = "wfq"', "classes", "needs at least one class"),
        ('scheme = "wfq"\nclasses = []', "classes", "at least one class"),
        ('scheme = "wfq"\nclasses = 3', "classes", "must be a list"),
        ('scheme = "wfq"\nclasses = [3]', "classes[0]", "must be a table"),
        ('scheme = "wfq"\nclasses = [{ weight = 1 }]', "classes[0].name", "is missing"),
        ('scheme = "cbq"\nclasses = [{ name = "all" }]', "classes[0].share", "is missing"),
        ('scheme = "pq"\nclasses = [{ name = "all", rate = "1Mb" }]', "classes[0].rate", "unit"),
        ('scheme = "pq"\nclasses = [{ name = "all", burst = "2p" }]', "classes[0].burst", "`rate`"),
        ('scheme = "fq"\nby = "byte"', "by", "must be one of packet, bit"),
        ('scheme = "red"\nclasses = [{ name = "all" }]', "classes", "red has no classes"),
    ],
)
def test_errors_of_the_list_of_classes_name_its_path(table: str, path: str, message: str) -> None:
    assert message in errors(f'{HEAD}[links.core.queue]\nlimit = "50p"\n{table}\n')[f"links.core.queue.{path}"]


def test_errors_of_classes_are_told_beside_others() -> None:
    text = scenario(settings="weight = -1").replace('duration = "20s"', 'duration = "20"')
    messages = errors(text)
    assert {"duration", "links.core.queue.classes[0].weight"} <= set(messages)


def test_fair_queueing_needs_no_classes() -> None:
    text = HEAD + '[links.core.queue]\nscheme = "fq"\nby = "bit"\n'
    result = ps.run(ps.Scenario.loads(text))
    # Four flows, each of which would fill most of the link: a quarter each.
    assert result.traffic["voice"]["goodput_bps"] / 172 * 200 == pytest.approx(250_000, rel=0.03)


@pytest.mark.parametrize("scheme", [scheme.name for scheme in schemes() if scheme.class_params])
def test_schedulers_are_explained_and_listed(scheme: str, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, fragment in (
        (["explain", scheme], "Settings of each class"),
        (["explain", "schemes"], f"\n  {scheme} "),
    ):
        with pytest.raises(SystemExit) as exit_info:
            app(arguments, prog_name="penstock")
        assert exit_info.value.code == 0
        assert fragment in capsys.readouterr().out
