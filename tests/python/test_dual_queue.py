"""Code points that choose the queue of a dual queue: their keys in TOML and in Python, and their effect."""

from __future__ import annotations

from collections.abc import Sequence

import penstock as ps
import pytest
from penstock.scenario.document import Document
from penstock.scenario.elements import EcnField

HEAD = 'duration = "1s"\n[links.b]\nfrom = "A"\nto = "B"\nrate = "1Mbit"\ndelay = "1ms"\nwatch = true\n'


def queue(settings: str) -> str:
    """A scenario with this dual queue."""
    return f'{HEAD}queue = {{ scheme = "dualpi2", limit = "100p", {settings} }}\n'


def test_code_points_have_names_and_numbers() -> None:
    params = (
        Document.parse(queue('l_dscp = ["NQB", 46], c_dscp = ["cs1"]'))
        .resolve()
        .canonical["links"][0]["queue"]["params"]
    )
    assert (params["l_dscp"], params["c_dscp"]) == ([45, 46], [8])
    scheme = ps.DualPi2(limit="100p", l_dscp=["NQB", 46], c_dscp=["cs1"])
    link = ps.dumbbell(rate="1Mbit", rtt="20ms", queue=scheme, traffic={"t": ps.Tcp()})
    by_class = Document.parse(link.to_toml()).resolve().canonical["links"][0]["queue"]["params"]
    assert (by_class["l_dscp"], by_class["c_dscp"]) == ([45, 46], [8])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ('l_dscp = "NQB"', "must be a list of code points"),
        ("l_dscp = []", "must be a list of at least 1 code points"),
        ('l_dscp = ["NBQ"]', 'must be a code point from 0 to 63 .*; did you mean "NQB"'),
        ("c_dscp = [64]", "0 .*63"),
        ('l_dscp = ["NQB"]\nc_dscp = [45]', "must not contain a codepoint of l_dscp"),
    ],
)
def test_wrong_code_points_are_refused(settings: str, message: str) -> None:
    with pytest.raises(ps.ScenarioError, match=message):
        ps.Scenario.loads(queue(settings.replace("\n", ", ")))


def _delay(ecn: EcnField, l_dscp: Sequence[int | str] | None) -> float:
    """The 99th percentile of the delay of NQB calls with this ECN field, next to two flows that fill the link."""
    calls = ps.Cbr(rate="200kbit", packet="200B", dscp="NQB", ecn=ecn, phase="random")
    link = ps.dumbbell(
        rate="20Mbit",
        rtt="20ms",
        duration="10s",
        queue=ps.DualPi2(limit="1000p", l_dscp=l_dscp),
        traffic={"bulk": ps.Tcp(count=2, profile="linux", flavour="cubic"), "calls": calls},
    )
    return float(ps.run(link).traffic["calls"].owd_p99_s)


def test_nqb_traffic_waits_in_the_l4s_queue_if_its_code_point_is_listed() -> None:
    # The propagation delay is 10 ms. The Classic queue adds 15 ms on average, the L4S queue about the transmission time
    # of a packet.
    assert _delay("not", None) > 0.025
    assert _delay("not", ["NQB"]) < 0.013
    assert _delay("ect1", None) < 0.013
