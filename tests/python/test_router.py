"""`penstock explain --from tc`: the meaning of a router's counters, by transcripts and numbers derived by hand."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from penstock.dialects import ConversionContext, DialectError
from penstock.dialects.tc_lines import read_objects
from penstock.dialects.tc_statistics import read_statistics
from penstock.explain.tc_statistics_report import read_queue_reports, reports_text

CAKE = """qdisc cake 1: dev eth0 root refcnt 2 bandwidth 100Mbit diffserv3 triple-isolate rtt 100.0ms noatm overhead 38
 Sent 44709231 bytes 31931 pkt (dropped 45, overlimits 93782 requeues 0)
 backlog 33308b 22p requeues 0
 memory used: 292352b of 5000000b
 capacity estimate: 100Mbit
 min/max network layer size:           28 /    1500
 min/max overhead-adjusted size:       84 /    1538
 average network hdr offset:           14

                   Bulk  Best Effort        Voice
  thresh       6250Kbit      100Mbit       25Mbit
  target          5.0ms        5.0ms        5.0ms
  interval      100.0ms      100.0ms      100.0ms
  pk_delay        8.7ms        6.9ms        5.0ms
  av_delay        4.9ms       15.3ms        3.8ms
  pkts             2590        21271         8137
  bytes         3081804     30302659     11426206
  drops              20           15           10
  marks               0            7            0
  un_flows            0            1            0
