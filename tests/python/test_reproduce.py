"""`penstock reproduce`: its JSON, its pages, what it records; and every work in quick mode."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import penstock as ps
import pytest
from hypothesis import given
from hypothesis import strategies as st
from penstock.errors import PenstockError
from penstock.plots.curves import time_course
from penstock.reproduce import experiment_run as reproduce
from penstock.reproduce import page as reproduction_page
from penstock.reproduce import paper as papers
from penstock.reproduce import points, record, why
from penstock.reproduce.claim import Claim, count_verdicts, decide_claims, not_comparable
from penstock.reproduce.effort import ReproductionEffort
from penstock.results.sample import RunSample
from penstock.results.summary_table import SummaryPoint, SummaryTable
from penstock.results.table import Table
from penstock.studies.store import Store

ONE = "cc/fig4"
# One process makes the runs of a work, and every test of the work reads them in the store.
of_one = pytest.mark.xdist_group(papers.find_experiments([ONE])[0].paper.name)
by_paper = pytest.mark.parametrize(
    "paper",
    [pytest.param(each, id=each.name, marks=pytest.mark.xdist_group(each.name)) for each in papers.included_papers()],
)
Answer = dict[str, Any]


def penstock(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "penstock", *words], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def answer(store: Path) -> Answer:
    process = penstock("reproduce", ONE, "--quick", "--store", str(store), "--json", "-")
    assert process.returncode == 0, process.stderr
    document: Answer = json.loads(process.stdout)
    return document


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A new work whose one experiment is recorded."""
    assert penstock("new", "paper", "author-2001", "--into", str(tmp_path)).returncode == 0
    folder = tmp_path / "author_2001"
    assert reproduced(folder, "--quick", "--store", str(tmp_path / "store"), "--update").returncode == 0
    return folder


def reproduced(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return penstock("reproduce", str(folder), *words)


@of_one
@pytest.mark.slow
def test_the_json_is_as_the_contract_says(answer: Answer) -> None:
    assert answer["paper"] == "chung-claypool-2003"
    (experiment,) = answer["experiments"]
    assert {"id", "runs", "cpu_s", "claims", "files"} <= set(experiment)
    assert experiment["runs"] == 120  # drops and marks, 3 numbers of flows, 4 probabilities, 5 seeds
    for claim in experiment["claims"]:
        assert {"id", "says", "expected", "measured", "ci95", "verdict", "why"} <= set(claim)
        low, high = claim["ci95"]
        assert low <= claim["measured"] <= high
    assert sum(answer["summary"].values()) == sum("reading" not in claim for claim in experiment["claims"])


@of_one
@pytest.mark.slow
def test_drawing_again_costs_no_run_and_gives_the_same(answer: Answer, store: Path, tmp_path: Path) -> None:
    again = penstock("reproduce", ONE, "--quick", "--store", str(store), "--json", "-", "--figures", str(tmp_path))
    second = json.loads(again.stdout)
    files = second["experiments"][0].pop("files")
    answer["experiments"][0].pop("files", None)
    assert second == answer
    assert sorted(Path(file).suffix for file in files) == [".pdf", ".svg"]


def test_every_unknown_name_is_told_at_once() -> None:
    process = penstock("reproduce", "cc/fig44", "chunk", "alemu/tab2.22")
    assert process.returncode == 2
    assert 'did you mean "fig4"' in process.stderr
    assert 'no paper "chunk"' in process.stderr
    assert 'alemu-2004 has no experiment or claim "tab2.22"; did you mean "tab2.2"' in process.stderr
    assert "Traceback" not in process.stderr
    assert penstock("reproduce", "cc", "--quick", "--full").returncode == 2


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("alemu/fig2-9", "alemu/fig2-9"),
        ("alemu/fig2.9a", "alemu/fig2-9"),  # the work's own names, with their panels
        ("alemu/fig2.3a–d", "alemu/fig2-3"),
        ("alemu/fig5.5a,b", "alemu/fig5-5"),
        ("alemu/tab2.2", "alemu/tab2-2"),
        ("alemu/model5.xh", "alemu/model5-xh"),
        ("alemu/ex.wfq", "alemu/examples"),  # the beginning of a claim's id
        ("alemu/ch1.blue", "alemu/ch1"),
        ("alemu/tab3.1/r1", "alemu/tab3-1"),  # claims
        ("alemu/fig3.1f,3.2b,3.2d/c1", "alemu/fig3-1-4"),
        ("alemu/concl/c4", "alemu/ch4"),
        ("alemu/equal-paths/open-PLR", "alemu/equal-paths"),
        ("kt/c02", "kt/fig4a"),  # decided there, and read otherwise in several
        ("bs/c25", "bs/conditioners"),
        ("bs/tb", "bs/conditioners"),
        ("bodin-schelen-2001/car", "bs/conditioners"),
        ("brandauer/fig3a", "br/fig3a"),  # the beginning of the work's name
        ("br/fig3d-low", "br/fig3d-low"),
    ],
)
def test_an_experiment_has_its_id_the_works_and_those_of_its_claims(name: str, expected: str) -> None:
    assert [experiment.name for experiment in papers.find_experiments([name])] == [expected]


