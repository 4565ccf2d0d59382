"""`penstock explain --count`: whether the loop is damped, against the fluid model called by hand."""

from __future__ import annotations

import numpy as np
import pytest
from penstock import model
from penstock.explain import explanation

RED = "red:min_th=100,max_th=300"


def of(scheme: str, flows: str = "5..100") -> explanation.Explanation:
    return explanation.prepare_explanation(scheme, "20Mbit", "80ms", flows, "500p")


@pytest.mark.parametrize(
    ("scheme", "law"),
    [
        (
            f"{RED},spacing=none,w_q=0.02,gentle=true",
            model.FluidRed(min_th=100, max_th=300, max_p=0.1, w_q=0.02, gentle_top=600),
        ),
        (
            f"{RED},spacing=none,gentle=true,gentle_top=buffer",
            # the time constant of "auto" is a second
            model.FluidRed(min_th=100, max_th=300, max_p=0.1, w_q=-np.expm1(-1 / 2500), gentle_top=500),
        ),
        # of "auto_fast" a tenth of a second
        (
            f"{RED},spacing=once,w_q=auto_fast",
            model.FluidRed(min_th=100, max_th=300, max_p=1 / 5.5, w_q=-np.expm1(-10 / 2500)),
        ),
        # one over the mean of the gaps 10 .. 19
        (f"{RED},w_q=0.02", model.FluidRed(min_th=100, max_th=300, max_p=1 / 14.5, w_q=0.02)),
        (
            "red:min_th=50kB,max_th=0.15MB,mean_packet=500B,spacing=count,w_q=0.01",
            # gaps 1 .. 10
            model.FluidRed(min_th=100, max_th=300, max_p=1 / 5.5, w_q=0.01),
        ),
        ("pi:target=40ms,interval=5ms", model.FluidPi(a=0.000344519, b=0.000343499, frequency=200, target=100)),
    ],
)  # fmt: skip
def test_settings_are_the_law_of_the_fluid(scheme: str, law: model.FluidLaw) -> None:
    capacity = 5000 if "500B" in scheme else 2500
    explanation = of(scheme)
    flows = [d.flows for d in explanation.fluid_predictions()]
    fluid = model.Fluid(flows=flows, rtt=0.08, capacity=capacity, law=law, eta=1.5)
    margins, queues = fluid.margins(), np.asarray(fluid.equilibrium().queue)
    document = explanation.as_json()["fluid"]
    assert document["law"]["class"] == type(law).__name__
    for n, point in enumerate(document["points"]):
        if np.isnan(queues[n]):
            assert point == {"flows": flows[n], "queue_pkts": None, "damped": None, "phase_margin_deg": None}
            continue
        assert point["queue_pkts"] == pytest.approx(queues[n])
        assert point["damped"] == bool(np.asarray(margins.stable)[n])
        phase = np.asarray(margins.phase_deg)[n]
        assert point["phase_margin_deg"] == (None if np.isnan(phase) else pytest.approx(phase))


def test_the_text_says_beside_each_number_of_flows_whether_it_swings() -> None:
    text = of(f"{RED},w_q=0.02").text(100)
    rows = {int(line.split()[0]): line for line in text.splitlines() if line.endswith("   stable")}
    assert "swings" in rows[5]
    assert "damped, " in rows[100]
    assert "By the fluid model" in " ".join(text.split())
    strict = of(RED, "200").text(100)
    assert "no equilibrium" in strict
    pi = of("pi:target=100p").text(100)
    assert "no drop probability over the mean queue" in pi
    assert "damped, " in pi


@pytest.mark.parametrize(
    "scheme",
    [
        "codel", "psand", "pi:a=auto,b=auto", "pi:a=0.1,b=0.2", "pi:target=0p", "red:w_q=1", "red:w_q=auto_rtt",
        "red:nonlinear=true", "red:scale_by_size=p_a",
    ],
)  # fmt: skip
def test_what_the_fluid_does_not_have_is_left_out(scheme: str) -> None:
    explanation = of(scheme)
    assert explanation.fluid_predictions() == []
    assert "fluid" not in explanation.as_json()
    assert "fluid model" not in explanation.text(100)


def test_without_flows_there_is_no_fluid() -> None:
    assert "fluid" not in explanation.prepare_explanation(RED, "20Mbit", "80ms", None, "500p").as_json()
