"""The worked example: drops that wait for a packet out of profile, and drops that do not (Section 2.2)."""

import penstock as ps
from penstock.reproduce.figure import QuickOrFull, Sweep, every, metric

from .setup import STRATEGIES, claim, under_da, under_dfq, wred

GAP = 80  # us between packets of 1000 bytes: ten times as fast as they leave
BURSTS = {"first": (0, 14, "AF12"), "inside": (14, 50, "AF11"), "again": (89, 5, "AF12"), "later": (260, 4, "AF12")}
"""Bursts, each with the gap before it, its number of packets, and their codepoint: out of profile below min_th, then
only in profile, out of profile when 54 packets wait, and again when about 40 wait."""
WINDOWS = {
    "below 30": (0, 34),
    "up to 30": (0, 35),
    "in profile alone": (14, 64),
    "out, above 45": (89, 94),
    "out, below 45": (260, 264),
}
"""First and last arrival that is measured; arrival n finds n - 1 - n / 10 packets, so that the 34th finds 30. Drops
count if their packets arrived within: DFQ drops a packet that has waited, so its two windows begin with the run and
differ by that arrival."""


def scenario(strategy: str, window: str) -> ps.Scenario:
    """The average equals the queue, and drops are drawn independently."""
    begin, end = (max(GAP * arrival - 10, 0) for arrival in WINDOWS[window])
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


study = Sweep(scenario, {"strategy": STRATEGIES, "window": list(WINDOWS)}, seeds=QuickOrFull(200, 1000))


def measure(run: ps.Run) -> dict[str, float | None]:
    """Arrivals and drops at the congested link."""
    core = run.links["core"]
    return {"arrivals": core.arrivals, "drops": core.drops, "share": core.drops / core.arrivals}


dropped = metric("share", says="share dropped")
drops = metric("drops", says="packets dropped")
CLAIMS = (
    claim(
        "c27",
        every(
            under_da(dropped)(window="in profile alone") <= 0,
            under_da(dropped)(window="out, above 45") >= 1,
            under_da(dropped)(window="out, below 45") < 1,
            (under_dfq(drops)(window="up to 30") - under_dfq(drops)(window="below 30")).matches_printed(
                0.05, 0.04, 0.06
            ),
        ),
        must_hold=True,
    ),
)