"""
"""In the form of the example of tc-cake(8)."""


def test_the_table_of_cake_is_read_in_columns() -> None:
    (line,) = read_objects(CAKE)
    counters = read_statistics(line)
    assert counters is not None
    assert (
        counters.sent_pkts,
        counters.dropped_pkts,
        counters.overlimits,
        counters.backlog_pkts,
        counters.backlog_bytes,
    ) == (
        31931,
        45,
        93782,
        22,
        33308,
    )
    assert [tin.name for tin in counters.tins] == ["Bulk", "Best Effort", "Voice"]
    assert [tin.counters["drops"] for tin in counters.tins] == [20, 15, 10]
    assert counters.tins[1].counters["av_delay"] == pytest.approx(0.0153)
    assert counters.tins[0].counters["thresh"] == 6.25e6
    assert counters.marked_pkts == 7
    assert (counters.other_counters["used"], counters.other_counters["of"]) == (292352, 5000000)


def test_a_report_names_the_bottleneck_the_tin_and_the_key() -> None:
    (report,) = read_queue_reports(CAKE, ConversionContext())
    assert report.verdict == "is"
    assert report.drop_rate == pytest.approx(45 / (31931 + 45 + 22))
    assert report.mark_rate == pytest.approx(7 / (31931 + 45 + 22))
    text = reports_text([report])
    assert text.startswith("eth0 cake 1: is the bottleneck now")
    assert "tin Best Effort: packets wait 15.3 ms on average, its target is 5 ms" in text
    assert "tin Best Effort: 1 flows do not respond" in text


HEAD = "qdisc {} 8001: dev eth0 root refcnt 2 {}\n Sent {} bytes {} pkt (dropped {}, overlimits {} requeues {})\n"
TAIL = " backlog {}b {}p requeues 0\n"


def printed(kind: str, options: str, *, packets: int, dropped: int = 0, overlimits: int = 0, requeues: int = 0,
            waiting: int = 0, more: str = "") -> str:  # fmt: skip
    text = HEAD.format(kind, options, 1000 * packets, packets, dropped, overlimits, requeues)
    return text + TAIL.format(1000 * waiting, waiting) + more


@pytest.mark.parametrize(
    ("text", "verdict", "advice"),
    [
        (printed("fq_codel", "limit 10240p ecn", packets=4000), "never", "the queue forms elsewhere"),
        (printed("fq_codel", "limit 10240p", packets=4000, dropped=10), "was", "ecn is off"),
        (printed("pfifo", "limit 1000p", packets=9000, dropped=30), "was", "a FIFO drops only when it is full"),
        (printed("fq_codel", "limit 100p ecn", packets=900, dropped=40,
                 more="  maxpacket 1514 drop_overlimit 38 new_flow_count 5 ecn_mark 0\n"), "was",
         "limit: 38 packets were dropped because the queue was full"),
        (printed("pie", "limit 1000p target 15ms", packets=900, dropped=4, waiting=30,
                 more=" prob 0.2 delay 90000us\n pkts_in 940 overlimit 0 dropped 4 maxq 50 ecn_mark 0\n"), "is",
         "target: the delay is 90 ms, the target 15 ms"),
        (printed("fq_codel", "limit 10240p ecn", packets=1000, dropped=100), "was", "9.1% of the packets are dropped"),
        (printed("fq_codel", "limit 10240p ecn", packets=1000, requeues=50), "never", "requeues 50"),
        (printed("tbf", "rate 1Mbit burst 5Kb lat 50ms", packets=1000, overlimits=900), "was", ""),
        (printed("cake", "bandwidth unlimited diffserv3", packets=1000, overlimits=900), "never", "shape here"),
        (printed("fq_codel", "limit 10240p", packets=0), "never", "no packet has passed"),
        (printed("htb", "r2q 10 default 0 direct_packets_stat 77 direct_qlen 1000", packets=1000), "never",
         "77 packets passed htb unshaped"),
    ],
)  # fmt: skip
def test_counters_lead_to_a_verdict_and_a_setting(text: str, verdict: str, advice: str) -> None:
    (report,) = read_queue_reports(text, ConversionContext())
    assert report.verdict == verdict
    assert advice in " / ".join(report.advice)


def test_json_counts_the_same() -> None:
    text = ('[{"kind":"fq_codel","handle":"0:","dev":"eth0","root":true,"options":{"limit":10240,"ecn":true},'
            '"bytes":5000,"packets":40,"drops":2,"overlimits":0,"requeues":0,"backlog":3000,"qlen":2,"maxpacket":1514,'
            '"drop_overlimit":0,"new_flow_count":3,"ecn_mark":5}]')  # fmt: skip
    (report,) = read_queue_reports(text, ConversionContext())
    assert (report.drop_rate, report.mark_rate, report.verdict) == (2 / 44, 5 / 44, "is")


def test_the_command_reads_standard_input() -> None:
    command = [sys.executable, "-m", "penstock", "explain", "--from", "tc", "-", "--json", "-"]
    process = subprocess.run(command, input=CAKE, capture_output=True, text=True, check=True)
    (report,) = json.loads(process.stdout)
    assert (report["kind"], report["bottleneck"], report["dropped"]) == ("cake", "is", 45)
    assert report["tins"][2]["name"] == "Voice"


def test_a_text_without_counters_or_of_several_devices_is_refused() -> None:
    with pytest.raises(DialectError, match="no statistics"):
        read_queue_reports("qdisc fq_codel 0: dev eth0 root refcnt 2 limit 10240p", ConversionContext())
    two = CAKE + CAKE.replace("eth0", "eth1")
    with pytest.raises(DialectError, match="--device"):
        read_queue_reports(two, ConversionContext())
    assert len(read_queue_reports(two, ConversionContext(device="eth1"))) == 1


@pytest.mark.parametrize(
    ("kind", "options", "is_advised"),
    [
        ("fq_codel", "limit 10240p", True),
        ("pie", "limit 1000p target 15ms", True),
        ("red", "limit 60000b min 5000b max 15000b", True),
        # tc-sfq(8): its ecn is of the RED in each flow, which a plain sfq does not have.
        ("sfq", "limit 127p quantum 1514b depth 127 flows 128 divisor 1024", False),
        # These have no word ecn: sfb and dualpi2 always mark, a pfifo never.
        ("sfb", "limit 1000p", False),
        ("dualpi2", "limit 10000p", False),
        ("pfifo", "limit 1000p", False),
    ],
)
def test_ecn_is_advised_only_where_it_is_an_option(kind: str, options: str, is_advised: bool) -> None:
    (report,) = read_queue_reports(printed(kind, options, packets=4000, dropped=10), ConversionContext())
    assert any(item.startswith("ecn is off") for item in report.advice) == is_advised