def test_a_figure_stands_for_its_panels() -> None:
    def panels_of(name: str) -> list[str]:
        return [experiment.id for experiment in papers.find_experiments([name])]

    assert panels_of("kt/fig5") == ["fig5a", "fig5b", "fig5c"]
    assert panels_of("cc/fig5") == ["fig5-top", "fig5-mid", "fig5-bottom"]
    assert panels_of("br/fig3d") == ["fig3d"]
    assert panels_of("alemu/fig5.7") == panels_of("alemu/fig5-7") == ["fig5-7"]
    assert panels_of("kt/figure5") == panels_of("kt/Figure 5") == panels_of("kt/fig. 5") == panels_of("kt/fig5")
    assert panels_of("alemu/Table 2.2") == ["tab2-2"]
    for name, nearest in (("alemu/fig5", "fig5-1"), ("alemu/Figure 4", "fig4-1"), ("kt/fig44", "fig4")):
        with pytest.raises(PenstockError, match=f'did you mean "{nearest}'):
            panels_of(name)


def test_the_list_names_every_experiment() -> None:
    listed = penstock("reproduce", "--list").stdout
    entries = json.loads(penstock("explain", "papers", "--json", "-").stdout)
    for entry in entries:
        for experiment in entry["experiments"]:
            assert f"{entry['alias']}/{experiment['id']} " in listed
            assert experiment["title"] in listed


def test_experiments_share_a_module_as_the_work_says(tmp_path: Path) -> None:
    folder = tmp_path / "sharing_2001"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "setup.py").write_text("def measure(run):\n    return {}\n")
    (folder / "queues.py").write_text(
        "from penstock.reproduce.figure import Claim, Exhibit, metric\n"
        'fig1 = Exhibit("Figure 1: ours", Claim("c01", "short", metric("q") < 5), rows=lambda _: [({}, {"q": 4.0})])\n'
    )
    about = {"alias": "sharing", "experiments": ["fig1"], "modules": {"queues": ["fig1"]}}
    experiment = papers.Experiment(papers.Paper(folder, about), "fig1")
    assert (experiment.title, experiment.claim_ids, experiment.draw) == ("Figure 1: ours", ["c01"], None)
    assert [claim["verdict"] for claim in reproduce.run_experiment(experiment, ReproductionEffort("quick")).claims] == [
        "confirmed"
    ]
    with pytest.raises(AttributeError, match="Figure 1: ours: no study"):
        _ = experiment.module.study


def test_ids_of_claims_are_unique_in_a_work_and_modules_exist() -> None:
    for paper in papers.included_papers():
        for experiment in paper.experiments:
            assert experiment.title
            assert isinstance(experiment.module.CLAIMS, list | tuple)
            assert sum(hasattr(experiment.module, name) for name in ("study", "rows", "table")) == 1
        assert (paper.folder / "README.md").read_text(encoding="utf-8").count("status") >= 2


