"""The authors' set-ups as reconstructed: each change applies to what it is said to apply to, and to nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from penstock.papers.alemu_2004 import measures, traced
from penstock.reproduce.effort import Effort
from penstock.reproduce.paper import Experiment, Paper, papers
from penstock.scenario.scenario import as_document

RECONSTRUCTED = [work for work in papers() if work.reconstructed]
RECONSTRUCTED_BY = {work.alias: work for work in RECONSTRUCTED}
by_work = pytest.mark.parametrize("work", RECONSTRUCTED, ids=lambda work: work.alias)


def changed_cells(experiment: Experiment) -> list[bool]:
    """For some cells of the experiment, whether the reconstruction runs another scenario."""
    change = experiment.reconstruction
    assert change is not None
    differs = []
    for _, scenario, _ in experiment.module.study(Effort(mode="quick")).samples():
        before = as_document(scenario).resolve()
        after = change(as_document(scenario)).resolve()
        differs.append(after.canonical != before.canonical)
    return differs


@by_work
def test_it_says_what_differs_by_which_dated_sources_and_where(work: Paper) -> None:
    settings = work.reconstructed
    assert settings["says"].strip()
    assert all(any(part.isdigit() for part in source) for source in settings["sources"])
    unknown = set(settings["without"]) - set(work.about["experiments"])
    assert not unknown


@by_work
def test_it_changes_every_experiment_that_is_not_named_as_without_it(work: Paper) -> None:
    """A table of several studies would apply the change to readings that it compares itself."""
    own = [experiment for experiment in work.experiments if experiment.reconstruction]
    assert own
    assert all(hasattr(experiment.module, "study") for experiment in own)
    unchanged = [experiment.id for experiment in own if not any(changed_cells(experiment))]
    assert not unchanged


def test_the_thesis_network_has_the_weight_of_ns2_and_delayed_acknowledgements() -> None:
    (table,) = (experiment for experiment in RECONSTRUCTED_BY["alemu"].experiments if experiment.id == "tab2-2")
    assert table.reconstruction is not None
    for labels, scenario, _ in table.module.study(Effort(mode="quick")).cells():
        document = table.reconstruction(as_document(scenario))
        assert {group["delayed_ack"] for group in document.tree["traffic"].values()} == {"100ms"}
        queue = document.tree["links"]["bottleneck"]["queue"]
        assert queue["mean_packet"] == "500B"
        assert queue.get("gentle_from") == ("first" if labels["row"].startswith("PSAND") else None)


def test_the_thesis_queue_over_the_lines_is_empty_less_often_than_at_fixed_times() -> None:
    """A queue that stays empty has one line: with few flows it does, as arriving packets find it empty one by one."""
    (table,) = (experiment for experiment in RECONSTRUCTED_BY["alemu"].experiments if experiment.id == "tab2-3")
    study = replace(table.module.study(Effort(mode="quick")), vary={"row": ["RED"], "flows": [3], "acks": ["each"]})
    runs = replace(study, seeds=1, others=())
    tables = [
        Effort(mode="quick").table(runs, table.measure),
        Effort(mode="quick").table(runs.keeping(traced.over_lines), measures.kept_numbers),
    ]
    at_times, over_lines = (float(each("empty", flows=3).mean) for each in tables)
    assert 0 < over_lines < at_times / 1.5
    assert tables[0]("PLR", flows=3).mean == tables[1]("PLR", flows=3).mean
