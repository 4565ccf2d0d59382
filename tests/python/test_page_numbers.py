"""Numbers in hand-written pages of the documentation, against the records, formulas or runs that they are about."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import penstock as ps
import pytest
from penstock.evaluation import evaluate, extent
from penstock.results import simultaneous
from penstock.studies.study_file import StudyFile
from scipy.special import zeta
from scipy.stats import t

ROOT = Path(__file__).resolve().parents[2]


def page(name: str) -> str:
    """The text of a page in one line."""
    return " ".join((ROOT / "docs" / name).read_text(encoding="utf-8").split())


def numbers(pattern: str, text: str) -> list[float]:
    """The numbers in the groups of the only match."""
    (match,) = re.findall(pattern, text)
    return [float(number) for number in (match if isinstance(match, tuple) else (match,))]


def record(name: str) -> Any:
    return json.loads((ROOT / "tests" / "data" / name).read_text(encoding="utf-8"))


def test_instructions_on_the_page_of_speed() -> None:
    text = page("explanation/speed.md")
    counted = record("instructions.json")["per_packet"]
    plain, fair, shared = (counted[name] for name in ("w2", "w2_fq-codel", "w2_qsdrr"))
    printed = numbers(
        r"FQ-CoDel takes ([\d.]+) times and QSDRR ([\d.]+) times .*? \((\d+) and (\d+) against (\d+)\)", text
    )
    assert printed == [round(fair / plain, 2), round(shared / plain, 2), round(fair), round(shared), round(plain)]
    senders = [counted[name] for name in ("w2_cubic", "w2_prague", "w2_bbr")]
    pattern = r"([\d.]+) with CUBIC \((\d+)\), ([\d.]+) with Prague .*? \((\d+)\) and ([\d.]+) with BBR \((\d+)\)"
    expected = [number for count in senders for number in (round(count / plain, 1), round(count))]
    assert numbers(pattern, text) == expected


def test_transfers_on_the_page_of_validation() -> None:
    text = page("explanation/validation.md")
    transfers = record("ns2/single_flow.json")["records"]
    by_flavour = Counter(transfer["tcp"] for transfer in transfers)
    each, vegas = numbers(r"(\d+) each of Tahoe, Reno, NewReno and SACK, and (\d+) of Vegas", text)
    assert by_flavour == {"Tahoe": each, "Reno": each, "Newreno": each, "Sack1": each, "Vegas": vegas}
    assert numbers(r"The reference has (\d+) transfers", text) == [len(transfers)]


def test_recordings_on_the_page_of_linux() -> None:
    cells = record("linux/tcp_single_flow.json")["cells"]
    printed = numbers(
        r"replays (\d+) recordings .*? For (\d+) of them, the ACKs were recorded", page("explanation/linux.md")
    )
    assert printed == [len(cells), sum(isinstance(cell.get("acks"), str) for cell in cells)]


def test_differences_on_the_page_of_linux() -> None:
    """The counts of the reasons, and the ratios of the unexplained results."""
    text = (ROOT / "tests" / "data" / "linux" / "qdisc_tcp_differences.txt").read_text(encoding="utf-8")
    rows = [line.rsplit(maxsplit=2) for line in text.splitlines() if not line.startswith("#")]
    linux = (ROOT / "docs" / "explanation" / "linux.md").read_text(encoding="utf-8")
    printed = re.findall(r"^\| (spread|pushes|receiver|unknown) \| (\d+) \|", linux, re.M)
    assert {reason: int(count) for reason, count in printed} == Counter(reason for *_, reason in rows)
    unknown = re.findall(r"^\| .* \| \d+ (?:Reno|CUBIC|BBR) \| (?:delay|drops) \| ([\d.]+) \|$", linux, re.M)
    expected = [float(ratio) for _, ratio, reason in rows if reason == "unknown"]
    assert sorted(map(float, unknown)) == pytest.approx(sorted(expected), abs=0.005001)


def test_offered_load_on_the_page_of_web_sessions() -> None:
    text = page("explanation/web.md")
    objects, size, pause, shape, payload = 4, 12_000, 50, 1.2, 1460

    def rounded_up(mean: float) -> float:
        """The mean of a Pareto variable rounded up: the sum of P(X > n)."""
        smallest = mean * (shape - 1) / shape
        certain = math.ceil(smallest)  # P(X > n) = 1 below it
        return float(certain + smallest**shape * zeta(shape, certain))

    pages, packets = rounded_up(objects), rounded_up(size / payload)
    printed = numbers(r"([\d.]+) instead of (\d+) objects, and ([\d.]+) instead of ([\d.]+) packets", text)
    assert printed == [round(pages, 2), objects, round(packets, 2), round(size / payload, 2)]
    assert numbers(r"Together that is (\d+) % more", text) == [
        round(100 * (pages * packets / objects / size * payload - 1))
    ]
    session = objects * size * 8 / pause
    assert numbers(r"give ([\d.]+) kbit/s per session", text) == [session / 1e3]
    offered = numbers(r"should offer ([\d.]+), ([\d.]+), ([\d.]+) and ([\d.]+) Mbit/s", text)
    assert offered == [round(count * session / 1e6, 1) for count in (800, 1000, 1200, 1400)]


def test_independent_intervals_on_the_page_of_statistics() -> None:
    count, misses = numbers(
        r"at least one of (\d+) independent intervals misses the true value in (\d+) %",
        page("explanation/statistics.md"),
    )
    assert misses == round(100 * (1 - 0.95**count))


def test_widths_of_intervals_on_the_page_of_statistics() -> None:
    text = page("explanation/statistics.md")
    cells, runs = numbers(r"for (\d+) differences with a correlation of 0.95 and (\d+) runs", text)
    bonferroni, alone = numbers(r"compared with ([\d.]+) by Bonferroni and ([\d.]+) for a single interval", text)
    assert bonferroni == round(t.ppf(1 - 0.05 / cells / 2, runs - 1), 1)
    assert alone == round(t.ppf(0.975, runs - 1), 2)
    assert "10 000 times, with a fixed random stream" in text
    assert simultaneous.DRAWS == 10_000
    assert "more than 20 000 cells, or more than a million numbers" in text
    assert (simultaneous.MOST_CELLS, simultaneous.MOST_NUMBERS) == (20_000, 1_000_000)


def test_utilization_of_a_short_queue_in_the_tutorial() -> None:
    share, queue = numbers(
        r"itself gives (\d+) % at \*f\* = ([\d.]+) for one flow", page("tutorial/reproduce-a-figure.md")
    )
    assert share == round(100 * (3 + 6 * queue - queue**2) / (4 * (1 + queue)))


def test_scenarios_of_the_quick_evaluation() -> None:
    printed = numbers(r"The quick form, (\d+) scenarios with five runs of (\d+) s", page("howto/evaluate.md"))
    assert printed == [len(evaluate.rfc_cases(extent.QUICK)), extent.QUICK.dumbbell.duration_s]
    assert extent.QUICK.runs == 5


def test_models_on_the_page_of_theory() -> None:
    text = page("reference/model.md")
    red = ps.model.FluidRed(min_th=50, max_th=250, max_p=0.1, w_q=0.0004)
    margin = ps.model.Fluid(flows=15, rtt=0.1, capacity=2500, law=red).margins().phase_deg
    assert numbers(r"print\(fluid.margins\(\).phase_deg\) # (-[\d.]+): unstable", text) == [round(float(margin), 1)]
    printed = numbers(
        r"thresholds: (\d+) flows with drops .*? and (\d+) with marks.*?it is only (\d+) with drops", text
    )
    aqms = (
        ps.model.QueueLaw(rtld=0.08, service_rate=2500, signal="drop", min_rto=0.2, balance="exact"),
        ps.model.QueueLaw(rtld=0.08, service_rate=2500, signal="mark"),
        ps.model.QueueLaw(rtld=0.08, service_rate=2500, signal="drop"),
    )
    assert printed == [aqm.largest_flows(300, 0.1) for aqm in aqms]
    spaced = numbers(r"for the same thresholds are (\d+) with drops and (\d+) with marks", text)
    assert spaced == [aqm.largest_flows(300, float(ps.model.red_drop_share(0.1))) for aqm in aqms[:2]]


@pytest.mark.slow
def test_delays_on_the_page_of_clusters(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "howto" / "cluster.md").read_text(encoding="utf-8")
    (study,) = re.findall(r":caption: buffers.study.toml\n(.*?)^```$", text, re.M | re.S)
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    (tmp_path / "buffers.study.toml").write_text(study)
    file = StudyFile.read(tmp_path / "buffers.study.toml")
    means = file.study.run(lambda run: {"delay": run.links["bottleneck"].delay_mean_s})
    delay = {
        scheme: max(means.where(scheme=scheme, buffer="140p", flows=flows)("delay").mean for flows in (0, 10, 25, 50))
        for scheme in ("droptail", "red", "codel")
    }
    grows, held = numbers(
        r"the delay of drop-tail grows to ([\d.]+) s. RED and CoDel hold it at (\d+) ms or less",
        page("howto/cluster.md"),
    )
    assert round(delay["droptail"], 1) == grows
    assert max(delay["red"], delay["codel"]) <= held / 1e3
