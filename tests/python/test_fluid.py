"""`ps.model.Fluid`: its arrays, its loop against a second form in NumPy, its time, its messages, and its page."""

from __future__ import annotations

import importlib
import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import penstock as ps
import pytest
from penstock.model import ModelError

ROOT = Path(__file__).resolve().parents[2]
model = ps.model
RED = model.FluidRed(min_th=50, max_th=250, max_p=0.1, w_q=0.0004)
FLUID = model.Fluid(flows=60, rtt=0.1, capacity=2500, law=RED)
LAWS: list[model.FluidLaw] = [
    RED,
    replace(RED, gentle_top=500),
    model.FluidPi(a=1.822e-5, b=1.816e-5, frequency=170, target=150),
    model.FluidRem(gamma=0.001, alpha=0.1, phi=1.001, interval=0.01, target=150),
    model.FluidPie(target=0.02),
    model.FluidPi2(),
    model.FluidAvq(alpha=0.3),
    model.FluidLred(beta=0.002, target=150),
    model.FluidPsand(target=150, coef=0.9, gamma=0.5, min_th=50, max_th=250, w_q=0.0004, gentle_top=500),
]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_every_law_has_an_equilibrium_that_its_trajectory_keeps(law: model.FluidLaw) -> None:
    fluid = replace(FLUID, law=law)
    at = fluid.equilibrium()
    path = fluid.trajectory(20, disturbance=0)
    assert path.time.shape == path.queue.shape == (2001,)
    assert all(numbers.shape == path.time.shape for numbers in path.law.values())
    # nothing moves where nothing is disturbed, but for what rounding is and the loop makes of it
    assert np.allclose(path.window, at.window, rtol=1e-6)
    assert np.allclose(path.queue, at.queue, atol=1e-3)
    assert np.allclose(path.probability, at.probability, rtol=1e-5)
    assert fluid.margins().stable == (complex(fluid.pole()).real < 0)


def test_the_loop_of_red_is_that_of_a_second_form() -> None:
    omega = np.geomspace(1e-2, 1e2, 400)
    at = FLUID.equilibrium()
    s, R, N, C = 1j * omega, at.rtt, 60, 2500
    K, slope = -np.log(1 - 0.0004) * C, 0.1 / 200
    # Hollot et al.'s linearization before they simplify it: two equations for the window and the queue, solved as such
    echo, a = np.exp(-s * R), N / (np.square(R) * C)
    loops = []
    for s_n, echo_n in zip(s, echo, strict=True):
        matrix = [[s_n + a * (1 + echo_n), (1 - echo_n) / (np.square(R) * C)], [-N / R, s_n + 1 / R]]
        drive = [-R * C**2 / (2 * N**2) * echo_n, 0]
        loops.append(-np.linalg.solve(matrix, drive)[1] * slope * K / (s_n + K))
    assert np.allclose(FLUID.loop(omega), loops, rtol=1e-9)


def test_bode_and_margins_tell_the_same() -> None:
    for flows in (15, 60):
        fluid = replace(FLUID, flows=flows)
        margins = fluid.margins()
        omega = np.geomspace(1e-3, 100, 20_001)
        bode = fluid.bode(omega)
        crossover = np.interp(0, -bode.gain_db, omega)
        assert crossover == pytest.approx(margins.phase_omega, rel=1e-3)
        assert np.interp(crossover, omega, bode.phase_deg) + 180 == pytest.approx(margins.phase_deg, abs=0.1)
        turned = np.interp(180, -bode.phase_deg, omega)
        assert turned == pytest.approx(margins.gain_omega, rel=1e-3)
        assert -np.interp(turned, omega, bode.gain_db) == pytest.approx(20 * np.log10(margins.gain), abs=0.02)
        assert -90 < bode.phase_deg[0] < 0
    integral = replace(FLUID, law=LAWS[2]).bode(np.geomspace(1e-3, 10, 100))
    assert integral.phase_deg[0] == pytest.approx(-90, abs=2)