@of_one
@pytest.mark.slow
def test_what_is_recorded_draws_the_same_figure(answer: Answer, store: Path, tmp_path: Path) -> None:
    (experiment,) = papers.find_experiments([ONE])
    folder = tmp_path / "chung_claypool_2003"
    shutil.copytree(experiment.paper.folder, folder)
    copied = papers.Paper(folder, experiment.paper.metadata)

    outcome = reproduce.run_experiment(experiment, ReproductionEffort(mode="quick", store=Store(store)))
    moved = reproduce.Outcome(papers.Experiment(copied, experiment.id), *list(vars(outcome).values())[1:])
    messages: list[str] = []
    record.update_record([moved], messages.append)
    (again,) = record.recorded_outcomes([papers.Experiment(copied, experiment.id)])
    assert again.claims == [{**claim, "recorded": None} for claim in outcome.claims]
    first, second = (
        reproduction_page.write_figures([each], tmp_path / name)["cc/fig4"]
        for each, name in ((outcome, "a"), (again, "b"))
    )
    assert [Path(a).read_bytes() for a in first] == [Path(b).read_bytes() for b in second]
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert "| cc/c01 |" in readme
    assert re.search(r"\| fig4 \| 120 \| 5 \| \d+ \|", readme)


def test_other_readings_do_not_count_and_what_must_hold_fails() -> None:
    base: Any = {"says": "x", "expected": "y"}
    first, second, third = decide_claims(
        [
            Claim(id="a", holds=RunSample(1.0) <= 0, must_hold=True, **base),
            Claim(id="b", holds=RunSample(1.0) <= 2, reading="another", **base),
            Claim(id="c", holds=not_comparable("nothing was printed"), **base),
        ]
    )
    assert (first.has_failed, second.has_failed) == (True, False)
    verdict_counts = count_verdicts([first.to_dict(), second.to_dict(), third.to_dict()])
    assert verdict_counts == {"confirmed": 0, "contradicted": 1, "inconclusive": 0, "not comparable": 1}


def test_the_cost_of_an_experiment_has_its_first_passes_and_each_run_once(tmp_path: Path) -> None:
    link = ps.dumbbell(rate="1Mbit", rtt="20ms", duration="1s", queue=ps.DropTail(limit="5p"), traffic={"x": ps.Tcp()})
    once = ps.Study(link, seeds=2)

    def study(effort: ReproductionEffort) -> ps.Study:
        first = effort.table(ps.Study(link, {"duration": ["2s"]}, seeds=3), lambda run: {"n": 1.0})
        assert first.runs == 3
        return once + ps.Study(link, seeds=2, labels={"again": True})

    module = SimpleNamespace(study=study, measure=lambda run: {"n": 1.0}, CLAIMS=())
    experiment = papers.Experiment(papers.Paper(tmp_path, {"alias": "x", "experiments": ["fig1"]}), "fig1")
    vars(experiment)["module"] = module
    outcome = reproduce.run_experiment(experiment, ReproductionEffort(mode="full", jobs=1))
    assert (outcome.run_count, outcome.seeds) == (5, 2)
    runs = outcome.runs
    assert isinstance(runs, ps.Runs)
    assert [*runs.axes] == ["stage", "duration", "again"]
    assert [len(runs.where(stage=1)), len(runs.where(stage=2, again=True)), len(runs)] == [3, 2, 7]
    delay = ps.run(link, seed=2).links["bottleneck"].delay_mean_s
    assert runs.where(stage=2, again=True).array("delay_mean_s").ravel()[1] == delay
    assert outcome.cpu_s > 0


