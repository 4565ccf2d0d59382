"""The numbers that Kantawala and Turner, and Brandauer et al., are judged by."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import numpy as np
import penstock as ps
import pytest
from penstock.engine.trace import record_run
from penstock.errors import PenstockError
from penstock.files import read_toml
from penstock.papers.brandauer_2001 import setup as br
from penstock.papers.kantawala_turner_2005 import setup as kt
from penstock.reproduce import paper as papers
from penstock.reproduce.figure import claim_factory, metric

from .made_up import effort_of


@pytest.mark.parametrize(("work", "number"), [("kt", 33), ("br", 29), ("bs", 27), ("cc", 27)])
def test_every_claim_of_the_list_is_made_in_one_place(work: str, number: int) -> None:
    """Once as the list has it; other readings say so, in the same experiment or in one that seeks a reason."""
    (paper,) = [candidate for candidate in papers.included_papers() if candidate.alias == work]
    effort = effort_of(paper.name)
    claims = [
        claim
        for item in paper.experiments
        if item.name != "cc/open-mixed"  # its table needs the numbers of real runs
        for claim in item.claims(item.table(effort))
    ]
    listed = list(read_toml(paper.folder / "claims.toml"))
    ids = [claim.id for claim in claims if not claim.reading and claim.id in listed]
    assert [id_ for id_ in listed if id_.startswith("c")] == [f"c{i:02}" for i in range(1, number + 1)]
    assert sorted(ids) == sorted(listed)


def test_a_claim_that_the_list_lacks_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "claims.toml").write_text('c01 = "the link is busy"\n', encoding="utf-8")
    claim = claim_factory(str(tmp_path / "setup.py"))
    assert claim("c01", metric("utilization") >= 0.9, must_hold=True).says == "the link is busy"
    with pytest.raises(PenstockError, match=r'claims.toml: no claim c02; did you mean "c01"'):
        claim("c02", metric("utilization") >= 0.9)


def test_shares_and_deviations_are_those_of_the_flows() -> None:
    run = ps.run(kt.two_round_trips("long", kt.queue("DTDRR", 400), ("8s", "4s")), seed=1, flows=True)
    numbers = kt.measure(run)
    fair = 500e6 / 100 * kt.PAYLOAD / kt.WIRE
    slow, fast = (run.traffic[name].flows["goodput_bps"].astype(float) / fair for name in ("slow", "fast"))
    assert numbers["g_slow"] == pytest.approx(100 * slow.mean())
    assert numbers["g_fast"] == pytest.approx(100 * fast.mean())
    assert numbers["sd_slow"] == pytest.approx(slow.std())
    assert numbers["sd_all"] == pytest.approx(np.concatenate([slow, fast]).std())


def test_the_buffers_of_brandauer_are_those_of_the_model() -> None:
    # Rows of the list of targets, each within 2 %: N, b, max_p, w_q, min_th, max_th, buffer.
    for n, b, max_p, w_q, low, high, buffer in [
        (16, 1, 0.0226, 0.00148, 29, 127, 196),
        (256, 1, 0.6021, 0.00424, 71, 307, 472),
        (64, 2, 0.1081, 0.00196, 38, 163, 251),
    ]:
        buffers = br.redopt_in_packets(n, b)
        assert tuple(buffers) == pytest.approx((buffer, low, high, max_p, w_q), rel=0.02)


def test_active_connections_are_counted_by_what_they_take() -> None:
    span = ("60s", "20s")
    run = ps.run(br.web_scenario(200, br.queue("TD", br.redopt_in_packets(64)), span=span), seed=1)
    numbers = br.measure(run)
    web = run.traffic["web"]
    assert numbers["active"] == pytest.approx(web.completed * web.completion_mean_s / 40)


def test_losses_in_a_row_are_those_of_a_trace(tmp_path: Path) -> None:
    """An independent count: drops and accepted arrivals at the bottleneck, in their order."""
    scenario = br.ftp_scenario(64, br.queue("TD", br.redopt_in_packets(16)), ("15s", "0s"))
    recorded = record_run(scenario.resolve(), 1, traced=True)
    recorded.write(tmp_path)
    run = recorded.run
    packets = f"'{tmp_path / 'packets.parquet'}'"
    query = f"SELECT event FROM {packets} WHERE place = 'bottleneck' AND event IN ('drop', 'enqueue')"
    with duckdb.connect() as base:
        fates = base.execute(query).fetchall()
    text = "".join("d" if event == "drop" else "e" for (event,) in fates)
    lengths = np.array([len(losses) for losses in re.findall("d+(?=e)", text)])
    numbers = br.measure(run)
    assert len(lengths) > 50
    assert numbers["in_a_row"] == pytest.approx(lengths.mean())
    for k in (5, 6, 10):
        assert numbers[f"over_{k}"] == pytest.approx((lengths > k).mean())