def test_arrays_are_the_stability_region() -> None:
    flows, rtt = np.arange(5, 105, 10)[:, None], np.array([0.05, 0.1, 0.2])
    region = replace(FLUID, flows=flows, rtt=rtt)
    stable = region.margins().stable
    assert isinstance(stable, np.ndarray)
    assert stable.shape == (10, 3)
    assert bool(stable[3, 1]) is replace(FLUID, flows=35, rtt=0.1).margins().stable
    border = np.asarray(replace(FLUID, flows=1, rtt=rtt).border_flows(1, 100))
    assert np.isnan(border[0])  # 100 flows have no equilibrium at 50 ms, and so few as 1 none that is stable
    assert (stable[:, 1:] == (flows > border[1:]))[:9].all()
    assert np.isnan(np.asarray(region.equilibrium().queue)[9, 0])
    assert not stable[9, 0]
    assert np.isnan(np.asarray(region.pole())[9, 0])


def test_a_trajectory_of_100_s_takes_less_than_100_ms() -> None:
    def once() -> float:
        begin = time.process_time()
        replace(FLUID, flows=15).trajectory(100)
        return time.process_time() - begin

    assert min(once() for _ in range(3)) < 0.1


def test_samples_do_not_depend_on_how_dense_they_are() -> None:
    dense, sparse = FLUID.trajectory(10, sampling=0.005), FLUID.trajectory(10, sampling=0.5)
    assert np.allclose(dense.queue[::100], sparse.queue, atol=1e-9)
    fine = FLUID.trajectory(10, step=0.0005, sampling=0.5)
    assert np.allclose(fine.queue, sparse.queue, atol=0.05)


def test_wrong_arguments_are_told() -> None:
    with pytest.raises(ModelError, match="flows = 0: must be above 0"):
        replace(FLUID, flows=0).margins()
    with pytest.raises(ModelError, match=r"max_p = 2: must be 0\.\.1"):
        replace(FLUID, law=replace(RED, max_p=2)).equilibrium()
    with pytest.raises(ModelError, match=r"min_th = 250: must be below max_th \(250\)"):
        replace(FLUID, law=replace(RED, min_th=250)).equilibrium()
    with pytest.raises(ModelError, match=r"gentle_top = 200: must be above max_th \(250\)"):
        replace(FLUID, law=replace(RED, gentle_top=200)).equilibrium()
    with pytest.raises(ModelError, match=r"a = 1e-05: must be above b \(1e-05\)"):
        replace(FLUID, law=model.FluidPi(a=1e-5, b=1e-5, frequency=1, target=1)).equilibrium()
    with pytest.raises(ModelError, match="single numbers here, not arrays"):
        replace(FLUID, flows=[1, 2]).trajectory(1)
    with pytest.raises(ModelError, match="shapes that do not fit together"):
        replace(FLUID, flows=[1, 2], rtt=[0.1, 0.2, 0.3]).margins()
    with pytest.raises(ModelError, match="more than 2000000 steps"):
        FLUID.trajectory(1e6)
    with pytest.raises(ModelError, match=r"step = 0\.2: must be 0\.\.0\.1, not 0"):
        FLUID.trajectory(1, step=0.2)
    with pytest.raises(ModelError, match="have no equilibrium"):
        replace(FLUID, flows=1000).loop(1)
    with pytest.raises(ModelError, match="have no equilibrium"):
        replace(FLUID, flows=1000).trajectory(1, disturbance=0.1)
    with pytest.raises(ModelError, match="must be a law in continuous time"):
        replace(FLUID, law=ps.Red()).margins()  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"low = 5: must be below high \(5\)"):
        FLUID.border_flows(5, 5)


def test_the_page_has_the_numbers_of_the_data_and_the_model_its_own() -> None:
    study = importlib.import_module("fluid")
    data = json.loads(study.DATA.read_text(encoding="utf-8"))
    page = study.PAGE.read_text(encoding="utf-8")
    assert study.onsets(data["onset"]) in page
    assert study.swings(data["swing"]) in page
    assert len(data["onset"]) == 2 * 3 + 1
    for case, onset in data["onset"].items():
        name, rtt, *_ = case.split()
        law = study.laws()[name].fluid
        fluid = model.Fluid(flows=1, rtt=float(rtt), capacity=study.CAPACITY, law=law, eta=study.ETA)
        assert fluid.border_flows(10, 1.2 * onset["border"]) == pytest.approx(onset["border"], rel=1e-4)
        onsets = [study.crossing(onset["flows"], [of[seed] for of in onset["deviations"]]) for seed in range(5)]
        assert onsets == pytest.approx(onset["onsets"], rel=1e-3)
        assert abs(np.mean(onsets) / onset["onset"] - 1) < 0.3
