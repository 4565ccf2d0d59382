"""Settings are rounded to what tc can represent before they are proved: lines to paste give the queue that was run."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from penstock.dialects import ConversionContext, read, write
from penstock.dialects.tc_rounding import round_to_tc
from penstock.scenario.loaded_link import LoadedLink
from penstock.tuning.bench import Setting
from penstock.tuning.paste import round_to_tc_values
from penstock.tuning.simplification import simplify_settings
from penstock.tuning.space import search_space
from penstock.units import parse_size, parse_time

FACTS = ConversionContext(rate=20e6, packet=1500)
LINK = LoadedLink("uplink", rate_bps=20e6, rtt_s=0.04, buffer_pkts=200, packet_bytes=1500, flows=4)

gains = st.floats(0.001, 4)
times = st.integers(1000, 10**8).map(lambda ns: f"{ns}ns")
SCHEMES: dict[str, Any] = {
    "pie": st.fixed_dictionaries({"target": times, "alpha": gains, "beta": gains}),
    "fq-pie": st.fixed_dictionaries({"target": times, "alpha": gains, "beta": gains, "mark_ecnth": st.floats(0, 0.99)}),
    "codel": st.fixed_dictionaries({"target": times, "interval": times}),
    "fq-codel": st.fixed_dictionaries({"target": times, "interval": times}),
    "dualpi2": st.fixed_dictionaries(
        {"target": times, "k": st.floats(1, 8), "alpha": gains, "beta": gains, "classic_weight": st.floats(0.01, 0.9)}
    ),
    "red": st.builds(
        lambda low, more, max_p, w_q: {"min_th": low, "max_th": low + more, "max_p": max_p, "w_q": w_q},
        st.floats(2, 50), st.floats(2, 100), st.floats(0.01, 0.99), st.floats(0.0005, 0.3),
    ),
}  # fmt: skip


@pytest.mark.parametrize("scheme", SCHEMES)
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_a_rounded_setting_comes_back_from_tc(scheme: str, data: st.DataObject) -> None:
    nearest = round_to_tc(scheme, data.draw(SCHEMES[scheme]), FACTS)
    assert round_to_tc(scheme, nearest, FACTS) == nearest
    written = write(scheme, {"limit": "200p", **nearest}, "tc", FACTS)
    again = read(written.text, "tc", FACTS)
    packet = parse_size(again.parameters.get("mean_packet", "1500B"))
    for name, value in nearest.items():
        back = again.parameters[name]
        if name == "variant":
            assert back == "linux"
        elif isinstance(value, str) and value.endswith("s"):
            assert parse_time(back) == parse_time(value)
        elif isinstance(back, str) and back.endswith("B"):
            assert parse_size(back) == pytest.approx(value * packet)
        else:
            assert back == pytest.approx(value, rel=1e-9), name


def test_each_parameter_has_its_nearest_value() -> None:
    """tc-pie(8): whole sixteenths; tc-dualpi2(8): a whole coupling factor; a gain never becomes 0."""
    pie = round_to_tc("pie", {"alpha": 0.3 / 16, "beta": 3.4 / 16, "target": "7123456ns"}, FACTS)
    assert pie == {"variant": "linux", "alpha": 1 / 16, "beta": 3 / 16, "target": "7.123ms"}
    dualpi2 = round_to_tc("dualpi2", {"k": 2.35}, FACTS)
    assert (dualpi2["k"], dualpi2["range"], dualpi2["min_th"]) == (2, "0s", "1ms")
    red = round_to_tc("red", {"min_th": 5.0001, "max_th": 15, "w_q": 0.002, "max_p": 0.1}, FACTS)
    assert (red["w_q"], red["min_th"]) == (2.0**-9, 7500 / 1500)


@pytest.mark.parametrize("scheme", ["pie", "fq-pie", "dualpi2", "red", "codel", "fq-codel", "sfq", "cake"])
def test_what_tune_tries_is_what_its_lines_say(scheme: str) -> None:
    """No line to paste says that a searched value was rounded."""
    space = search_space(scheme, LINK, {})
    for share in (0.1, 0.37, 0.8):
        values = {
            knob.name: knob.choices[0] if knob.choices else knob.low * (knob.high / knob.low) ** share
            for knob in space.knobs
        }
        parameters = round_to_tc_values(scheme, space.parameters(values), (), LINK)
        notes = write(scheme, {"limit": "200p", **parameters}, "tc", FACTS).notes
        names = ("alpha", "beta", "target", "interval", "tupdate", "k", "coupling_factor", "w_q", "min", "max")
        assert [note for note in notes if "instead of" in note and note.startswith(names)] == []


def test_simpler_settings_are_rounded_too() -> None:
    """Each simplification is free here, so that one with the fewest parameters is chosen."""

    def measured(setting: Setting) -> Any:
        return SimpleNamespace(setting=setting, mean_score=0.0)

    bench: Any = SimpleNamespace(
        link=LINK, aims=(), is_valid=lambda _: True, search_costs=lambda _: np.zeros(1),
        measure=lambda settings, _: [measured(setting) for setting in settings],
    )  # fmt: skip
    first = Setting("dualpi2", round_to_tc_values("dualpi2", {"target": "4.69ms", "k": 2.35}, (), LINK), "searched")
    (chosen,) = simplify_settings(bench, [measured(first)], {}, [])
    parameters = chosen.setting.parameters
    assert len(parameters) < len(first.parameters)
    assert parameters == round_to_tc_values("dualpi2", parameters, (), LINK)
    assert not [note for note in write("dualpi2", parameters, "tc", FACTS).notes if "instead of" in note]


def test_fixed_parameters_stay_as_they_are() -> None:
    assert round_to_tc_values("pie", {"alpha": 0.106, "beta": 1.06}, ["alpha"], LINK) == {
        "variant": "linux", "alpha": 0.106, "beta": 17 / 16,
    }  # fmt: skip
