"""The runs of `tune` as tables: each run once, with its stage, and with the numbers of the JSON."""

from __future__ import annotations

import penstock as ps
import pytest
from penstock.scenario.document import Document
from penstock.tuning.bench import Setting
from penstock.tuning.tune import tune

LINK = ps.dumbbell(
    rate="5Mbit", rtt="40ms", duration="4s", queue=ps.Red(limit="100p"), traffic={"bulk": ps.Tcp(count=6)}
)


@pytest.mark.slow
def test_the_confirmation_runs_are_a_table_with_a_seed_for_each_network() -> None:
    advice = tune(LINK, ["delay p99 < 40ms"], ["codel"], budget_s=20)
    runs = advice.runs
    assert isinstance(runs, ps.Runs)
    assert [scheme.argument for scheme in runs.schemes] == [each.measured.setting.label for each in advice.confirmed]
    assert runs.seeds == [draw.seed for draw in advice.draws]
    described = advice.to_dict()["confirmed"]
    for scheme, entry in zip(runs.schemes, described, strict=True):
        mean = runs.estimate("delay_p99_s", "bottleneck", scheme=scheme.argument).mean
        assert entry["metrics"]["bottleneck"]["delay_p99_s"]["mean"] == mean
    last = runs.to_pandas().iloc[-1]
    run = ps.run(Document(dict(runs.design.scenarios[last["scenario"]])), seed=int(last["seed"]))
    assert last["links.bottleneck.delay_p99_s"] == run.links["bottleneck"].delay_p99_s
    assert last["draw"] == advice.draws[-1].number


@pytest.mark.slow
def test_every_run_of_the_search_the_confirmation_and_the_map_is_in_a_table_once() -> None:
    advice = tune(LINK, ["delay p99 < 40ms"], ["codel"], budget_s=10)
    runs, document = advice.all_runs, advice.to_dict()
    assert runs.axes == {"stage": ["search", "confirmation", "map"]}
    frame = runs.to_pandas()
    assert not frame.duplicated(["scheme", "draw"]).any()
    for tried in advice.tried:
        rows = frame[(frame["scheme"] == tried.setting.label) & (frame["stage"] == "search")]
        assert set(tried.table["draw"].to_pylist()) <= set(rows["draw"])
    confirmed = frame[frame["stage"] == "confirmation"]
    assert len(confirmed) == len(advice.runs) == len(advice.confirmed) * len(advice.draws)
    for entry in document["confirmed"]:
        label = Setting(entry["scheme"], entry["parameters"]).label
        mean = confirmed[confirmed["scheme"] == label]["links.bottleneck.delay_p99_s"].mean()
        assert entry["metrics"]["bottleneck"]["delay_p99_s"]["mean"] == pytest.approx(mean)
    advised = frame[(frame["stage"] == "map") & (frame["scheme"] == advice.advised[0].label)]
    assert len(advised) == len(document["map"]) == 27
    for point in document["map"]:
        (at,) = (
            row
            for row in advised.to_dict("records")
            if (row["rate_factor"], row["flows_factor"], row["rtt_factor"])
            == (point["rate"], point["flows"], point["rtt"])
        )
        assert point["met"] == (at["links.bottleneck.delay_p99_s"] < 0.04)
    last = frame.iloc[-1]
    run = ps.run(Document(dict(runs.design.scenarios[last["scenario"]])), seed=int(last["seed"]))
    assert run.links["bottleneck"].delay_p99_s == last["links.bottleneck.delay_p99_s"]
