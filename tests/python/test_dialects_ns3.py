"""Queue discs of ns-3: initial values, units, constructors, comments, several objects.

Right values follow from the model library (chapters of the traffic-control module), the attribute lists of the API
documentation, and the manual's chapter on attributes.
"""

from __future__ import annotations

import math
from typing import Any

import pytest
from penstock.dialects import ConversionContext, DialectError, read, write

RED = {"limit": "25p", "min_th": 5.0, "max_th": 15.0, "max_p": 0.02, "gentle": True, "w_q": 0.002,
       "mean_packet": "500B", "spacing": "wait", "ecn": False}  # fmt: skip
PIE = {"limit": "25p", "target": "15ms", "t_update": "15ms", "alpha": 0.125, "beta": 1.25, "max_burst": "150ms",
       "mark_ecnth": 0.1, "cap_drop": "on", "derandomization": "off", "activation": "off", "ecn": False}  # fmt: skip

CASES: list[tuple[str, str, dict[str, Any]]] = [
    # Initial values where nothing is set.
    ("ns3::RedQueueDisc[MinTh=5|MaxTh=15]", "red", RED),
    ("ns3::RedQueueDisc", "red", RED),
    ("RedQueueDisc[]", "red", RED),
    ("ns3::PieQueueDisc", "pie", PIE),
    ("ns3::CoDelQueueDisc[UseEcn=true]", "codel", {"limit": "1500000B", "target": "5ms", "interval": "100ms",
        "maxpacket": "1500B", "ecn": True, "ce_threshold": None}),
    ("ns3::FqCoDelQueueDisc[Flows=64]", "fq-codel", {"limit": "10240p", "flows": 64, "drop_batch": 64, "ecn": True,
        "quantum": "1500B", "target": "5ms", "interval": "100ms"}),
    ("ns3::FqPieQueueDisc", "fq-pie", {**PIE, "limit": "10240p", "ecn": True, "flows": 1024, "overflow": "fattest"}),
    ("ns3::CobaltQueueDisc", "cobalt", {"limit": "1500000B", "p_inc": 1 / 256, "p_dec": 1 / 4096, "target": "5ms"}),
    ("ns3::FifoQueueDisc", "droptail", {"limit": "1000p"}),
    ("ns3::DropTailQueue<Packet>[MaxSize=50p]", "droptail", {"limit": "50p"}),
    ("ns3::TbfQueueDisc[Rate=1Mbps|Burst=10000]", "shaper", {"rate": "1000000bit", "burst": "10000B"}),
    # Bytes: thresholds have the unit of MaxSize.
    ("ns3::RedQueueDisc[MaxSize=30000B|MinTh=5000|MaxTh=15000]", "red", {"limit": "30000B", "min_th": "5000B",
        "max_th": "15000B", "measure_in": "bytes", "scale_by_size": "p_a"}),
    ("ns3::RedQueueDisc[MaxSize=30kB|MinTh=5000|MaxTh=15000]", "red", {"limit": "30000B", "measure_in": "bytes"}),
    ("ns3::RedQueueDisc[MaxSize=1KiB|MinTh=100|MaxTh=300]", "red", {"limit": "1024B", "min_th": "100B"}),
    # Constructors and their units.
    ('Config::SetDefault ("ns3::CoDelQueueDisc::Target", TimeValue (MilliSeconds (5)));', "codel", {"target": "5ms"}),
    ('Config::SetDefault("ns3::CoDelQueueDisc::Target", TimeValue(MicroSeconds(500)));', "codel", {"target": "500us"}),
    ('Config::SetDefault("ns3::CoDelQueueDisc::Target", TimeValue(NanoSeconds(5000000)));', "codel", {"target": "5ms"}),
    ('Config::SetDefault("ns3::CoDelQueueDisc::Target", TimeValue(Seconds(0.005)));', "codel", {"target": "5ms"}),
    ('Config::SetDefault("ns3::CoDelQueueDisc::Target", TimeValue(Time("5ms")));', "codel", {"target": "5ms"}),
    ('Config::SetDefault("ns3::CoDelQueueDisc::Target", StringValue("5ms"));', "codel", {"target": "5ms"}),
    ('Config::SetDefault("ns3::CoDelQueueDisc::Target", StringValue("+5000000.0ns"));', "codel", {"target": "5ms"}),
    ("ns3::CoDelQueueDisc[Target=0.005]", "codel", {"target": "5ms"}),  # a bare time is in seconds
    ('Config::SetDefault("ns3::RedQueueDisc::MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, 100)));',
        "red", {"limit": "100p"}),
    ('Config::SetDefault("ns3::RedQueueDisc::MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::BYTES, 20 * 1500)));',
        "red", {"limit": "30000B", "measure_in": "bytes"}),
    ('Config::SetDefault("ns3::RedQueueDisc::MaxSize", QueueSizeValue (QueueSize ("25p")));', "red", RED),
    # Variables, concatenation, arithmetic.
    ('uint32_t n = 40;\ndouble low = n / 4.0;\nConfig::SetDefault("ns3::RedQueueDisc::MaxSize", '
     'StringValue(std::to_string(n) + "p"));\nConfig::SetDefault("ns3::RedQueueDisc::MinTh", DoubleValue(low));',
        "red", {"limit": "40p", "min_th": 10.0}),
    # Comments are no settings, and an address in a string is no comment.
    ('// Config::SetDefault("ns3::RedQueueDisc::Gentle", BooleanValue(false));\n'
     'Config::SetDefault("ns3::RedQueueDisc::MinTh", DoubleValue(6));', "red", {**RED, "min_th": 6.0}),
    ('/* Config::SetDefault("ns3::RedQueueDisc::MinTh", DoubleValue(9)); */\nstd::string a = "http://x";\n'
     'Config::SetDefault("ns3::RedQueueDisc::MinTh", DoubleValue(6)); // 7', "red", {**RED, "min_th": 6.0}),
    # Helpers, objects, paths, config stores, command lines.
    ('TrafficControlHelper tch;\nuint16_t h = tch.SetRootQueueDisc("ns3::RedQueueDisc", "MinTh", DoubleValue(7), '
     '"MaxTh", DoubleValue(21));', "red", {**RED, "min_th": 7.0, "max_th": 21.0}),
    ('Ptr<RedQueueDisc> queue = CreateObject<RedQueueDisc>();\nqueue->SetAttribute("QW", DoubleValue(0.01));',
        "red", {**RED, "w_q": 0.01}),
    ('Ptr<QueueDisc> q = CreateObjectWithAttributes<PieQueueDisc>("Tupdate", TimeValue(MilliSeconds(30)));',
        "pie", {**PIE, "t_update": "30ms"}),
    ('Config::Set("/NodeList/0/$ns3::TrafficControlLayer/RootQueueDiscList/0/$ns3::RedQueueDisc/Wait", '
     "BooleanValue(false));", "red", {**RED, "spacing": "no_wait"}),
    ('default ns3::RedQueueDisc::MinTh "6"\ndefault ns3::RedQueueDisc::MaxTh "18"', "red", {"min_th": 6.0}),
    ("--ns3::FqCoDelQueueDisc::Target=20ms --ns3::FqCoDelQueueDisc::UseL4s=1", "fq-codel",
        {"target": "20ms", "ce_threshold_for": "ect1"}),
    # Python.
    ('import ns.core\n# ns.core.Config.SetDefault("ns3::RedQueueDisc::MinTh", ns.core.DoubleValue(9))\n'
     'ns.core.Config.SetDefault("ns3::RedQueueDisc::MinTh", ns.core.DoubleValue(6))', "red", {**RED, "min_th": 6.0}),
    # Names up to 3.29.
    ('Config::SetDefault("ns3::RedQueueDisc::Mode", StringValue("QUEUE_MODE_BYTES"));\n'
     'Config::SetDefault("ns3::RedQueueDisc::QueueLimit", UintegerValue(30000));', "red",
        {"limit": "30000B", "measure_in": "bytes"}),
    ('Config::SetDefault("ns3::FqCoDelQueueDisc::PacketLimit", UintegerValue(500));', "fq-codel", {"limit": "500p"}),
    # The chosen disc among the defaults of several.
    ('Config::SetDefault("ns3::PieQueueDisc::Tupdate", TimeValue(MilliSeconds(30)));\n'
     'tch.SetRootQueueDisc("ns3::RedQueueDisc");', "red", RED),
    # Adaptive and other forms of RED.
    ("ns3::RedQueueDisc[ARED=true|LinkBandwidth=10Mbps]", "ared-floyd", {"min_th": 6.25, "max_th": 18.75}),
    ("ns3::RedQueueDisc[FengAdaptive=true]", "ared-feng", {"alpha": 3.0, "beta": 2.0}),
    ("ns3::RedQueueDisc[NLRED=true|UseEcn=true|UseHardDrop=false]", "red", {"nonlinear": True, "mark_up_to": "always"}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "scheme", "parameters"), CASES)
