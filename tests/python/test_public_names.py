"""The public names of the package: their spelling, for people and type checkers, and the objects that they make."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import penstock as ps
import pytest
from penstock.scenario._generated import SCHEMES

ROOT = Path(__file__).resolve().parents[2]

MISSPELT = """
import penstock as ps

queues = [ps.CoDel(), ps.FqCoDel(limit="100p"), ps.DualPi2(), ps.FqPie(), ps.Cake(), ps.Red(min_th=5)]
link = ps.dumbbell(rate="10Mbit", rtt="80ms", queue=queues[0], traffic=ps.Tcp(count=2))
ps.CoDle()
ps.Cmopare
seeds: list[int] = ps.tune(link, "delay p99 < 20ms", "codel").runs.seeds + ps.evaluate("codel").runs.seeds
seeds += ps.reproduce.run("cc/fig4", "quick").runs.seeds
ps.tune(link, "delay p99 < 20ms", "codel").rnus
ps.reproduce.run("cc/fig4", "quikc")
"""


def test_mypy_rejects_misspelt_names_and_no_others(tmp_path: Path) -> None:
    file = tmp_path / "misspelt.py"
    file.write_text(MISSPELT, encoding="utf-8")
    # With the settings and the cache of `make lint`, which has read the package already.
    command = [sys.executable, "-m", "mypy", "--no-pretty", "--hide-error-context", str(file)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    errors = [line for line in run.stdout.splitlines() if "misspelt.py:" in line and " error: " in line]
    assert [line.split(" error: ")[1] for line in errors] == [
        'Module has no attribute "CoDle"  [attr-defined]',
        'Module has no attribute "Cmopare"  [attr-defined]',
        '"Advice" has no attribute "rnus"  [attr-defined]',
        "Argument 2 to \"run\" has incompatible type \"Literal['quikc']\"; expected \"Literal['quick', 'normal', "
        "'full']\"  [arg-type]",
    ]


@pytest.mark.parametrize(
    ("scheme", "name"),
    [
        ("codel", "CoDel"), ("fq-codel", "FqCoDel"), ("dualpi2", "DualPi2"), ("fq-pie", "FqPie"), ("cake", "Cake"),
        ("red", "Red"), ("pie", "Pie"), ("pi2", "Pi2"), ("cobalt", "Cobalt"), ("ared-floyd", "AredFloyd"),
        ("droptail", "DropTail"), ("drop-front", "DropFront"), ("dual-curvy-red", "DualCurvyRed"),
    ],
)  # fmt: skip
def test_classes_have_the_spelling_of_the_literature(scheme: str, name: str) -> None:
    assert SCHEMES[scheme].__name__ == name
    assert getattr(ps, name) is SCHEMES[scheme]


def test_a_misspelt_name_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'FqCodel'; did you mean \"FqCoDel\"\?"):
        ps.FqCodel  # type: ignore[attr-defined]  # noqa: B018


def objects() -> Iterator[Any]:
    classes = (ps.Class(name="voice", match={"dscp": "EF"}, weight=1), ps.Class(name="rest", weight=9))
    settings_of: dict[str, dict[str, Any]] = {"bernoulli": {"p": 0.1}, "shaper": {"rate": "8Mbit"},
                                        "ras": {"cir": "5Mbit", "cir_th": "10kB", "mir_th": "20kB"}}  # fmt: skip
    for scheme, cls in SCHEMES.items():
        needs = settings_of.get(scheme, {"classes": classes} if "classes" in cls.__annotations__ else {})
        yield cls(limit="100p", **needs)
    udp: dict[str, Any] = {"rate": "1Mbit", "packet": "500B"}
    yield from (ps.Tcp(count=3, flavour="bbr"), ps.Cbr(**udp), ps.Poisson(**udp), ps.Fec(k=4, h=1, **udp))
    yield from (ps.Web(sessions=3), ps.OnOff(on={"packets": 9}, off="1s"), ps.Incast(senders=4, bytes="25kB"))
    yield from (ps.Video(rate="1Mbit"), ps.Replay(file="calls.pcap"), ps.Workload("office", users=4))
    yield ps.Link(from_="A", to="B", rate="1Mbit", delay="1ms", reverse=ps.Reverse(rate="2Mbit"))
    yield ps.dumbbell(rate="10Mbit", rtt="80ms", queue=ps.Red(limit="100p"))


@pytest.mark.parametrize("thing", list(objects()), ids=lambda thing: type(thing).__name__)
def test_parts_of_a_scenario_pickle_compare_and_print_as_the_call_that_makes_them(thing: Any) -> None:
    assert pickle.loads(pickle.dumps(thing)) == thing
    assert "None" not in repr(thing)
    assert eval(repr(thing), vars(ps) | {name: getattr(ps, name) for name in dir(ps)}) == thing


def test_a_dumbbell_prints_in_a_few_lines() -> None:
    link = ps.dumbbell(rate="10Mbit", rtt="80ms", queue=ps.Red(limit="100p"), traffic={"bulk": ps.Tcp(count=5)})
    assert len(repr(link)) < 400


def test_results_of_equal_runs_are_equal_and_print_briefly() -> None:
    link = ps.dumbbell(rate="5Mbit", rtt="40ms", duration="2s", traffic={"bulk": ps.Tcp(count=2)})
    run = ps.run(link, series=True)
    assert run == ps.run(link, series=True) == pickle.loads(pickle.dumps(run))
    assert run != ps.run(link, seed=2, series=True)
    assert run.links["bottleneck"] != run.traffic["bulk"]
    assert len(repr(run)) < 400
