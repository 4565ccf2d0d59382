"""`penstock reproduce`: its JSON, its pages, what it records; and every work in quick mode."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import penstock as ps
import pytest
from penstock import papers, reproduce, reproduction_page
from penstock.claims import Claim, counts, decide, not_comparable
from penstock.samples import Sample
from penstock.shown import Point, Shown

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ONE = "cc/fig4"
Answer = dict[str, Any]


def penstock(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "penstock", *words], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def answer(store: Path) -> Answer:
    done = penstock("reproduce", ONE, "--quick", "--store", str(store), "--json", "-")
    assert done.returncode == 0, done.stderr
    found: Answer = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_the_json_is_as_the_contract_says(answer: Answer) -> None:
    assert answer["paper"] == "chung-claypool-2003"
    (experiment,) = answer["experiments"]
    assert {"id", "runs", "cpu_s", "claims", "files"} <= set(experiment)
    assert experiment["runs"] == 90
    for claim in experiment["claims"]:
        assert {"id", "says", "expected", "measured", "ci95", "verdict", "why"} <= set(claim)
        low, high = claim["ci95"]
        assert low <= claim["measured"] <= high
    assert sum(answer["summary"].values()) == sum("reading" not in claim for claim in experiment["claims"])


@pytest.mark.slow
def test_drawing_again_costs_no_run_and_gives_the_same(answer: Answer, store: Path, tmp_path: Path) -> None:
    again = penstock("reproduce", ONE, "--quick", "--store", str(store), "--json", "-", "--figures", str(tmp_path))
    second = json.loads(again.stdout)
    files = second["experiments"][0].pop("files")
    answer["experiments"][0].pop("files", None)
    assert second == answer
    assert sorted(Path(file).suffix for file in files) == [".pdf", ".svg"]


def test_every_unknown_name_is_told_at_once() -> None:
    done = penstock("reproduce", "cc/fig44", "chung")
    assert done.returncode == 2
    assert 'did you mean "fig4"' in done.stderr
    assert 'no work "chung"' in done.stderr
    assert "Traceback" not in done.stderr
    assert penstock("reproduce", "cc", "--quick", "--full").returncode == 2


def test_the_list_names_every_experiment() -> None:
    listed = penstock("reproduce", "--list").stdout
    entries = json.loads(penstock("list", "papers", "--json").stdout)
    for entry in entries:
        for experiment in entry["experiments"]:
            assert f"{entry['alias']}/{experiment['id']} " in listed
            assert experiment["title"] in listed


def test_ids_of_claims_are_unique_in_a_work_and_modules_exist() -> None:
    for paper in papers.papers():
        for experiment in paper.experiments:
            assert experiment.title
            assert hasattr(experiment.module, "claims")
            assert sum(hasattr(experiment.module, name) for name in ("study", "rows", "table")) == 1
        assert (paper.folder / "README.md").read_text(encoding="utf-8").count("status") >= 2


@pytest.mark.slow
def test_a_page_answers_within_two_clicks_and_loads_nothing(answer: Answer, store: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert penstock("reproduce", ONE, "--quick", "--store", str(store), "--html", str(page)).returncode == 0
    text = page.read_text(encoding="utf-8")
    anchors = set(re.findall(r'<section id="([^"]+)"', text))
    for claim in answer["experiments"][0]["claims"]:
        assert f"cc/{claim['id']}" in text
        assert claim["verdict"] in text
    assert set(re.findall(r'href="#([^"]+)"', re.sub(r"<svg.*?</svg>", "", text, flags=re.S))) <= anchors
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', text)
    if CHROMIUM is None:
        return
    listen = "<script>addEventListener('error', (e) => { document.title = 'FAILED ' + e.message; });</script>"
    page.write_text(text.replace("<style>", listen + "<style>", 1), encoding="utf-8")
    dom = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "--virtual-time-budget=2000",
         "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={tmp_path / 'profile'}", page.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    ).stdout  # fmt: skip
    assert "<title>FAILED" not in dom


@pytest.mark.slow
def test_what_is_recorded_draws_the_same_figure(answer: Answer, store: Path, tmp_path: Path) -> None:
    (experiment,) = papers.find([ONE])
    folder = tmp_path / "chung_claypool_2003"
    shutil.copytree(experiment.paper.folder, folder)
    copied = papers.Paper(folder, experiment.paper.about)
    from penstock.store import Store

    found = reproduce.carry_out(experiment, reproduce.Effort(mode="quick", store=Store(store)))
    moved = reproduce.Outcome(papers.Experiment(copied, experiment.id), *list(vars(found).values())[1:])
    said: list[str] = []
    reproduce.update([moved], said.append)
    (again,) = reproduce.recorded([papers.Experiment(copied, experiment.id)])
    assert again.claims == found.claims
    first, second = (
        reproduction_page.figures([one], tmp_path / name)["cc/fig4"] for one, name in ((found, "a"), (again, "b"))
    )
    assert [Path(a).read_bytes() for a in first] == [Path(b).read_bytes() for b in second]
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert "| cc/c01 |" in readme
    assert re.search(r"\| fig4 \| 90 \| 5 \| \d+ \|", readme)
    assert copied.results_file.stat().st_size < 300_000


def test_other_readings_do_not_count_and_what_must_hold_fails() -> None:
    base: Any = {"says": "x", "expected": "y"}
    one, other, third = decide(
        [
            Claim(id="a", holds=Sample(1.0) <= 0, must_hold=True, **base),
            Claim(id="b", holds=Sample(1.0) <= 2, reading="another", **base),
            Claim(id="c", holds=not_comparable("nothing was printed"), **base),
        ]
    )
    assert (one.failed, other.failed) == (True, False)
    found = counts([one.to_dict(), other.to_dict(), third.to_dict()])
    assert found == {"confirmed": 0, "contradicted": 1, "inconclusive": 0, "not comparable": 1}


def test_the_cost_of_an_experiment_has_its_first_passes_and_each_run_once() -> None:
    link = ps.dumbbell(rate="1Mbit", rtt="20ms", duration="1s", queue=ps.DropTail(limit="5p"), traffic={"x": ps.Tcp()})
    once = ps.Study(link, seeds=2)

    def study(effort: reproduce.Effort) -> ps.Study:
        first = effort.table(ps.Study(link, {"duration": ["2s"]}, seeds=3), lambda run: {"n": 1.0})
        assert first.runs == 3
        return once + ps.Study(link, seeds=2, labels={"again": True})

    module = SimpleNamespace(study=study, measure=lambda run: {"n": 1.0}, claims=lambda table: iter(()))
    experiment: Any = SimpleNamespace(module=module)
    found = reproduce.carry_out(experiment, reproduce.Effort(mode="full", jobs=1))
    assert (found.runs, found.seeds) == (5, 2)
    assert found.cpu_s > 0


@pytest.mark.slow
@pytest.mark.parametrize("paper", [paper.name for paper in papers.papers()])
def test_a_quick_reproduction_holds_what_must_hold(paper: str, store: Path) -> None:
    done = penstock("reproduce", paper, "--quick", "--store", str(store))
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_new_work_runs_as_it_stands(tmp_path: Path) -> None:
    done = penstock("new", "paper", "author-2001", "--into", str(tmp_path))
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "author_2001"
    assert sorted(file.name for file in folder.iterdir()) == [
        "README.md", "__init__.py", "fig1.py", "paper.toml", "setup.py"
    ]  # fmt: skip
    ran = penstock("reproduce", str(folder), "--quick", "--store", str(tmp_path / "store"), "--json", "-", "--update")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["summary"]["confirmed"] == 1
    assert "| author-2001/c01 |" in (folder / "README.md").read_text(encoding="utf-8")
    shown = penstock("reproduce", f"{folder}/fig1", "--recorded", "--json", "-")
    assert json.loads(shown.stdout)["experiments"][0]["claims"][0]["verdict"] == "confirmed"
    assert penstock("new", "paper", "author-2001", "--into", str(tmp_path)).returncode == 2
    (folder / "paper.toml").write_text('alias = "x"\n', encoding="utf-8")
    broken = penstock("reproduce", str(folder))
    assert broken.returncode == 2
    assert "lacks authors, title" in broken.stderr


def test_what_is_shown_is_written_short_and_read_back() -> None:
    course = {f"queue at {i}": Point(float(i), None) for i in range(100)}
    numbers = {"AQS": Point(10.5, 0.25), "VQS": Point(7.0, None), "PLR 2": Point(1.234567, 0.01)}
    shown = Shown([({"scheme": "RED"}, {**numbers, **course}), ({"scheme": "PI"}, {"PLR 2": Point(3.0, None)})])
    written = json.loads(json.dumps(shown.to_dict()))
    assert written["metrics"] == ["AQS", "VQS", ["PLR ", 2, 2], ["queue at ", 0, 99]]
    assert written["axes"] == {"scheme": ["RED", "PI"]}
    assert written["rows"][1] == [1, [2, 3]]
    again = Shown.read(written)
    assert again("queue at 73", scheme="RED") == Point(73.0, None)
    assert again("VQS", scheme="RED") == Point(7.0, None)
    assert again("PLR 2", scheme="RED") == Point(1.2346, 0.01)
    assert again.to_dict() == shown.to_dict()
    plain = {"axes": {"n": [1, None]}, "metrics": ["a", "b"], "rows": [[0, [0, 2.5, 0.1], [1, 3.5]], [1, [0, 1]]]}
    assert Shown.read(plain)("b", n=1) == Point(3.5, None)
    assert Shown.read(plain).axis("n") == [1]


def test_a_contradicted_claim_has_the_reason_of_the_table_of_its_work(tmp_path: Path) -> None:
    (tmp_path / "reasons.csv").write_text('claim,because\na,"too short, as x shows"\nb,never\n', encoding="utf-8")
    paper = papers.Paper(tmp_path, {"alias": "x"})
    wrong: dict[str, Any] = {"id": "a", "verdict": "contradicted"}
    assert reproduce._with_reason(paper, wrong)["because"] == "too short, as x shows"
    for other in ({"id": "b", "verdict": "confirmed"}, {**wrong, "reading": "own"}, {**wrong, "id": "c"}):
        assert "because" not in reproduce._with_reason(paper, other)
    assert reproduce._with_reason(paper, {**wrong, "because": "own"})["because"] == "own"
    assert papers.Paper(tmp_path / "none", {"alias": "x"}).reasons == {}


def test_reasons_speak_of_experiments_that_there_are() -> None:
    (experiment,) = papers.find(["alemu/why-2"])
    names = {each.id for each in experiment.paper.experiments}
    with (experiment.paper.folder / "reasons.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row[column] for row in rows for column in ("experiment", "shown by")} <= names
    assert len({row["claim"] for row in rows}) == len(rows) == len(experiment.paper.reasons)
    assert all(row["because"] for row in rows)