def test_a_configuration_is_read(text: str, scheme: str, parameters: dict[str, Any]) -> None:
    result = read(text, "ns3")
    assert result.scheme == scheme
    assert {name: result.parameters.get(name) for name in parameters} == parameters


def test_the_automatic_weight_follows_the_bandwidth() -> None:
    """1 - exp(-1 / C), C packets a second (the RED of ns-2 and ns-3)."""
    result = read("ns3::RedQueueDisc[QW=0|LinkBandwidth=10Mbps]", "ns3")
    assert math.isclose(result.parameters["w_q"], 1 - math.exp(-1 / 2500), rel_tol=1e-4)
    assert result.rate == 10e6


def test_another_disc_and_other_settings_are_listed() -> None:
    text = (
        'Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));\np2p.SetQueue("ns3::DropTailQueue", '
        '"MaxSize", StringValue("1p"));\np2p.SetDeviceAttribute("DataRate", StringValue("10Mbps"));\n'
        'tch.SetRootQueueDisc("ns3::CoDelQueueDisc");'
    )
    result = read(text, "ns3")
    assert (result.scheme, result.rate) == ("codel", 10e6)
    assert result.lost_settings == [
        "ns3::TcpSocket::SegmentSize: not a setting of the queue",
        "ns3::DropTailQueue::MaxSize = 1p: not a setting of the queue",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ns3::RedQueueDisc[MinTth=5]", 'no "MinTth"; did you mean "MinTh"'),
        ("ns3::RedQueueDisk[MinTh=5]", 'no queue disc "RedQueueDisk"; did you mean "RedQueueDisc"'),
        ("ns3::RedQueueDisc[MinTh=5|MinTh=6]", "given twice"),
        ("ns3::RedQueueDisc[Gentle=maybe]", "expected true or false"),
        ("ns3::CoDelQueueDisc[Target=5parsec]", "expected a time"),
        ("ns3::RedQueueDisc[MaxSize=25]", "expected a size"),
        ("ns3::PfifoFastQueueDisc", "no queue disc"),
        ('Config::SetDefault("ns3::RedQueueDisc::MinTh", DoubleValue(low));', "value of low is not a constant"),
        ('Config::SetDefault("ns3::RedQueueDisc::MinTh", DoubleValue(f(3)));', r"MinTh: cannot compute f\(...\)"),
        ('/* Config::SetDefault("ns3::RedQueueDisc::MinTh", DoubleValue(9));', "without an end"),
        (
            'tch.SetRootQueueDisc("ns3::RedQueueDisc"); tch.SetRootQueueDisc("ns3::PieQueueDisc");',
            "several queue discs: RedQueueDisc, PieQueueDisc",
        ),
        (
            'a.SetRootQueueDisc("ns3::RedQueueDisc", "MinTh", '
            'DoubleValue(5));b.SetRootQueueDisc("ns3::RedQueueDisc", "MinTh", DoubleValue(6));',
            "several RedQueueDisc with different attributes",
        ),
    ],
)
def test_a_text_at_fault_is_refused(text: str, message: str) -> None:
    with pytest.raises(DialectError, match=message):
        read(text, "ns3")


