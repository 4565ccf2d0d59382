"""Wrong keys, values and types: each is refused with exit code 2 and a line that names file, key, value and what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from .broken import GOOD, ISLAND, QUEUE, Case, queue, refuse_case

BROKEN: dict[str, Case] = {
    # Keys that do not exist.
    "unknown key at the top": (('name = "small"', 'nmae = "small"'), [":1: nmae", "unknown key", 'did you mean "name"']),
    "unknown table": (("[traffic.udp]", "[trafic.udp]"), [":39: trafic", 'did you mean "traffic"']),
    "unknown key of a link": (('delay = "20ms"', 'dealy = "20ms"'), [":11: links.bottleneck.dealy", 'did you mean "delay"']),
    "bandwidth": (('rate = "1.5Mbit"', 'bandwidth = "1.5Mbit"'), [":10: links.bottleneck.bandwidth", 'did you mean "rate"']),
    "unknown parameter": (queue('scheme = "red", min_treshold = 5'), [":12:", "queue.min_treshold = 5", "did you mean"]),
    "parameter in another dialect": (queue('scheme = "red", linterm = 10'), ["queue.linterm = 10", '"max_p"']),
    "parameter of another scheme": (queue('scheme = "red", target = "10p"'), ["queue.target", "unknown key", "known here"]),
    "unknown key of tcp": (("window = 20", "windows = 20"), [":35: traffic.bulk.windows = 20", 'did you mean "window"']),
    "unknown key of cbr": (('packet = "500B"', 'packetsize = "500B"'), ["traffic.udp.packetsize", 'did you mean "packet"']),
    "unknown key of reverse": (
        ('reverse = { queue = "same" }', 'reverse = { queues = "same" }'),
        [":13: links.bottleneck.reverse.queues", 'did you mean "queue"'],
    ),
    "scheduler": (queue('scheme = "red", classes = []'), ["queue.classes", "red has no classes", "wfq"]),
    # Schemes and kinds that do not exist.
    "unknown scheme": (queue('scheme = "redd"'), ['queue.scheme = "redd"', 'did you mean "red"', "droptail"]),
    "ambiguous scheme": (queue('scheme = "gred"'), ["ambiguous", "gentle"]),
    "no scheme": (queue('limit = "35p"'), ["queue.scheme", "is missing"]),
    "unknown kind": (('kind = "tcp"', 'kind = "tpc"'), [":29: traffic.bulk.kind", 'did you mean "tcp"']),
    "no kind": (('kind = "tcp"\n', ""), ["traffic.bulk.kind", "is missing"]),
    "unknown flavour": (('flavour = "sack"', 'flavour = "sak"'), [":30: traffic.bulk.flavour", 'did you mean "sack"', "vegas"]),
    "unknown profile": (('flavour = "sack"', 'profile = "ns3"'), ["traffic.bulk.profile", "ns2", "linux"]),
    # Units.
    "rate without unit": (('rate = "1.5Mbit"', "rate = 1500000"), [":10: links.bottleneck.rate = 1500000", "no unit", "Mbit"]),
    "rate text without unit": (('rate = "1.5Mbit"', 'rate = "1500000"'), ["links.bottleneck.rate", "no unit"]),
    "mbps": (('rate = "1.5Mbit"', 'rate = "1.5mbps"'), ["bytes per second", "Mbit", "MB/s"]),
    "kbps": (('rate = "100kbit"', 'rate = "100kbps"'), ["traffic.udp.rate", "bytes per second", "kbit"]),
    "MBIT": (('rate = "1.5Mbit"', 'rate = "1.5MBIT"'), ['did you mean "Mbit"']),
    "rate in bytes": (('rate = "1.5Mbit"', 'rate = "1.5MB"'), ['did you mean "MB/s"']),
    "rate in seconds": (('rate = "1.5Mbit"', 'rate = "1.5s"'), ["links.bottleneck.rate", 'unknown unit "s"']),
    "delay without unit": (('delay = "20ms"', "delay = 20"), [":11: links.bottleneck.delay = 20", "no unit", "ms"]),
    "delay in Mbit": (('delay = "20ms"', 'delay = "20Mbit"'), ['unknown unit "Mbit"', "ms"]),
    "delay in msec": (('delay = "20ms"', 'delay = "20msec"'), ['unknown unit "msec"', '"20ms"']),
    "duration without unit": (('duration = "2s"', "duration = 2"), [":2: duration = 2", "no unit"]),
    "packet without unit": (('packet = "1000B"', "packet = 1000"), [":34: traffic.bulk.packet = 1000", "no unit"]),
    "packet in KB": (('packet = "1000B"', 'packet = "1KB"'), ["kB", "KiB"]),
    "packet in packets": (('packet = "1000B"', 'packet = "1p"'), ["a size is needed", "1500B"]),
    "limit in an unknown unit": (queue('scheme = "red", limit = "35q"'), ["queue.limit", 'unknown unit "q"', '"inf"']),
    "limit as share of itself": (queue('scheme = "red", limit = "50%"'), ["queue.limit", "share of itself"]),
    "words instead of a rate": (('rate = "1.5Mbit"', 'rate = "fast"'), ["links.bottleneck.rate", "1.5Mbit"]),
    "probability in quotes": (queue('scheme = "red", max_p = "0.1"'), ["queue.max_p", "without quotes"]),
    "probability of 1/0": (queue('scheme = "red", max_p = "1/0"'), ["queue.max_p", "1/50"]),
    "time as threshold without rate": (
        ('rate = "1.5Mbit"\ndelay = "20ms"\n' + QUEUE, 'rate = { uniform = ["1Mbit", "2Mbit"] }\ndelay = "20ms"\n'
         'queue = { scheme = "red", limit = "100ms" }'),
        ["queue.limit", "fixed rate"],
    ),
    # Negative, zero, absurd.
    "negative delay": (('delay = "20ms"', 'delay = "-20ms"'), ["links.bottleneck.delay", "cannot be negative"]),
    "negative rate": (('rate = "1.5Mbit"', 'rate = "-1.5Mbit"'), ["links.bottleneck.rate", "cannot be negative"]),
    "no rate at all": (('rate = "1.5Mbit"', 'rate = "0Mbit"'), ["links.bottleneck.rate", "above 0"]),
    "negative threshold": (queue('scheme = "red", min_th = -5'), ["queue.min_th = -5", "cannot be negative"]),
    "negative limit": (queue('scheme = "red", limit = -35'), ["queue.limit = -35", "cannot be negative"]),
    "limit of nothing": (queue('scheme = "red", limit = 0'), ["queue.limit = 0", "at least 1"]),
    "half a packet": (queue('scheme = "droptail", limit = 2.5'), ["queue.limit = 2.5", "whole number"]),
    "negative count": (("count = 2", "count = -2"), [":31: traffic.bulk.count = -2", "between 0 and"]),
    "half a flow": (("count = 2", "count = 2.5"), ["traffic.bulk.count = 2.5", "whole number"]),
    "count in quotes": (("count = 2", 'count = "2"'), ['traffic.bulk.count = "2"', "whole number"]),
    "too many flows": (("count = 2", "count = 1000000000000"), ["traffic.bulk.count", "between 0 and"]),
    "negative seed": (("seed = 1", "seed = -1"), [":5: seed = -1", "between 0 and"]),
    "seed in quotes": (("seed = 1", 'seed = "1"'), [":5: seed", "whole number"]),
    "no duration": (('duration = "2s"', 'duration = "0s"'), [":2: duration", "above 0s"]),
    "negative duration": (('duration = "2s"', 'duration = "-2s"'), [":2: duration", "cannot be negative"]),
    "absurd duration": (('duration = "2s"', 'duration = "1e30s"'), [":2: duration", "too large"]),
    "absurd rate": (('rate = "1.5Mbit"', 'rate = "1e30Mbit"'), ["links.bottleneck.rate", "too large"]),
    "absurd delay": (('delay = "20ms"', 'delay = "1e30s"'), ["links.bottleneck.delay", "too large"]),
    "absurd packet": (('packet = "1000B"', 'packet = "1e30B"'), ["traffic.bulk.packet", "too large"]),
    "absurd limit": (queue('scheme = "red", limit = 1e30'), ["queue.limit = 1e+30", "too large"]),
    "absurd exponent": (('delay = "20ms"', 'delay = "1e999999999s"'), ["links.bottleneck.delay", "too large"]),
    "number beyond 128 bits": (("seed = 1", "seed = " + "9" * 60), ["seed"]),
    "packet of a megabyte": (('packet = "1000B"', 'packet = "1MB"'), ["traffic.bulk.packet", "65535"]),
    "packet of nothing": (('packet = "500B"', 'packet = "0B"'), ["traffic.udp.packet", "between 1B and 65535B"]),
    "not a number": (queue('scheme = "red", max_p = nan'), ["queue.max_p", "finite"]),
    "infinite": (queue('scheme = "red", min_th = inf'), ["queue.min_th", "finite"]),
    "max_p above 1": (queue('scheme = "red", max_p = 1.5'), ["queue.max_p = 1.5", "1"]),
    "w_q above 1": (queue('scheme = "red", w_q = 2'), ["queue.w_q = 2", "1"]),
    "window of nothing": (("window = 20", "window = 0"), ["traffic.bulk.window = 0", "1"]),
    # Contradictions.
    "thresholds the wrong way round": (
        queue('scheme = "red", limit = "35p", min_th = 20, max_th = 15'),
        [":12: links.bottleneck.queue.m", "max_th", "15"],
    ),
    "thresholds alike": (queue('scheme = "red", limit = "35p", min_th = 15, max_th = 15'), [":12: links.bottleneck.queue.m"]),
    "target above the limit": (queue('scheme = "psand", limit = "35p", target = "50p"'), ["queue.target", "35"]),
    "bounds the wrong way round": (
        queue('scheme = "psand", limit = "35p", max_p_low = 0.5, max_p_high = 0.1'),
        ["queue.max_p_", "max_p_"],
    ),
    "warmup after the end": (('warmup = "0s"', 'warmup = "5s"'), [":3: warmup", "below the duration (2s)"]),
    "sampling after the end": (('sampling = "10ms"', 'sampling = "5s"'), [":4: sampling", "duration (2s)"]),
    "no sampling": (('sampling = "10ms"', 'sampling = "0s"'), [":4: sampling", "above 0s"]),
    "stop before start": (('start = "0s"\nstop = "2s"', 'start = "1s"\nstop = "0.5s"'), [":37: traffic.bulk.stop", "after the start"]),
    "start after the end": (('start = "0s"\nstop = "2s"', 'start = "50s"'), ["traffic.bulk.start", "before the end"]),
    "packets and bytes": (("window = 20", 'packets = 5\nbytes = "5kB"'), ["traffic.bulk.bytes", "either"]),
    "BDP without a flow": (
        ('rate = "10Mbit"\ndelay = "2ms"', 'rate = "10Mbit"\ndelay = "2ms"\n' + ISLAND.replace(
            'delay = "1ms"', 'delay = "1ms"\nqueue = { scheme = "droptail", limit = "2BDP" }')),
        ["links.island.queue.limit", "round-trip time", "rtt"],
    ),
    # Wrong types.
    "duration as a list": (('duration = "2s"', 'duration = ["2s"]'), [":2: duration"]),
    "duration as a date": (('duration = "2s"', "duration = 2024-01-01"), [":2: duration", "2024-01-01"]),
    "name as a number": (('name = "small"', "name = 5"), [":1: name = 5", "quoted string"]),
    "links as a text": ((GOOD[GOOD.index("[links.bott") : GOOD.index("[traffic.bulk]")], 'links = "R1-R2"\n'),
                        ["links", "must be a table"]),
    "a link as a number": (("[links.left]", "[links]\nfoo = 5\n\n[links.left]"), ["links.foo = 5", "must be a table"]),
    "traffic as a list": (("[traffic.udp]", "[[traffic.udp]]"), ["traffic.udp", "must be a table"]),
    "queue as a text": ((QUEUE, 'queue = "red"'), [":12: links.bottleneck.queue", "must be a table"]),
    "reverse as a text": (('reverse = { queue = "same" }', 'reverse = "same"'), [":13: links.bottleneck.reverse", "table"]),
    "reverse with another word": (('{ queue = "same" }', '{ queue = "as there" }'), ["reverse.queue", '"same"']),
    "watch in quotes": (("watch = true", 'watch = "yes"'), [":14: links.bottleneck.watch", "true or false"]),
    "gentle in quotes": (queue('scheme = "red", gentle = "true"'), ["queue.gentle", "true or false, without quotes"]),
    "gentle as a number": (queue('scheme = "red", gentle = 1'), ["queue.gentle = 1", "true or false"]),
    "threshold as a list": (queue('scheme = "red", min_th = [5]'), ["queue.min_th = [5]", "35p"]),
    "word that is not a choice": (queue('scheme = "red", spacing = "wiat"'), ["queue.spacing", 'did you mean "wait"']),
    "word for a weight": (queue('scheme = "red", w_q = "atuo"'), ["queue.w_q", '"auto"']),
    "scheme as a number": (queue("scheme = 5"), ["queue.scheme = 5", "quoted string"]),
    "share as a number": (queue('scheme = "red", share = 5'), ["queue.share = 5", "[5, 15]"]),
    "share the wrong way round": (queue('scheme = "red", share = [[15, 5]]'), ["queue.share", "a < b"]),
    "nodes as a number": (('from = "S1"\nto = "S3"\npacket', 'from = 5\nto = "S3"\npacket'), ["traffic.bulk.from = 5", "node"]),
    "no nodes": (('from = "S1"\nto = "S3"\npacket', 'from = []\nto = "S3"\npacket'), ["traffic.bulk.from = []", "at least 1"]),
    # Values that are drawn.
    "two ways to draw": (('delay = "20ms"', 'delay = { uniform = ["1ms", "2ms"], exp = "1ms" }'),
                         ["links.bottleneck.delay", "exactly one of"]),
    "unknown way to draw": (('delay = "20ms"', 'delay = { unifrom = ["1ms", "2ms"] }'), ['did you mean "uniform"']),
    "uniform with one end": (('delay = "20ms"', 'delay = { uniform = ["1ms"] }'), ["list of two"]),
    "uniform the wrong way round": (('delay = "20ms"', 'delay = { uniform = ["2ms", "1ms"] }'), ["lower end first"]),
    "pareto without shape": (('delay = "20ms"', 'delay = { pareto = "2ms" }'), ["shape"]),
    "linear for traffic": (('rate = "100kbit"', 'rate = { linear = ["1kbit", "2kbit"] }'), ["traffic.udp.rate", "linear"]),
    "list of nothing": (('delay = "20ms"', "delay = { list = [] }"), ["links.bottleneck.delay", "at least one"]),
    "drawing from a file": (('delay = "20ms"', 'delay = { file = "x.csv" }'), ["cannot be read"]),
    "start with an unknown key": (('start = "0s"', 'start = { frist = "1s" }'), ["traffic.bulk.start", 'did you mean "first"']),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_refused_helpfully(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    refuse_case(BROKEN[case], tmp_path, monkeypatch, capsys)


def test_there_are_enough_of_them() -> None:
    assert len(BROKEN) >= 107