def test_the_cost_of_a_work_has_each_run_once_or_is_not_told(tmp_path: Path) -> None:
    paper = papers.Paper(tmp_path, {"alias": "x", "experiments": ["fig1", "fig2"]})

    def outcome(id_: str, cost: dict[tuple[str, int], float] | None, cpu_s: float) -> reproduce.Outcome:
        experiment = papers.Experiment(paper, id_)
        vars(experiment)["module"] = SimpleNamespace(__doc__=f"{id_}.")
        effort = None if cost is None else ReproductionEffort(cost=cost)
        return reproduce.Outcome(experiment, 2, 5, cpu_s, [], None, effort)

    first, second = (
        outcome("fig1", {("a", 1): 1.0, ("a", 2): 2.0}, 3.0),
        outcome("fig2", {("a", 2): 2.0, ("b", 1): 4.0}, 6.0),
    )
    cost = {"runs": 3, "cpu_s": 7.0}
    assert reproduce.paper_cost(paper, [first]) == {}
    assert reproduce.paper_cost(paper, [first, second]) == cost
    (tmp_path / "README.md").write_text("<!-- status: written by reproduce -->\n<!-- end of status -->\n")
    messages: list[str] = []
    record.update_record([first, second], messages.append)
    assert "| all, each run once | 3 | | 7 |" in (tmp_path / "README.md").read_text(encoding="utf-8")
    again = [outcome("fig1", None, 3.0), outcome("fig2", None, 6.0)]
    assert reproduce.paper_cost(paper, again) == cost
    record.update_record([first], messages.append)  # the same runs again
    assert reproduce.paper_cost(paper, again) == cost
    record.update_record([outcome("fig1", {("d", 1): 8.0, ("a", 2): 2.0}, 10.0)], messages.append)
    assert reproduce.paper_cost(paper, [outcome("fig1", None, 10.0), again[1]]) == {}
    assert "each run once" not in (tmp_path / "README.md").read_text(encoding="utf-8")


def deciding(paper: papers.Paper) -> list[str]:
    """The experiments with a claim that must hold: a quick reproduction fails only by these."""
    entries = (paper.recorded_results() or {})["experiments"]
    ids = {entry["id"] for entry in entries if any(claim.get("must_hold") for claim in entry["claims"])}
    own = [experiment for experiment in paper.experiments if experiment.id in ids]
    return [each.argument for each in own if any(claim.must_hold for claim in each.module.CLAIMS)]


@pytest.mark.slow
@by_paper
def test_a_quick_reproduction_holds_what_must_hold(paper: papers.Paper, store: Path) -> None:
    names = deciding(paper)
    process = penstock("reproduce", *names, "--quick", "--store", str(store), "--json", "-")
    assert process.returncode == 0, process.stdout + process.stderr
    experiments = json.loads(process.stdout)["experiments"]
    assert len(experiments) == len(names)
    assert all(any(claim["must_hold"] for claim in experiment["claims"]) for experiment in experiments)


@by_paper
def test_the_first_cell_of_each_study_is_a_scenario(paper: papers.Paper, store: Path) -> None:
    effort = ReproductionEffort(mode="quick", store=Store(store))  # some studies run a first pass
    studies = [experiment.module for experiment in paper.experiments if hasattr(experiment.module, "study")]
    assert studies
    for module in studies:
        _, scenario, _ = next(iter(module.study(effort).cells()))
        (scenario.document() if isinstance(scenario, ps.Scenario) else scenario).resolve()


def test_a_new_work_runs_as_it_stands(tmp_path: Path) -> None:
    process = penstock("new", "paper", "author-2001", "--into", str(tmp_path))
    assert process.returncode == 0, process.stderr
    folder = tmp_path / "author_2001"
    assert sorted(file.name for file in folder.iterdir()) == [
        "README.md", "__init__.py", "fig1.py", "paper.toml", "setup.py"
    ]  # fmt: skip
    ran = penstock("reproduce", str(folder), "--quick", "--store", str(tmp_path / "store"), "--json", "-", "--update")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["summary"]["confirmed"] == 1
    assert "| author-2001/c01 |" in (folder / "README.md").read_text(encoding="utf-8")
    process_again = penstock("reproduce", f"{folder}/fig1", "--recorded", "--json", "-")
    assert json.loads(process_again.stdout)["experiments"][0]["claims"][0]["verdict"] == "confirmed"
    assert penstock("new", "paper", "author-2001", "--into", str(tmp_path)).returncode == 2
    (folder / "paper.toml").write_text('alias = "x"\n', encoding="utf-8")
    broken = penstock("reproduce", str(folder))
    assert broken.returncode == 2
    assert "lacks authors, title" in broken.stderr


