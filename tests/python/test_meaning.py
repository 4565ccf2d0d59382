"""Results of runs change only together with `MEANING`, the number under which stored results are found again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from penstock import _native
from penstock.aqms.catalog import conditioners, tcp_keys
from penstock.aqms.queue import Element
from penstock.scenario._generated import Tcp
from penstock.scenario.document import scenario_key
from penstock.scenario.elements import Link, Reverse, Traffic
from penstock.scenario.scenario import TRAFFIC

from .record_of_meaning import Record, errors, refusal
from .recorded_runs import Tree, recorded_runs
from .test_scenario import small

CHANGELOG = Path(__file__).resolve().parents[2] / "CHANGELOG.md"


def test_every_recorded_run_has_the_recorded_result() -> None:
    messages = errors(Record.read(), Record.of_this_build())
    assert not messages, "\n".join(messages)


def test_the_changelog_names_the_results_that_the_version_of_meaning_changed() -> None:
    assert f"(meaning {_native.meaning})" in CHANGELOG.read_text(encoding="utf-8")


def test_every_registered_mechanism_and_key_is_recorded(tmp_path: Path) -> None:
    recorded = Record.read().results
    used: set[str] = set()
    for name, tree in recorded_runs(tmp_path).items():
        if name in recorded:
            used |= _used(tree)
    missing = sorted(_registered() - used)
    assert not missing, f"tests/data/meaning.json has no run with: {', '.join(missing)}. Add runs, and: make meaning."


def _registered() -> set[str]:
    """Schemes, conditioners, TCP flavours and other choices of TCP, kinds of traffic, and keys of links and traffic."""
    names = {f"scheme {entry['name']}" for entry in json.loads(_native.schemes())}
    names |= {f"conditioner {conditioner.name}" for conditioner in conditioners()}
    names |= {f"profile {profile}" for profile in tcp_keys().profiles}
    names |= {f"{param.name} {choice}" for param in tcp_keys().params for choice in param.choices}
    names |= {f"traffic {kind}" for kind in TRAFFIC}
    names |= {f"link key {key}" for key in _keys(Link)}
    names |= {f"reverse key {key}" for key in _keys(Reverse)}
    names |= {f"traffic key {key}" for key in _keys(Traffic)}
    for kind, cls in TRAFFIC.items():
        base = Tcp if issubclass(cls, Tcp) and cls is not Tcp else Traffic
        names |= {f"{kind} key {key}" for key in _keys(cls) - _keys(base)}
    return names


def _keys(cls: type[Element]) -> set[str]:
    return set(cls.field_names_by_key())


def _used(tree: Tree) -> set[str]:
    """The mechanisms and keys that a scenario uses, as `_registered` names them."""
    names: set[str] = set()
    for link in tree["links"].values():
        names |= {f"link key {key}" for key in link}
        names |= {f"reverse key {key}" for key in link.get("reverse", {})}
        for direction in (link, link.get("reverse", {})):
            names |= {f"conditioner {conditioner['kind']}" for conditioner in direction.get("edge", ())}
            if isinstance(queue := direction.get("queue"), dict):
                names.add(f"scheme {queue['scheme']}")
    for group in tree["traffic"].values():
        kind = group["kind"]
        names |= {f"traffic {kind}", *(f"traffic key {key}" for key in group), *(f"{kind} key {key}" for key in group)}
        names |= {f"{key} {value}" for key, value in group.items() if isinstance(value, str)}
    return names


BEFORE = Record(3, {"scheme/red": "1", "scheme/blue": "2"})
RED = {**BEFORE.results, "scheme/red": "9"}
NEW = {**BEFORE.results, "scheme/new": "5"}


@pytest.mark.parametrize(
    ("now", "says", "recordable"),
    [
        (Record(3, BEFORE.results), "", True),
        (Record(3, RED), "changed, but MEANING is still 3: scheme/red.", False),
        (Record(4, RED), "The record is of meaning 3, MEANING is 4: make meaning", True),
        (Record(4, BEFORE.results), "raised from 3 to 4, but no recorded run changed", False),
        (Record(2, RED), "never lowered", False),
        (Record(3, NEW), "Not recorded: scheme/new", True),
        (Record(4, NEW), "Not recorded: scheme/new", True),
        (Record(3, {"scheme/red": "1"}), "no longer run: scheme/blue", True),
        (Record(3, RED | NEW | {"scheme/red": "9"}), "MEANING is still 3: scheme/red.", False),
    ],
)
def test_a_changed_result_needs_another_meaning_and_the_other_way_round(
    now: Record, says: str, recordable: bool
) -> None:
    assert says in "\n".join(errors(BEFORE, now))
    assert bool(errors(BEFORE, now)) == bool(says)
    assert (refusal(BEFORE, now) is None) == recordable


def test_many_changed_runs_are_counted_by_mechanism() -> None:
    before = Record(1, {f"tcp/cubic/{i}": "1" for i in range(20)} | {"tcp/bbr/1": "1"})
    (says,) = errors(before, Record(1, {name: "2" if "cubic" in name else "1" for name in before.results}))
    assert "still 1: tcp/cubic (20 of 20 runs)." in says


def test_the_key_of_a_scenario_has_the_version_of_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    resolved = small().resolve()
    before = scenario_key(resolved)
    monkeypatch.setattr(_native, "meaning", _native.meaning + 1)
    assert scenario_key(resolved) != before
