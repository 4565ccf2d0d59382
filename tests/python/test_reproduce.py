"""`penstock reproduce`: its JSON, its pages, what it records; and every work in quick mode."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from penstock import papers, reproduce, reproduction_page
from penstock.claims import Claim, counts, decide, not_comparable
from penstock.samples import Sample

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
            assert hasattr(experiment.module, "study") != hasattr(experiment.module, "rows")
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
    assert "| cc/c01 |" in (folder / "README.md").read_text(encoding="utf-8")
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
