"""The worked example: drops that wait for a packet out of profile, and drops that do not (Section 2.2)."""

from __future__ import annotations

from collections.abc import Iterator

import penstock as ps
from penstock.papers.bodin_schelen_2001.setup import STRATEGIES, wred
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.table import Table
from penstock.studies.study import Study

GAP = 80  # us between packets of 1000 bytes: ten times as fast as they leave
BURSTS = {"first": (0, 14, "AF12"), "inside": (14, 50, "AF11"), "again": (89, 5, "AF12"), "later": (260, 4, "AF12")}
"""Gaps after which a burst begins, its packets, their codepoint: out of profile below min_th, then in profile alone,
out of profile when 54 packets wait, and again when about 40 do."""
WINDOWS = {"at 30": (34, 35), "in profile alone": (14, 64), "out, above 45": (89, 94), "out, below 45": (260, 264)}
"""Arrivals that are measured, from and to; arrival n finds n - 1 - n / 10 packets, so that the 34th finds 30."""


def study(effort: Effort) -> Study:
    """The average is the queue itself, and each drop is drawn for itself."""

    def scenario(strategy: str, window: str) -> ps.Scenario:
        begin, end = (GAP * arrival - 10 for arrival in WINDOWS[window])
        queue = wred(strategy, "strict", spacing="none", guards=False, w_q=1.0)
        return ps.Scenario(
            name="Bodin and Schelen, worked example",
            warmup=f"{begin}us",
            duration=f"{end}us",
            sampling="100us",
            links={
                "core": ps.Link(from_="R4", to="R3", rate="10Mbit", delay="10ms", queue=queue, watch=True),
                "host": ps.Link(from_="A", to="R4", rate="1Tbit", delay="0ms"),
            },
            traffic={
                name: ps.Cbr(
                    from_="A", to="R3", rate="100Mbit", packet="972B", dscp=codepoint,
                    start=f"{GAP * first}us", stop=f"{GAP * (first + count) - 1}us",
                )
                for name, (first, count, codepoint) in BURSTS.items() if GAP * first < end
            },
        )  # fmt: skip

    return Study(scenario, {"strategy": list(STRATEGIES), "window": list(WINDOWS)}, seeds=effort.choose(200, 1000))


def measure(run: ps.Run) -> dict[str, float | None]:
    """Arrivals and drops at the congested link."""
    core = run.links["core"]
    return {"arrivals": core.arrivals, "drops": core.drops, "share": core.drops / core.arrivals}


def claims(table: Table) -> Iterator[Claim]:
    """Claim c27."""
    da, dfq = ({w: table("share", strategy=s, window=w) for w in WINDOWS} for s in STRATEGIES)
    yield Claim(
        id="c27",
        says="DA drops nothing while packets in profile come, then all that is out above 45; DFQ drops at once",
        expected="DA: none in profile, all that is out above 45, not all below; DFQ: 0.05 (0.04 to 0.06) at 30",
        must_hold=True,
        holds=all_of(
            (da["in profile alone"] <= 0).at("DA, in profile alone"),
            (da["out, above 45"] >= 1).at("DA, out of profile above 45"),
            (da["out, below 45"] < 1).at("DA, out of profile below 45"),
            dfq["at 30"].reads(0.05, low=0.04, high=0.06).at("DFQ, at 30"),
        ),
    )
