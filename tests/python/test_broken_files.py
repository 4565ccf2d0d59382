"""Broken scenario files: each is refused with exit code 2 and a line that names file, key, value and what is allowed."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from penstock.cli.app import app
from penstock.scenario.resolve import files

GOOD = """\
name = "small"
duration = "2s"
warmup = "0s"
sampling = "10ms"
seed = 1

[links.bottleneck]
from = "R1"
to = "R2"
rate = "1.5Mbit"
delay = "20ms"
queue = { scheme = "red", limit = "35p", min_th = 5, max_th = 15, max_p = 0.1 }
reverse = { queue = "same" }
watch = true

[links.left]
from = "S1"
to = "R1"
rate = "10Mbit"
delay = "2ms"

[links.right]
from = "R2"
to = "S3"
rate = "10Mbit"
delay = "4ms"

[traffic.bulk]
kind = "tcp"
flavour = "sack"
count = 2
from = "S1"
to = "S3"
packet = "1000B"
window = 20
start = "0s"
stop = "2s"

[traffic.udp]
kind = "cbr"
from = "S1"
to = "S3"
rate = "100kbit"
packet = "500B"
"""

QUEUE = 'queue = { scheme = "red", limit = "35p", min_th = 5, max_th = 15, max_p = 0.1 }'


def queue(settings: str) -> tuple[str, str]:
    """Another queue at the bottleneck."""
    return QUEUE, f"queue = {{ {settings} }}"


ISLAND = '\n[links.island]\nfrom = "X1"\nto = "X2"\nrate = "1Mbit"\ndelay = "1ms"\n'

# Name of the case: what is replaced by what, and what the message must say. The line is where the key then stands.
BROKEN: dict[str, tuple[tuple[str, str], list[str]]] = {
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
    "absurd duration": (('duration = "2s"', 'duration = "1e30s"'), [":2: duration", "absurdly large"]),
    "absurd rate": (('rate = "1.5Mbit"', 'rate = "1e30Mbit"'), ["links.bottleneck.rate", "absurdly large"]),
    "absurd delay": (('delay = "20ms"', 'delay = "1e30s"'), ["links.bottleneck.delay", "absurdly large"]),
    "absurd packet": (('packet = "1000B"', 'packet = "1e30B"'), ["traffic.bulk.packet", "absurdly large"]),
    "absurd limit": (queue('scheme = "red", limit = 1e30'), ["queue.limit = 1e+30", "absurdly large"]),
    "absurd exponent": (('delay = "20ms"', 'delay = "1e999999999s"'), ["links.bottleneck.delay", "absurdly large"]),
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
    # Topology.
    "link to itself": (('from = "R1"\nto = "R2"', 'from = "R1"\nto = "R1"'), [":9: links.bottleneck.to", "itself"]),
    "unknown node": (('from = "S1"\nto = "S3"\npacket = "1000B"', 'from = "S9"\nto = "S3"\npacket = "1000B"'),
                     [":32: traffic.bulk.from", 'no link touches a node "S9"', "nodes:"]),
    "misspelled node": (('to = "S3"\npacket', 'to = "s3"\npacket'), ["traffic.bulk.to", 'did you mean "S3"']),
    "flow to itself": (('to = "S3"\npacket', 'to = "S1"\npacket'), ["traffic.bulk.to", "to itself"]),
    "unreachable node": (('[traffic.bulk]', ISLAND + '\n[traffic.bulk]\npath = ["S1", "R1", "R2", "X1"]'),
                         ["traffic.bulk.path", 'no link joins "R2" and "X1"']),
    "island": (('to = "S3"\npacket = "500B"', 'to = "S3"\npacket = "500B"'), []),
    "path with a gap": (('flavour = "sack"', 'path = ["S1", "R2", "S3"]'), ["traffic.bulk.path", 'no link joins "S1" and "R2"']),
    "path that ends elsewhere": (('flavour = "sack"', 'path = ["S1", "R1", "R2"]'), ["traffic.bulk.path", "end at the node of to"]),
    "path in a circle": (('flavour = "sack"', 'path = ["S1", "R1", "S1", "R1"]'), ["traffic.bulk.path", "twice"]),
    "path through nowhere": (('flavour = "sack"', 'path = ["S1", "Q", "S3"]'), ["traffic.bulk.path", '"Q"']),
    "path of one node": (('flavour = "sack"', 'path = ["S1"]'), ["traffic.bulk.path", "at least 2"]),
    "path that is a text": (('flavour = "sack"', 'path = "S1-R1"'), ["traffic.bulk.path", "list"]),
    "no from": (('from = "S1"\nto = "R1"', 'to = "R1"'), ["links.left.from", "is missing"]),
    "no rate": (('rate = "1.5Mbit"\n', ""), ["links.bottleneck.rate", "is missing", "1.5Mbit"]),
    "no links": ((GOOD[GOOD.index("[links.bott") : GOOD.index("[traffic.bulk]")], ""), ["links", "is missing"]),
    "empty node": (('from = "R1"', 'from = ""'), ["links.bottleneck.from", "letters"]),
    "numbered copies without count": (('from = "R1"', 'from = "R{i}"'), ["links.bottleneck.from", "count"]),
    "copies that share a name": (
        ("[links.left]", '[links."left{i}"]\ncount = 2\nfrom = "A{i}"\nto = "R1"\nrate = "1Mbit"\ndelay = "1ms"\n\n'
         '[links.left1]\nfrom = "B"\nto = "R1"\nrate = "1Mbit"\ndelay = "1ms"\n\n[links.left]'),
        ["left1", "copy 1"],
    ),
    "link name with a dot": (("[links.left]", '[links."le.ft"]'), ["le.ft", "letters, digits"]),
    "same queue without a queue": ((QUEUE + "\n", ""), ["links.bottleneck.reverse.queue", "no queue"]),
    # Wrong types.
    "duration as a list": (('duration = "2s"', 'duration = ["2s"]'), [":2: duration"]),
    "duration as a date": (('duration = "2s"', "duration = 2024-01-01"), [":2: duration", "2024-01-01"]),
    "name as a number": (('name = "small"', "name = 5"), [":1: name = 5", "text in quotes"]),
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
    "scheme as a number": (queue("scheme = 5"), ["queue.scheme = 5", "text in quotes"]),
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
    "loss above 1": (("watch = true", "watch = true\nloss = { rate = 2 }"), [":15: links.bottleneck.loss.rate = 2", "between 0 and 1"]),
    "loss of both kinds": (("watch = true", "loss = { rate = 0.1, arrivals = [1] }"), ["links.bottleneck.loss", "either"]),
    "loss of a negative arrival": (("watch = true", "loss = { arrivals = [-1] }"), ["links.bottleneck.loss.arrivals", "between 0"]),
    "capacity from nowhere": (
        ("watch = true", 'change = [{ capacity = "nowhere.mahi" }]'), [":14: links.bottleneck.change[0].capacity", "No such file"],
    ),
    "capacity that is no trace": (
        ("watch = true", f'change = [{{ capacity = "{__file__}" }}]'), ["change[0].capacity", "whole number of milliseconds"],
    ),
    "capacity as a number": (("watch = true", "change = [{ capacity = 5 }]"), ["change[0].capacity = 5", "text in quotes"]),
    "capacity and rates": (
        ("watch = true", 'change = [{ capacity = "x" }, { at = "1s", rate = "1Mbit" }]'), ["links.bottleneck.change", "either"],
    ),
    "capacity with a time": (("watch = true", 'change = [{ at = "1s", capacity = "x" }]'), ["change[0].at", "unknown key"]),
    "gilbert without r": (("watch = true", "loss = { gilbert = { p = 0.1 } }"), [":14: links.bottleneck.loss.gilbert.r", "missing"]),
    "gilbert that stays bad": (("watch = true", "loss = { gilbert = { p = 0.1, r = 0 } }"), ["loss.gilbert.r = 0", "above 0"]),
    "gilbert above 1": (("watch = true", "loss = { gilbert = { p = 1.1, r = 1 } }"), ["loss.gilbert.p = 1.1", "between 0 and 1"]),
    "gilbert with another letter": (
        ("watch = true", "loss = { gilbert = { p = 0.1, q = 0.2, r = 1 } }"), ["loss.gilbert.q", "p, r, good, bad"],
    ),
    "gilbert as a number": (("watch = true", "loss = { gilbert = 0.1 }"), [":14: links.bottleneck.loss.gilbert = 0.1", "table"]),
    "outage as a table": (("watch = true", 'outage = { at = "1s", for = "1s" }'), [":14: links.bottleneck.outage", "list", '"2s"']),
    "outage as a time": (("watch = true", 'outage = ["1s"]'), [":14: links.bottleneck.outage[0]", "must be a table", '"2s"']),
    "outage without a length": (("watch = true", 'outage = [{ at = "1s" }]'), ["outage[0].for", "missing", 'for = "2s"']),
    "outage of no length": (("watch = true", 'outage = [{ at = "1s", for = "0s" }]'), ['outage[0].for = "0s"', "above 0s"]),
    "outage with a duration": (("watch = true", 'outage = [{ at = "1s", duration = "1s" }]'), ["outage[0].duration", '"for"']),
    "outages that overlap": (
        ("watch = true", 'outage = [{ at = "1.5s", for = "1s" }, { at = "1s", for = "600ms" }]'),
        ["links.bottleneck.outage", "from 1s to 1.6s", "at 1.5s"],
    ),
    "change as a table": (("watch = true", 'change = { every = "1s", rate = "1Mbit" }'), [":14: links.bottleneck.change", "list"]),
    "change as a text": (("watch = true", 'change = ["1Mbit"]'), ["links.bottleneck.change[0]", "must be a table", "every"]),
    "change of nothing": (("watch = true", 'change = [{ every = "1s" }]'), ["links.bottleneck.change[0]", "rate or a delay"]),
    "change at no time": (("watch = true", 'change = [{ rate = "1Mbit" }]'), ["change[0]", 'every = "500ms" or at']),
    "change at two times": (("watch = true", 'change = [{ at = "1s", every = "1s", rate = "1Mbit" }]'), ["change[0]", "either"]),
    "change all the time": (("watch = true", 'change = [{ every = "0s", rate = "1Mbit" }]'), ['change[0].every = "0s"', "above 0s"]),
    "change to no rate": (("watch = true", 'change = [{ at = "1s", rate = "0bit" }]'), ["change[0].rate", "above 0"]),
    "change to a rate without unit": (("watch = true", 'change = [{ at = "1s", rate = 5 }]'), ["change[0].rate = 5", "no unit"]),
    "change drawn in a wrong way": (
        ("watch = true", 'change = [{ every = "1s", rate = { unifrom = ["1Mbit", "2Mbit"] } }]'), ["change[0].rate", '"uniform"'],
    ),
    "change of something else": (("watch = true", 'change = [{ at = "1s", raet = "1Mbit" }]'), ["change[0].raet", '"rate"']),
    "change to a delay of hours": (
        ("watch = true", 'change = [{ at = "1s", delay = "20000s" }]'), [":14: links.bottleneck.change[0].delay", "10 000 s"],
    ),
    "dscp above 63": (("window = 20", "dscp = 64"), ["traffic.bulk.dscp = 64", "between 0 and 63"]),
    "dscp of no name": (("window = 20", 'dscp = "AF99"'), ["traffic.bulk.dscp", "AF11"]),
    # Not TOML.
    "unclosed quote": (('name = "small"', 'name = "small'), [":1: not TOML"]),
    "no value": (("seed = 1", "seed ="), [":5: not TOML"]),
    "no quotes": (('from = "R1"', "from = R1"), [":8: not TOML", "quote"]),
    "table twice": (("[links.right]", "[links.left]"), [":22: not TOML", "duplicate"]),
    "key twice": (("seed = 1", "seed = 1\nseed = 2"), [":6: not TOML", "duplicate"]),
    "unclosed table": (("[links.left]", "[links.left"), [":16: not TOML"]),
    "prose": ((GOOD, "Dear penstock,\nplease simulate a link.\n"), [":1: not TOML"]),
}  # fmt: skip
del BROKEN["island"]


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Run a command that must fail with exit code 2 and without a traceback; its messages."""
    with pytest.raises(SystemExit) as left:
        app(arguments, prog_name="penstock")
    printed = capsys.readouterr()
    assert left.value.code == 2, printed
    assert printed.out == ""
    assert printed.err
    assert "Traceback" not in printed.err
    return printed.err


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_refused_helpfully(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (before, after), told = BROKEN[case]
    assert GOOD.count(before) >= 1, f"{before!r} stands nowhere"
    monkeypatch.chdir(tmp_path)
    Path("link.toml").write_text(GOOD.replace(before, after, 1))
    said = refused(["check", "link.toml"], capsys)
    assert said.startswith("link.toml")
    for fragment in told:
        assert fragment in said
    assert refused(["run", "link.toml"], capsys) == said
    assert refused(["compare", "link.toml", "--scheme", "red", "--runs", "1"], capsys) == said


def test_there_are_enough_of_them() -> None:
    assert len(BROKEN) >= 100


def test_the_good_file_is_good(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "link.toml").write_text(GOOD)
    with pytest.raises(SystemExit) as left:
        app(["check", str(tmp_path / "link.toml")], prog_name="penstock")
    assert left.value.code == 0
    assert "limit" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is empty"),
        (b"\n# nothing here\n", "is empty"),
        (b"name = \"\xff\xfe\"\n", "not UTF-8"),
        (b"\xff\xfed\x00u\x00r\x00", "not UTF-8"),
        (b"\x00\x01\x02\x03", "not TOML"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "not UTF-8"),
        (b'{"duration": "1s"}', "not TOML"),
        (b"duration = \"1s\"\n", "links"),
        (b"[" * 5000, "not TOML"),
    ],
)  # fmt: skip
def test_what_is_no_scenario_at_all(
    content: bytes, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "link.toml"
    file.write_bytes(content)
    assert told in refused(["check", str(file)], capsys)


def test_files_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "thesis_link.toml").write_text(GOOD)
    near = f'did you mean "{tmp_path / "thesis_link.toml"}"?'
    assert near in refused(["check", str(tmp_path / "thesis_lnik.toml")], capsys)
    assert near in refused(["check", str(tmp_path / "thesis_lnik")], capsys)
    assert "did you mean" not in refused(["check", str(tmp_path / "pie.toml")], capsys)
    assert "cannot be read" in refused(["run", str(tmp_path)], capsys)
    assert "no such file" in refused(["run", str(tmp_path / "nowhere" / "x.toml")], capsys)


