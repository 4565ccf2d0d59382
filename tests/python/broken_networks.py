"""Networks that cannot be: topology, paths, losses, outages and changes of links, and the message that each must get."""

from __future__ import annotations

from .broken import GOOD, ISLAND, QUEUE, Case

NETWORKS: dict[str, Case] = {
    # Topology.
    "link to itself": (('from = "R1"\nto = "R2"', 'from = "R1"\nto = "R1"'), [":9: links.bottleneck.to", "itself"]),
    "unknown node": (('from = "S1"\nto = "S3"\npacket = "1000B"', 'from = "S9"\nto = "S3"\npacket = "1000B"'),
                     [":32: traffic.bulk.from", 'no link touches a node "S9"', "nodes:"]),
    "misspelled node": (('to = "S3"\npacket', 'to = "s3"\npacket'), ["traffic.bulk.to", 'did you mean "S3"']),
    "flow to itself": (('to = "S3"\npacket', 'to = "S1"\npacket'), ["traffic.bulk.to", "to itself"]),
    "unreachable node": (('[traffic.bulk]', ISLAND + '\n[traffic.bulk]\npath = ["S1", "R1", "R2", "X1"]'),
                         ["traffic.bulk.path", 'no link joins "R2" and "X1"']),
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
    # Links that lose packets, break or change.
    "loss above 1": (("watch = true", "watch = true\nloss = { rate = 2 }"), [":15: links.bottleneck.loss.rate = 2", "between 0 and 1"]),
    "loss of both kinds": (("watch = true", "loss = { rate = 0.1, arrivals = [1] }"), ["links.bottleneck.loss", "either"]),
    "loss of a negative arrival": (("watch = true", "loss = { arrivals = [-1] }"), ["links.bottleneck.loss.arrivals", "between 0"]),
    "capacity from nowhere": (
        ("watch = true", 'change = [{ capacity = "nowhere.mahi" }]'), [":14: links.bottleneck.change[0].capacity", "No such file"],
    ),
    "capacity that is no trace": (
        ("watch = true", f'change = [{{ capacity = "{__file__}" }}]'), ["change[0].capacity", "whole number of milliseconds"],
    ),
    "capacity as a number": (("watch = true", "change = [{ capacity = 5 }]"), ["change[0].capacity = 5", "quoted string"]),
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
}  # fmt: skip
