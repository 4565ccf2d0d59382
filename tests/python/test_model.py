"""`ps.model`: values of the works through the native forms, broadcasting, ranges, and the time that a call takes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import penstock as ps
import pytest
from penstock.model import ModelError

model = ps.model
LAW = model.QueueLaw(rtld=0.08, service_rate=2500, signal="mark")
RED, DROP_TAIL = model.LossBatches((0.9, 0.1)), model.LossBatches((0.6, 0.4))


def test_arrays_are_broadcast_and_numbers_stay_numbers() -> None:
    p = np.array([[0.01], [0.05]])
    rates = model.padhye_rate(p, [0.05, 0.1, 0.2], 0.2)
    assert isinstance(rates, np.ndarray)
    assert rates.shape == (2, 3)
    rate = model.padhye_rate(0.05, 0.1, 0.2)
    assert isinstance(rate, float)
    assert rates[1, 1] == rate
    assert isinstance(model.padhye_window(0.05), float)
    assert np.shape(model.padhye_rate(np.array([]), 0.1, 0.2)) == (0,)


def test_forms_agree_with_a_second_one_in_numpy() -> None:
    p = np.geomspace(1e-5, 0.5, 50)
    assert np.allclose(model.sqrt_law_window(p, b=2), np.sqrt(3 / (4 * p)), rtol=1e-14)
    window = 1 + np.sqrt(8 * (1 - p) / (3 * p) + 1)
    assert np.allclose(model.padhye_window(p), ((1 - p) / p + window) / (window / 2 + 1), rtol=1e-12)
    share = np.minimum(1, 3 * np.sqrt(3 * p / 8))
    seconds = 0.1 * np.sqrt(2 * p / 3) + 0.4 * share * p * (1 + 32 * p**2)
    assert np.allclose(model.padhye_rate(p, 0.1, 0.4, form="approximate"), 1 / seconds, rtol=1e-12)
    cubic = np.maximum((0.4 * 3.7 / 1.2) ** 0.25 * (0.1 / p) ** 0.75, np.sqrt(1.5 / p))
    assert np.allclose(model.cubic_window(p, 0.1), cubic, rtol=1e-12)


def test_inverses_give_the_probability_back() -> None:
    p = np.geomspace(1e-5, 0.5, 30)
    assert np.allclose(model.padhye_probability(model.padhye_rate(p, 0.1, 0.4), 0.1, 0.4), p, rtol=1e-9)
    assert np.allclose(model.sqrt_law_probability(model.sqrt_law_window(p)), p, rtol=1e-12)
    assert np.allclose(model.cubic_probability(model.cubic_window(p, 0.1), 0.1), p, rtol=1e-12)
    queues = LAW.queue(600, p)
    assert np.allclose(LAW.probability(600, queues), p, rtol=1e-9)
    assert math.isnan(float(model.padhye_probability(1e-3, 0.1, 0.4)))


def test_the_queue_law_meets_control_functions() -> None:
    red = LAW.crossing(100, lambda q: float(model.red_control(q, 100, 300, 0.1)), 500)
    assert red is not None
    assert (round(red.queue), round(red.signal_probability, 3), red.at_jump) == (244, 0.072, False)
    jump = LAW.crossing(150, lambda q: float(model.red_control(q, 100, 300, 0.1)), 500)
    assert jump is not None
    assert jump.at_jump
    assert jump.queue == pytest.approx(300, abs=1e-6)
    drops = model.QueueLaw(rtld=0.08, service_rate=2500, min_rto=0.2, balance="exact")
    assert float(drops.flows(300, 0.1)) == pytest.approx(171.4, abs=0.05)
    assert LAW.crossing(300, lambda _: 0.05, 500) is None


def test_an_exception_of_a_control_function_is_raised() -> None:
    def broken(_: float) -> float:
        raise KeyError("no such queue")

    with pytest.raises(KeyError, match="no such queue"):
        LAW.crossing(100, broken, 500)


def test_design_rules_give_the_printed_numbers() -> None:
    gains = model.pi_gains(3, 0.252, 187.5, 170)
    assert (math.floor(float(gains.a) * 1e9), math.floor(float(gains.b) * 1e9)) == (344519, 343499)
    alphas = model.avq_alpha([3, 18, 53], 0.252, 187.5)
    assert np.isnan(np.asarray(alphas)[0])
    assert np.allclose(np.asarray(alphas)[1:], [0.5199, 11.4784], atol=6e-5)
    assert model.avq_alpha(3, 0.252, 187.5, reading="star") == pytest.approx(0.251953, abs=1e-6)
    beta = model.lred_beta([3, 103], 0.252, 187.5)
    assert np.allclose(beta.phase, [0.003359, 0.151305], atol=6e-7)
    assert model.p_threshold_distance(3, 0.241, 187.5, 0.1) == pytest.approx(82.4, abs=0.06)
    assert model.red_weight(187.5) == pytest.approx(0.0053191, abs=5e-8)
    assert model.red_drop_share(0.1) == pytest.approx(0.069, abs=6e-4)
    assert model.red_drop_share(0.1, spacing="none") == 0.1
    assert model.dualpi2_gains().beta == pytest.approx(3.0)
    capacity = 10e6 / (8 * 1514)
    red = model.redopt([16, 256], capacity, 0.15, tcp_capacity=0.902 * capacity, margin=1.1)
    assert np.allclose(red.max_p, [0.0226, 0.6021], rtol=0.02)
    assert np.allclose(red.buffer, [196, 472], atol=0.6)


def test_redopt_by_search_takes_the_calmest_centred_queue() -> None:
    queues = {(10.0, 30.0): (20.5, 6.0), (20.0, 60.0): (43.0, 1.0), (30.0, 90.0): (60.0, 4.0)}
    assert model.redopt_search(list(queues), lambda low, high: queues[low, high]) == (30.0, 90.0)
    assert model.redopt_search(list(queues), lambda low, high: (0.0, 1.0)) is None


def test_batches_are_those_of_the_thesis() -> None:
    assert [round(model.code_threshold(RED, DROP_TAIL, h) or 0, 4) for h in (1, 2, 8)] == [1.6311, 2.1576, 8.2701]
    assert model.code_threshold(RED, DROP_TAIL, 0) is None
    after = DROP_TAIL.residual_loss([0.00587, 0.08125], k=16, h=1)
    assert np.allclose(after, [0.00353, 0.06827], atol=6e-6)
    losses = RED.distribution(2.0, 100)
    assert losses.sum() == pytest.approx(1)
    assert losses @ np.arange(101) == pytest.approx(2.0)
    assert RED.mean() == pytest.approx(1.1)
    assert RED.unrepaired(2.0, 3) == pytest.approx(losses[4:].sum())


def test_queues_of_random_arrivals_agree_with_one_another() -> None:
    rho = np.array([0.2, 0.7, 0.95])
    assert np.allclose(model.mg1_waiting(rho, 1), model.mm1_waiting(rho))
    assert np.allclose(model.md1_waiting(rho), np.asarray(model.mm1_waiting(rho)) / 2)
    assert np.allclose(model.mm1_loss(rho, 1), model.erlang_b(rho, 1))
    assert np.allclose(model.mg1_wait(rho, 1) * rho, model.mm1_waiting(rho))
    assert np.allclose(model.erlang_wait(rho, 1) * rho, model.mm1_waiting(rho))
    states = model.md1_distribution(0.9, 5)
    assert states.sum() == pytest.approx(1)
    assert states[-1] == pytest.approx(float(model.md1_loss(0.9, 5)))
    assert 1 - states[0] == pytest.approx(0.9 * (1 - states[-1]))
    assert model.mm1_probability(0.9, 2, 5) == pytest.approx(0.81 * 0.1 / (1 - 0.9**6))
    assert model.mm1_probability(0.5, 3) == 0.0625
    assert model.md1_waiting(0.6, 100) == pytest.approx(float(model.md1_waiting(0.6)))
    assert model.erlang_c(0.7, 1) == pytest.approx(0.7)
    assert model.gps_longest_delay(8, 0.5, 2, 1) == 18


MUCH: Any = "much"

WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: model.sqrt_law_window(1.5), "p = 1.5: must be 0..1"),
    (lambda: model.sqrt_law_window([0.1, math.nan]), "p = nan: must be 0..1"),
    (lambda: model.sqrt_law_window(MUCH), "p = 'much': must be a number or an array of numbers, 0..1"),
    (lambda: model.padhye_rate(0.1, 0, 0.2), "rtt = 0: must be above 0"),
    (
        lambda: model.padhye_rate(0.1, 0.1, 0.2, form="ful"),
        "form = 'ful': must be one of full, .*did you mean \"full\"",
    ),
    (lambda: model.padhye_rate([0.1, 0.2], [0.1, 0.2, 0.3], 0.2), r"shapes that do not fit together: \(2,\), \(3,\)"),
    (lambda: model.cubic_window(0, 0.1), "p = 0: must be 0..1, not 0"),
    (lambda: model.QueueLaw(rtld=0, service_rate=1).queue(1, 0.1), "rtld = 0: must be above 0"),
    (lambda: model.QueueLaw(rtld=1, service_rate=1, signal="ecn").queue(1, 0.1), "signal = 'ecn'"),  # type: ignore[arg-type]
    (lambda: LAW.crossing([1, 2], lambda _: 0.1, 10), "flows: must be one number"),  # type: ignore[arg-type]
    (lambda: model.red_control(5, 20, 10, 0.1), "min_th = 20: must be below max_th"),
    (lambda: model.red_control(5, 1, 10, 0.1, gentle_top=10), "gentle_top = 10: must be above max_th"),
    (lambda: model.mm1_loss(0.5, 2.5), "limit = 2.5: must be a whole number 1..1000"),
    (lambda: model.erlang_b(1, 0), "servers = 0: must be a whole number"),
    (lambda: model.LossBatches((0.5, 0.2)).mean(), "sizes: must sum to 1, not 0.7"),
    (lambda: model.LossBatches(()).mean(), "sizes: must be 1..100 shares"),
    (lambda: RED.residual_loss(0.9, k=5000, h=0), r"p \(k \+ h\) = 4500: must be 0..700"),
    (lambda: model.gps_finished([1.0], [(1, 0, 1), (0, 0, 1)]), "must be in order"),
    (lambda: model.gps_finished([1.0], [(1, 1, 1)]), "arrivals: class = 1"),
    (lambda: model.redopt(10, 100, 0.1, tcp_capacity=200), "tcp_capacity = 200: must not be above"),
    (lambda: model.redopt_search([(3, 2)], lambda low, high: (0, 0)), r"thresholds = \(3, 2\)"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG, ids=range(len(WRONG)))
def test_a_wrong_argument_is_named_with_what_is_allowed(wrong: Callable[[], Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        wrong()
    assert issubclass(ModelError, ps.PenstockError)
    assert issubclass(ModelError, ValueError)


def test_every_function_answers_within_a_tenth_of_a_second() -> None:
    p = np.linspace(0.001, 0.5, 10_000)
    calls: list[Callable[[], object]] = [
        lambda: model.padhye_rate(p, 0.1, 0.2),
        lambda: model.cubic_window(p, 0.1),
        lambda: model.padhye_probability(10.0, 0.1, 0.2),
        lambda: LAW.queue(100, p),
        lambda: LAW.crossing(100, lambda q: float(model.red_control(q, 100, 300, 0.1)), 500),
        lambda: model.redopt(64, 800, 0.15),
        lambda: model.avq_alpha(28, 0.252, 187.5),
        lambda: model.code_threshold(RED, DROP_TAIL, 100),
        lambda: model.md1_loss(0.5, 1000),
        lambda: model.erlang_b(900, 1000),
        lambda: model.red_drop_share(1e-3),
    ]
    for number, function in enumerate(calls):
        function()
        best = math.inf
        for _ in range(3):
            begun = time.process_time()
            function()
            best = min(best, time.process_time() - begun)
        assert best < 0.1, f"call {number} takes {best:.3f} s"


def test_all_names_are_there_and_told() -> None:
    for name in model.__all__:
        assert getattr(model, name).__doc__, name