def test_points_come_back_as_they_were_in_their_order(tmp_path: Path) -> None:
    numbers = {"b": SummaryPoint(10.5, 0.25), "a": SummaryPoint(-7.0, None), "it's @ 2": SummaryPoint(2.0**-30, 2.0)}
    cells: list[tuple[dict[str, Any], dict[str, SummaryPoint]]] = [
        ({"n": 8, "on": True, "name": "Größe"}, numbers),
        ({"n": 8.0, "on": None}, {}),
        ({"n": 1, "name": "1"}, {"a": SummaryPoint(0.0, None)}),
        ({}, dict(reversed(numbers.items()))),
    ]
    file = tmp_path / "it's.parquet"
    points.write_points(file, {"z": SummaryTable(cells), "none": SummaryTable(()), "a": SummaryTable(cells[2:3])})
    again = points.read_points(file)
    assert list(again) == ["z", "a"]
    assert repr(again["z"].cells) == repr(tuple(cells))
    assert again["z"].axis("n") == [8, 1]
    assert [each.name for each in tmp_path.iterdir()] == [file.name]
    points.write_points(file, {})
    assert points.read_points(file) == points.read_points(tmp_path / "absent.parquet") == {}
    file.write_bytes(b"PAR1 and no more")
    with pytest.raises(PenstockError, match="cannot be read"):
        points.read_points(file)


@given(st.lists(st.floats(-1e30, 1e30).filter(lambda x: x == 0 or abs(x) > 1e-30), min_size=2, max_size=5))
def test_a_table_is_rounded_to_what_the_record_keeps(values: list[float]) -> None:
    (cell,) = SummaryTable.from_table(Table([({}, {"x": RunSample(values)})])).cells
    summary, point = RunSample(values).summary, cell[1]["x"]
    assert summary is not None
    for exact, rounded_value, part in (
        (summary.mean, point.mean, 65_000),
        (summary.half_width or 0.0, point.half_width or 0.0, 100),
    ):
        assert abs(rounded_value - exact) <= abs(exact) / part
        assert float(np.float32(rounded_value)) == rounded_value


@pytest.mark.parametrize(
    ("look", "names"),
    [
        (lambda table: time_course(table, "queue"), ["queue@1", "queue@2"]),
        (lambda table: table("loss", n=1), ["loss"]),
        (lambda table: table.along("n", "loss"), ["loss"]),
        (lambda table: [dict(points.items()) for _, points in table.cells], ["queue@1", "loss", "queue@2"]),
        (lambda table: [list(points) for _, points in table.cells], []),
    ],
)
def test_what_a_figure_reads_in_any_way_is_kept(look: Callable[[SummaryTable], object], names: list[str]) -> None:
    table = SummaryTable([({"n": 1}, {name: SummaryPoint(1.0, None) for name in ("queue@1", "loss", "queue@2")})])
    (cell,) = table.restricted_to_figure(look).cells
    assert list(cell[1]) == names


def test_without_points_a_recorded_figure_is_not_drawn(work: Path) -> None:
    points_file = work / "points.parquet"
    assert reproduced(work, "--recorded", "--figures", str(work / "out")).stderr == ""
    assert len(list(work.glob("out/*/fig1.*"))) == 2
    points_file.unlink()
    process = reproduced(work, "--recorded", "--figures", str(work / "none"), "--html", str(work / "page.html"))
    assert process.stderr.startswith("not drawn, because no points are recorded: author-2001/fig1\n")
    assert process.returncode == 0
    assert not list(work.glob("none/*/*"))
    assert "<figure" not in (work / "page.html").read_text(encoding="utf-8")
    assert reproduced(work, "--recorded", "--update").returncode == 0
    assert points.read_points(points_file) == {}