def test_what_differs_from_the_initial_values_is_written() -> None:
    text = write("red", {}, "ns3", ConversionContext(10e6)).text
    assert all(part in text for part in ("LInterm=10", "Gentle=false", "QW=0", "MeanPktSize=1000", "10000000bps"))
    in_bytes = {"measure_in": "bytes", "limit": "30000B", "min_th": "5000B", "max_th": "15000B", "w_q": 0.002}
    assert "MaxSize=30000B|MinTh=5000|MaxTh=15000" in write("red", in_bytes, "ns3").text
    assert any("activation" in item for item in write("pie", {}, "ns3").lost_settings)


def low(value: Any) -> str:
    return f'Config::SetDefault("ns3::RedQueueDisc::MinTh", DoubleValue({value}));\n'


@pytest.mark.parametrize(
    "text",
    [
        f"#if 0\n{low(9)}#endif\n{low(6)}",
        f"#if 0 // old\n{low(9)}#else\n{low(6)}#endif",
        f"#if 1\n{low(6)}#elif 1\n{low(7)}#else\n{low(8)}#endif",
        f"#if 0\n#if 1\n{low(8)}#else\n{low(9)}#endif\n{low(10)}#endif\n{low(6)}",
        f"#if 0\n{low(9)}#elif 0\n{low(8)}#elif 1\n{low(6)}#else\n{low(7)}#endif",
        f"{low(6)}#if 0\n it's \"unclosed\n#endif",
        f"#define LOW \\\n  {low(9)}{low(6)}",
        f"if (false) {{ {low(9)} }} {low(6)}",
        f"if (false) {low(9)} {low(6)}",
        f"if (0) {{ if (x) {{ {low(9)} }} else {{ {low(8)} }} }} else {{ {low(6)} }}",
        f"if (false) {{ {low(9)} }} else if (false) {{ {low(8)} }} else {{ {low(6)} }}",
        f"if (false) for (int i = 0; i < 3; i++) {{ {low(9)} }} {low(6)}",
        f"while (false) {{ {low(9)} }} {low(6)}",
    ],
)
def test_what_is_never_compiled_or_run_is_no_setting(text: str) -> None:
    found = read(text, "ns3")
    assert found.parameters["min_th"] == 6
    assert found == read(low(6), "ns3")
    assert not any("condition" in note for note in found.notes)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        (f"#ifdef BYTES\n{low(6)}#endif", "settings between #if and #endif are"),
        (f'if (type == "RED") {{ {low(6)} }}', 'statements below if (type=="RED") are'),
        (f"if (verbose) {{ f(); }} else {{ {low(6)} }}", "statements below if (verbose) are"),
        (f"double n = 9; if (bytes) {{ n = 6; }} {low('n')}", "statements below if (bytes) are"),
        (f"switch (type) {{ case 1: {low(6)} }}", "statements below switch (type) are"),
        ('import ns\nif red:\n    ns.Config.SetDefault("ns3::RedQueueDisc::MinTh", ns.DoubleValue(6))',
         "statements below if are"),
    ],
)  # fmt: skip
def test_settings_below_a_condition_are_noted(text: str, condition: str) -> None:
    found = read(text, "ns3")
    assert found.parameters["min_th"] == 6
    assert f"{condition} read, whatever the condition" in found.notes


