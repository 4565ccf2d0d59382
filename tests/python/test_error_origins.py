"""Errors name arguments in Python; `test_broken_options.py` has the options of the command line."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import penstock as ps
import pytest
from penstock.errors import OptionOrigin
from penstock.evaluation.evaluate import evaluate

LINK = ps.dumbbell(rate="5Mbit", rtt="40ms", duration="2s", traffic={"bulk": ps.Tcp(count=2)})


@pytest.mark.parametrize(
    ("call", "start"),
    [
        (lambda: ps.compare(LINK, ["rde"]), 'schemes="rde": unknown scheme; did you mean "red"?'),
        (lambda: ps.compare(LINK, []), "schemes: is missing"),
        (lambda: ps.compare(LINK, ["red", "red"]), 'schemes="red": is given twice'),
        (lambda: ps.compare(LINK, "red:max_p=2"), 'schemes="red:max_p=2": links.bottleneck.queue.max_p = 2: must lie'),
        (lambda: ps.compare(LINK, "red", at="botle"), 'at: no link "botle"; did you mean "bottleneck"?'),
        (
            lambda: ps.compare(LINK, "red", vary={"traffic.bulk.cuont": [1]}),
            "vary: traffic.bulk.cuont = 1: unknown key",
        ),
        (
            lambda: ps.compare(LINK, "red", vary={"traffic.bulk.count": [1, 1]}),
            "vary: traffic.bulk.count = 1: is given",
        ),
        (lambda: ps.compare(LINK, "red", runs=0), "runs=0: must be at least 1"),
        (lambda: ps.compare(LINK, "red", jobs=0), "jobs=0: must be a whole number, at least 1"),
        (lambda: ps.tune(LINK, "delay p99 < 20ms", "red", jobs=-1), "jobs=-1: must be a whole number"),
        (lambda: ps.challenge("red", "pi", jobs=0), "jobs=0: must be a whole number"),
        (lambda: ps.challenge("red", "pi", runs=1), "runs=1: must be at least 2"),
        (lambda: evaluate(["red"], jobs=0), "jobs=0: must be a whole number"),
        (
            lambda: ps.compare(LINK, "red", precision="delay_mean_s=1%"),  # type: ignore[arg-type]
            "precision='delay_mean_s=1%': must be a Precision",
        ),
        (lambda: ps.tune(LINK, "delai p99 < 20ms", "red"), 'aims="delai p99 < 20ms": no metric'),
        (lambda: ps.tune(LINK, "delay p99 < 20ms", "red", capture="none.pcap"), 'capture="none.pcap": cannot be read'),
        (lambda: ps.challenge("rde", "red"), 'scheme="rde": unknown scheme'),
        (lambda: ps.challenge("red", ["rde"]), 'against="rde": unknown scheme'),
        (lambda: ps.LiveBench(LINK, at="botle"), 'at: no link "botle"'),
        (lambda: evaluate(["rde"]), 'schemes="rde": unknown scheme'),
    ],
)
def test_errors_in_python_name_arguments(call: Callable[[], Any], start: str) -> None:
    with pytest.raises(ps.PenstockError) as error:
        call()
    assert str(error.value).startswith(start)
    assert "--" not in str(error.value)


def test_an_origin_keeps_its_argument_in_another_process() -> None:
    origin = OptionOrigin.with_value("--scheme", "schemes", "red")
    copy = pickle.loads(pickle.dumps(origin))
    assert (copy, copy.argument) == ("--scheme red", 'schemes="red"')