def test_what_is_not_run_again_is_kept_and_what_is_gone_vanishes(work: Path) -> None:
    toml = work / "paper.toml"
    shutil.copy(work / "fig1.py", work / "fig2.py")
    before = toml.read_text(encoding="utf-8")
    toml.write_text(before.replace('["fig1"]', '["fig1", "fig2"]'), encoding="utf-8")
    first = points.read_points(work / "points.parquet")["fig1"]
    process = penstock("reproduce", f"{work}/fig2", "--quick", "--store", str(work.parent / "store"), "--update")
    assert process.returncode == 0, process.stderr
    both = points.read_points(work / "points.parquet")
    assert list(both) == ["fig1", "fig2"]
    assert both["fig1"].cells == first.cells
    toml.write_text(before.replace('["fig1"]', '["fig2"]'), encoding="utf-8")
    assert reproduced(work, "--recorded", "--update").returncode == 0
    assert list(points.read_points(work / "points.parquet")) == ["fig2"]
    text = (work / "results.json").read_text(encoding="utf-8")
    assert [entry["id"] for entry in json.loads(text)["experiments"]] == ["fig2"]


def test_a_claim_is_written_without_what_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "why.toml").write_text('[a]\nbecause = "too short"\ngrade = "part"\n', encoding="utf-8")
    paper = papers.Paper(tmp_path, {"alias": "x"})
    empty: dict[str, Any] = record.SILENT
    fields = {"id": "a", "verdict": "contradicted", "measured": 0.0, "must_hold": True, "reason": OWN}
    assert record._brief(paper, {**empty, **fields}) == fields
    listed = {**empty, "id": "a", "verdict": "contradicted", "reason": {"text": "too short", "grade": "part"}}
    confirmed = {**listed, "verdict": "confirmed", "reason": None}
    assert record._brief(paper, listed) == {"id": "a", "verdict": "contradicted"}
    assert record._brief(paper, confirmed) == {"id": "a", "verdict": "confirmed"}
    written = [record._brief(paper, claim) for claim in (listed, confirmed)]
    entry = {"id": "fig1", "claims": written}
    paper.results_file.write_text(json.dumps({"experiments": [entry]}), encoding="utf-8")
    assert record._entries(paper)["fig1"]["claims"] == [listed, confirmed]


@pytest.mark.parametrize("paper", papers.included_papers(), ids=lambda paper: paper.name)
def test_what_is_recorded_of_a_work_is_complete(paper: papers.Paper) -> None:
    assert [
        outcome.experiment.name
        for outcome in record.recorded_outcomes(paper.experiments)
        if outcome.lacks_figure_points
    ] == []


OWN = {"text": "its own", "grade": "after"}


def test_a_claim_that_is_not_confirmed_has_the_reason_that_its_work_gives(tmp_path: Path) -> None:
    text = '[a]\nbecause = "too short, as x shows"\ngrade = "full"\n[b]\nbecause = "never"\n'
    (tmp_path / "why.toml").write_text(text, encoding="utf-8")
    paper = papers.Paper(tmp_path, {"alias": "x"})
    wrong: dict[str, Any] = {"id": "a", "verdict": "contradicted"}
    for verdict in ("contradicted", "inconclusive"):
        reason = reproduce.claim_with_reason(paper, {**wrong, "verdict": verdict})["reason"]
        assert reason == {"text": "too short, as x shows", "grade": "full"}
    assert reproduce.claim_with_reason(paper, {**wrong, "id": "c"})["reason"] == {
        "text": "no reason found",
        "grade": "none",
    }
    for other in ({"id": "b", "verdict": "confirmed"}, {**wrong, "reading": "own"}, {**wrong, "cannot_fail": "x"}):
        assert "reason" not in reproduce.claim_with_reason(paper, other)
    assert reproduce.claim_with_reason(paper, {**wrong, "reason": OWN})["reason"] == OWN
    assert papers.Paper(tmp_path / "none", {"alias": "x"}).reasons == {}
    (tmp_path / "why.toml").write_text('[a]\nbecause = "x"\ngrade = "most"\n', encoding="utf-8")
    with pytest.raises(PenstockError, match='grade "most": must be one of full, part, after, none'):
        _ = papers.Paper(tmp_path, {"alias": "x"}).reasons


def test_reasons_speak_of_experiments_that_there_are() -> None:
    for work in papers.included_papers():
        names = {each.id for each in work.experiments}
        entries = why.read_reason_entries(work.folder)
        sources = [value for entry in entries.values() for value in entry.values() if isinstance(value, dict)]
        assert {source["in"] for source in sources if "in" in source} <= names
        assert len(entries) == len(work.reasons)
        assert all(work.reasons.values())
