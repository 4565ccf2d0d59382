"""The authors' set-ups as reconstructed: each change applies to what it is said to apply to, and to nothing else."""

from __future__ import annotations

from typing import Literal

import penstock as ps
import pytest
from penstock.papers.alemu_2004 import setup as thesis
from penstock.papers.alemu_2004.reconstruction import CHOSEN
from penstock.reproduce.effort import ReproductionEffort
from penstock.reproduce.paper import Experiment, Paper, included_papers
from penstock.scenario.document import as_document

RECONSTRUCTED = [work for work in included_papers() if work.reconstructed_setup]
RECONSTRUCTED_BY = {work.alias: work for work in RECONSTRUCTED}
by_work = pytest.mark.parametrize("work", RECONSTRUCTED, ids=lambda work: work.alias)


def changed_cells(experiment: Experiment) -> list[bool]:
    """For some cells of the experiment, whether the reconstruction runs another scenario."""
    change = experiment.reconstruction
    assert change is not None
    differs = []
    for _, scenario, _ in experiment.module.study(ReproductionEffort(mode="quick")).sample_cells():
        before = as_document(scenario).resolve()
        after = change(as_document(scenario)).resolve()
        differs.append(after.canonical != before.canonical)
    return differs


@by_work
def test_it_says_what_differs_by_which_dated_sources_and_where(work: Paper) -> None:
    settings = work.reconstructed_setup
    assert settings["says"].strip()
    assert all(any(part.isdigit() for part in source) for source in settings["sources"])
    unknown = set(settings["without"]) - set(work.metadata["experiments"])
    assert not unknown


@by_work
def test_it_changes_every_experiment_that_is_not_named_as_without_it(work: Paper) -> None:
    """A table of several studies would apply the change to readings that it compares itself."""
    own = [experiment for experiment in work.experiments if experiment.reconstruction]
    assert own
    assert all(hasattr(experiment.module, "study") for experiment in own)
    unchanged = [experiment.id for experiment in own if not any(changed_cells(experiment))]
    assert not unchanged


def test_the_thesis_has_packets_of_1000_bytes_and_psands_change_of_0_by_0() -> None:
    (table,) = (experiment for experiment in RECONSTRUCTED_BY["alemu"].experiments if experiment.id == "tab2-2")
    assert table.reconstruction is not None
    for labels, scenario, _ in table.module.study(ReproductionEffort(mode="quick")).cells():
        document = table.reconstruction(as_document(scenario))
        traffic, queue = document.tree["traffic"], document.tree["links"]["bottleneck"]["queue"]
        assert {group["packet"] for group in traffic.values()} == {"1000B"}
        assert not any("delayed_ack" in group for group in traffic.values())
        own = [queue.get(name) for name in ("mean_packet", "gentle_from", "zero_over_zero")]
        assert own == (["500B", "first", "nan"] if labels["row"].startswith("PSAND") else [None] * 3)


def test_psands_reverse_queue_is_nearly_closed_with_min_0_and_open_with_min_5() -> None:
    """Algorithm 16 alone causes it: acknowledgements of the first flow never wait, so the first change is 0 / 0."""

    def longest(min_th: float, change: Literal["1", "0 / 0"]) -> int:
        document = as_document(thesis.steady_flows_scenario(thesis.psand(min_th=min_th, max_th=20), 3))
        run = ps.run(
            CHOSEN._replace(change=change).scenario_change(document).set("links.bottleneck.reverse.watch", True)
        )
        return len(run.links["bottleneck.reverse"].length_pmf) - 1

    assert longest(0, "0 / 0") <= 3
    assert min(longest(0, "1"), longest(5, "0 / 0")) > 6