def test_all_faults_are_told_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = GOOD
    for before, after in (
        ('delay = "20ms"', "delay = 20"),
        ("window = 20", "windwo = 20"),
        ("count = 2", "count = -1"),
        ('packet = "500B"', 'packet = "500"'),
    ):
        text = text.replace(before, after, 1)
    file = tmp_path / "link.toml"
    file.write_text(text)
    said = refused(["check", str(file)], capsys)
    assert [said.count(word) for word in ("delay = 20", "windwo", "count = -1", 'packet = "500"')] == [1, 1, 1, 1]
    assert "4 errors; nothing was run" in said
    assert f"{file}:11: links.bottleneck.delay = 20:" in said


def test_faults_of_a_queue_are_told_beside_those_of_its_link(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither a missing end, a wrong rate or limit, nor a setting out of range hides what else is wrong."""
    broken = GOOD.replace('from = "R1"\n', "", 1).replace('rate = "1.5Mbit"', 'rate = "1.5"').replace(
        QUEUE, 'queue = { scheme = "red", limit = "35q", min_th = 30, max_th = 15, max_p = 2 }'
    )  # fmt: skip
    file = tmp_path / "link.toml"
    file.write_text(broken, encoding="utf-8")
    said = refused(["check", str(file)], capsys)
    paths = [line.split(": ")[1].split(" = ")[0].removeprefix("links.bottleneck.") for line in said.splitlines()[:-1]]
    assert sorted(paths) == ["from", "queue.limit", "queue.max_p", "queue.min_th", "rate"]
    # A comparison with the default of a setting that is at fault itself says nothing.
    file.write_text(GOOD.replace(QUEUE, 'queue = { scheme = "red", limit = "35p", min_th = 30, max_th = "x" }'))
    assert refused(["check", str(file)], capsys).count("links.bottleneck.queue") == 1


def test_a_link_that_is_no_table_leaves_no_traceback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = GOOD.replace("[links.bottleneck]", "[links]\na = 1\n[links.bottleneck]")
    broken = broken.replace('from = "S1"\nto = "S3"\nrate', 'from = "X"\nto = "S3"\npath = ["X", "R1", "S3"]\nrate')
    (tmp_path / "link.toml").write_text(broken, encoding="utf-8")
    said = refused(["check", str(tmp_path / "link.toml")], capsys)
    assert "links.a = 1: must be a table, [links.a], not a number" in said


@pytest.mark.parametrize(
    ("table", "key", "value"),
    [
        ("links.left", "change", '[{ capacity = "FILE" }]'),
        ("links.left", "jitter", '{ file = "FILE" }'),
        ("traffic.again", "kind", '"replay"\nfrom = "S1"\nto = "S3"\nfile = "FILE"'),
    ],
)
def test_files_of_a_scenario_are_regular_and_bounded(
    table: str,
    key: str,
    value: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "long").write_text("1\n" * 8)
    monkeypatch.setattr(files, "MOST_BYTES", 15)
    for name, words in (("/dev/zero", "is not a regular file"), (str(tmp_path / "pipe"), "is not a regular file"),
                        (str(tmp_path), "is not a regular file"), (str(tmp_path / "long"), "has 16B; a file has at most 15B"),
                        (str(tmp_path / "none"), "cannot be read: No such file")):  # fmt: skip
        broken = f"{GOOD}\n[{table}]\n" if table not in GOOD else GOOD
        broken = broken.replace(f"[{table}]\n", f"[{table}]\n{key} = {value.replace('FILE', name)}\n")
        (tmp_path / "link.toml").write_text(broken, encoding="utf-8")
        assert words in refused(["check", str(tmp_path / "link.toml")], capsys)


def test_thousands_of_unknown_keys_are_told_at_once_and_in_short(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "link.toml").write_text("".join(f"key{i} = 1\n" for i in range(20_000)) + GOOD, encoding="utf-8")
    begun = time.process_time()
    said = refused(["check", str(tmp_path / "link.toml")], capsys).splitlines()
    assert time.process_time() - begun < 5
    assert said[0].endswith("has 20000 unknown keys, the first of them below")
    assert len(said) == 22


@pytest.mark.parametrize("scheme", ["pie", "fq-pie"])
def test_mean_packets_that_the_law_takes_from_the_traffic_are_shown(
    scheme: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "link.toml"
    file.write_text(GOOD.replace(QUEUE, f'queue = {{ scheme = "{scheme}", limit = "100p" }}'), encoding="utf-8")
    with pytest.raises(SystemExit) as left:
        app(["check", str(file)], prog_name="penstock")
    assert left.value.code == 0
    assert "100 kB in packets of 1000 B" in capsys.readouterr().out
    none = f'queue = {{ scheme = "{scheme}", limit = "100p", mean_packet = "0B" }}'
    file.write_text(GOOD.replace(QUEUE, none), encoding="utf-8")
    assert "queue.mean_packet" in refused(["check", str(file)], capsys)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--set", "links.bottleneck.queue.max_q=1"], "links.bottleneck.queue.max_q = 1"),
        (["--set", "links.botleneck.rate=1Mbit"], 'did you mean "bottleneck"'),
        (["--set", "rate"], "PATH=VALUE"),
        (["--set", "=5"], "PATH=VALUE"),
        (["--set", "duration=5"], "--set: duration = 5"),
        (["--set", "name.x=5"], "is not a table"),
        (["--set", "links[3].rate=5"], "no such item"),
        (["--set", "links.bottleneck.queue.scheme=blu"], "unknown scheme"),
    ],
)  # fmt: skip
def test_settings_on_the_command_line_are_checked_too(
    options: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "link.toml"
    file.write_text(GOOD)
    assert told in refused(["run", str(file), *options], capsys)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--scheme", "rde"], 'did you mean "red"'),
        (["--scheme", "red:max_q=1"], 'did you mean "max_p"'),
        (["--scheme", "red:max_p"], "is not a setting such as max_p=0.1"),
        (["--scheme", "red:max_p=5"], "max_p = 5"),
        (["--scheme", "red:min_th=20,max_th=10"], "--scheme red:min_th=20,max_th=10"),
        (["--scheme", "bernoulli"], "p: is missing"),
        (["--scheme", "@nowhere.toml"], "no such file"),
        (["--scheme", "red", "--at", "botleneck"], 'did you mean "bottleneck"'),
        (["--scheme", "red", "--vary", "traffic.bulk.count"], "PATH=a,b,c"),
        (["--scheme", "red", "--vary", "traffic.bluk.count=1,2"], 'did you mean "bulk"'),
        (["--scheme", "red", "--vary", "traffic.bulk.count=1,-2"], "count = -2"),
        (["--scheme", "red", "--precision", "5"], "METRIC=1%"),
        (["--scheme", "red", "--precision", "loss=1%", "--runs", "2"], 'no metric "loss"; did you mean "loss_rate"'),
        (["--scheme", "red", "--json", "/"], "cannot be written"),
    ],
)  # fmt: skip
def test_comparisons_are_checked_before_anything_is_run(
    options: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "link.toml"
    file.write_text(GOOD)
    assert told in refused(["compare", str(file), *options], capsys)
