"""Linux's queues beside penstock's in its emulator: the recorder, as far as it goes without a kernel."""

from __future__ import annotations

import json
from typing import Any

import pytest

from validation.linux import real_queues
from validation.linux.record import Cell, RecordingError


def test_both_sides_have_the_same_link() -> None:
    cell = Cell.parse("red_ecn 20 cubic 4")
    link, back = json.loads(real_queues.scenario(cell).resolve().for_engine(flows=False, series=False))["links"]
    assert (link["rate"], link["delay"], back["delay"]) == (10_000_000, 0, 20_000_000 - 1_200_000)
    assert link["queue"]["params"]["ecn"] is True
    # 1500 bytes at 10 Mbit/s
    job = cell.job(0, False, overhead=-real_queues.ETHERNET).splitlines()
    assert {"overhead=-14", "emulator=''", "ecn=1"} <= set(job)


def result(**changes: Any) -> dict[str, Any]:
    link = {"drops": 12, "marks": 3, "departures": 45000, "length_mean_pkts": 4.5678}
    lateness = {"p50_s": 1e-6, "p99_s": 2.44e-6, "max_s": 1e-5}
    return {"valid": True, "invalid_because": [], "lateness": lateness, "links": {"bottleneck": link}, **changes}


def test_the_numbers_of_an_emulated_run() -> None:
    found = real_queues.numbers({"goodput_bps": [1000000, 2000000]}, result())
    assert found == {"goodput": 3000000, "drops": 12, "marks": 3, "sent": 45000, "backlog": 4.57, "late_us": 2.4}


def test_an_invalid_run_is_not_recorded() -> None:
    with pytest.raises(RecordingError, match="5 packets were lost"):
        real_queues.numbers({"goodput_bps": []}, result(valid=False, invalid_because=["5 packets were lost"]))