def test_conditions_without_settings_are_not_noted() -> None:
    assert read(f"if (verbose) {{ LogEnable(); }} {low(6)}", "ns3").notes == read(low(6), "ns3").notes


@pytest.mark.parametrize("change", ["n += 3;", "n *= 2;", "n++;", "--n;"])
def test_a_variable_that_changes_is_no_constant(change: str) -> None:
    with pytest.raises(DialectError, match="value of n is not a constant"):
        read(f"int n = 5; {change} {low('n')}", "ns3")
    assert read(f"int n = 5; if (n == 3) {{ f(); }} {low('n')}", "ns3").parameters["min_th"] == 5


INSTALLED = 'tch.SetRootQueueDisc("ns3::CoDelQueueDisc"); QueueDiscContainer c = tch.Install(devices);\n'
UNKNOWN = "of an object of unknown class"


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ('Ptr<QueueDisc> q = c.Get(0); q->SetAttribute("Target", TimeValue(MilliSeconds(20)));',
         f"Target: SetAttribute {UNKNOWN}"),
        ('c.Get(0)->SetAttribute("Target", TimeValue(MilliSeconds(20)));', f"Target: SetAttribute {UNKNOWN}"),
        ("q->SetAttribute(name, TimeValue(MilliSeconds(20)));", f"name: SetAttribute {UNKNOWN}"),
        ('factory.Set("Target", TimeValue(MilliSeconds(20)));', f"Target: Set {UNKNOWN}"),
        ('q->SetMaxSize(QueueSize("9p"));', "q SetMaxSize: a method that is not read"),
        ('tch.SetQueueLimits("ns3::DynamicQueueLimits");', "tch SetQueueLimits: a method that is not read"),
    ],
)  # fmt: skip
def test_a_setting_of_an_object_that_is_not_known_is_listed(text: str, lost: str) -> None:
    found = read(INSTALLED + text, "ns3")
    assert (found.parameters["target"], found.lost_settings) == ("5ms", [lost])


def test_the_size_of_a_queue_that_is_known_is_read() -> None:
    text = 'Ptr<FifoQueueDisc> q = CreateObject<FifoQueueDisc>(); q->SetMaxSize(QueueSize("9p"));'
    assert read(text, "ns3").parameters == {"limit": "9p"}


def test_deep_nesting_is_refused() -> None:
    for text in ("if (x) " * 60, "if (x) { " * 300, "f(" * 300):
        with pytest.raises(DialectError, match="deeply nested"):
            read(text + low(6), "ns3")
