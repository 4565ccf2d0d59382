"""``python -m validation.linux.tc_sent``: what a real ``tc`` sends to the kernel for lines of settings.

Each line is given to tc in a network namespace under ``strace``, which shows the message, or that tc refuses the line.
Whether the kernel has the queue does not matter. The attributes have the names of ``linux/pkt_sched.h``.
"""

from __future__ import annotations

import json
import re
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from penstock.dialects.tc_table import QUEUES

__all__ = ["FILE", "recorded", "texts"]

FILE = Path(__file__).resolve().parents[2] / "tests" / "data" / "linux" / "tc_sent.json"

ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "codel": ("target", "limit", "interval", "ecn", "ce_threshold"),
    "fq_codel": ("target", "limit", "interval", "ecn", "flows", "quantum", "ce_threshold", "drop_batch",
                 "memory_limit", "ce_threshold_selector", "ce_threshold_mask"),
    "pie": ("target", "limit", "tupdate", "alpha", "beta", "ecn", "bytemode", "dq_rate_estimator"),
    "fq_pie": ("limit", "flows", "target", "tupdate", "alpha", "beta", "quantum", "memory_limit", "ecn_prob", "ecn",
               "bytemode", "dq_rate_estimator"),
    "cake": ("pad", "base_rate", "diffserv", "atm", "flow_mode", "overhead", "rtt", "target", "autorate", "memory",
             "nat", "raw", "wash", "mpu", "ingress", "ack_filter", "split_gso", "fwmark"),
    "fq": ("limit", "flow_limit", "quantum", "initial_quantum", "rate_enable", "defrate", "maxrate", "buckets_log",
           "refill_delay", "orphan_mask", "low_rate_threshold", "ce_threshold", "timer_slack", "horizon",
           "horizon_drop"),
    "red": ("parms", "stab", "max_p", "flags", "early_drop", "mark"),
    "choke": ("parms", "stab", "max_p"),
}  # fmt: skip
"""The attributes of a kind, from number 1 on."""

VALUES = {"limit": "500", "target": "7ms", "interval": "70ms", "ce_threshold": "1.5ms", "bandwidth": "20mbit",
          "rtt": "33ms", "overhead": "44", "mpu": "96", "memlimit": "4mb", "fwmark": "0xff", "flows": "512",
          "quantum": "300", "tupdate": "30ms", "alpha": "3", "beta": "18", "drop_batch": "32", "memory_limit": "8Mb",
          "ecn_prob": "20", "ce_threshold_selector": "0x01/0x01"}  # fmt: skip
"""A value for each key that has one."""

MORE = (
    "cake docsis ethernet",
    "cake pppoe-ptm ether-vlan",
    "cake pppoe-ptm ether-vlan ether-vlan",
    "cake atm overhead 40",
    "cake overhead 40 pppoe-ptm",
    "cake pppoe-ptm overhead 40",
    "cake conservative raw",
    "cake raw overhead 10",
    "cake raw ether-vlan",
    "cake overhead 10 conservative",
    "cake docsis conservative",
    "cake docsis raw",
    "cake mpu 64 raw",
    "cake bandwidth 1.5gbit",
    "cake bandwidth 10mbps",
    "cake bandwidth 2500kibit",
    "cake overhead -4 mpu 64 ptm noatm",
    "cake overhead -65",
    "cake overhead 257",
    "cake mpu 257",
    "cake internet lan",
    "cake diffserv5",
    "cake bandwidht 1mbit",
    "cake bandwidth 10xbit",
    "cake rtt",
    "cake bandwidth 20mbit besteffort dual-dsthost nat wash ingress ack-filter",
    "cake docsis bandwidth 20mbit",
    "cake bandwidth 20mbit docsis besteffort",
    "cake ethernet ether-vlan mpu 90",
    "fq_codel limit 0x10",
    "fq_codel limit 010",
    "fq_codel limit -5",
    "fq_codel target 5xs",
    "fq_codel target",
    "fq_codel tagret 5ms",
    "fq_codel ecn 5",
    "fq_codel target 1500 interval 30msecs",
    "fq_codel target 0.1s",
    "fq_codel memory_limit 32Mb",
    "fq_codel memory_limit 1gb",
    "fq_codel quantum 1k",
    "codel limit 5p",
    "codel ecn limit 9",
    "codel TARGET 5",
    "codel target 5 MS",
    "codel target 5MS",
    "codel interval 1.234567s",
    "pie alpha 33",
    "pie alpha 2.5",
    "pie alpha -1",
    "pie alpha 32 beta 0",
    "pie target 1us",
    "fq_pie ecn_prob 100",
    "fq_pie ecn ecn_prob 99",
    "red limit 60000",
    "red avpkt 1000",
    "red limit 60000 avpkt 1000",
    "red limit 400000 min 30000 max 90000 avpkt 1000",
    "red limit 400000 min 30000 max 90000 avpkt 1000 burst 55 ecn adaptive bandwidth 10Mbit",
    "red limit 60000 avpkt 1000 min 5000 max 6000 burst 2",
    "red limit 60k min 5k max 15k avpkt 1k burst 20 ecn harddrop",
    "red limit 60000 min 30000 max 30001 avpkt 1000 burst 40 probability 1.0",
    "red limit 60k min 5k max 15k avpkt 1k nodrop",
    "red limit 400000 min 30000 max 90000 avpkt 1000 probability 1",
    "red limit 9000 min 1000 max 4000 avpkt 500 probability 1",
    "red limit 60000 min 5000 max 15000 avpkt 1000 probability 0",
    "red limit 9999999 avpkt 1500 probability 0.123",
    "choke limit 60",
    "choke limit 60 bandwidth 10mbit",
    "choke limit 60 min 5 max 15 avpkt 500 burst 20 probability 0.1 ecn bandwidth 10mbit",
    "sfq limit 1",
    "sfq perturb 10 divisor 1024 headdrop",
    "sfq perturb 10s",
    "sfq redflowlimit 100000 min 8000 max 60000 probability 0.20 ecn headdrop limit 3000 flows 512",
    "sfb target 20 max 25 rehash 600000 db 60000",
    "sfb rehash 600s",
    "sfb foo",
    "fq pacing nopacing horizon 10s",
    "fq pri 5",
    "fq ce_threshold 4ms quantum 3028 limit 100",
    "fq limit 5000 flow_limit 50 initial_quantum 30000 maxrate 10mbit defrate 5mbit",
    "fq initial_quantum 15140 flow_limit 100",
    "pfifo limit 5p",
    "pfifo limit 5.5",
    "pfifo packets 5",
    "bfifo limit 5kb",
    "tbf rate 1mbit burst 5k",
    "tbf rate 1mbit burst 5k limit 9k latency 50ms",
    "tbf rate 1mbit buffer 5k lat 50ms mpu 64 overhead 10",
    "tbf rate 1mbit burst 5k/8 limit 9k",
    "htb default 12 foo 3",
    "htb default 12 r2q 5",
    "prio bands 2",
    "prio bands 4 priomap 1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1",
    "prio foo",
    "netem delay 10ms 1ms 25% loss 1% duplicate 1% corrupt 0.1% reorder 25% 50% rate 1mbit limit 100",
    "netem loss gemodel 1% 10% 70% 0.1%",
    "netem dleay 10ms",
)


def texts() -> Iterator[str]:
    """Each key of the queues that have attributes of their own, alone and beside others, and the lines of `MORE`."""
    for kind in ("codel", "fq_codel", "pie", "fq_pie", "cake"):
        yield kind
        for key in QUEUES[kind].keys:
            if key.word in ("total_overhead", "hard_header_len"):
                continue
            value = [VALUES[key.word]] if key.arity else []
            yield " ".join([kind, key.word, *value])
            yield " ".join([kind, key.word, *value, "limit 700" if kind != "cake" else "bandwidth 9mbit"])
    yield from MORE


def sent(text: str) -> dict[str, Any]:
    """The attributes that tc sends for a text; "refused" if it sends none."""
    command = ["unshare", "--net", "strace", "-e", "trace=sendmsg", "-xx", "-s", "65536", "tc", "qdisc", "add", "dev",
               "lo", "root", *text.split()]  # fmt: skip
    shown = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    message = re.search(r"nlmsg_type=RTM_NEWQDISC.*", shown)
    if message is None:
        return {"text": text, "refused": True}
    found = re.search(r"nla_type=TCA_OPTIONS\}, \"((?:\\x[0-9a-f]{2})*)\"", message[0])
    raw = bytes.fromhex(found[1].replace("\\x", "")) if found else b""
    kind = text.split()[0]
    return {"text": text, "sent": attributes(kind, raw) if kind in ATTRIBUTES else {}}


def attributes(kind: str, raw: bytes) -> dict[str, int]:
    """The attributes in a message by their names; those of the structure of red and choke, too."""
    found: dict[str, int] = {}
    while len(raw) >= 4:
        length, number = struct.unpack_from("<HH", raw)
        name, value = ATTRIBUTES[kind][(number & 0x3FFF) - 1], raw[4:length]
        if name == "parms":
            names = ("limit", "min", "max", "Wlog", "Plog", "Scell_log", "flags")
            found |= dict(zip(names, struct.unpack("<IIIBBBB", value), strict=True))
        elif len(value) in (1, 4, 8):
            signed = name == "overhead"
            found[name] = int.from_bytes(value, "little", signed=signed)
        raw = raw[(length + 3) // 4 * 4 :]
    return found


def recorded() -> list[dict[str, Any]]:
    """The recorded lines."""
    return list(json.loads(FILE.read_text(encoding="utf-8"))["lines"])


def main() -> None:
    """Record all lines."""
    version = subprocess.run(["tc", "-V"], capture_output=True, text=True, check=True).stdout.strip()
    lines = [json.dumps(sent(text)) for text in dict.fromkeys(texts())]
    FILE.write_text(f'{{"tc": {json.dumps(version)}, "lines": [\n' + ",\n".join(lines) + "\n]}\n", encoding="utf-8")
    sys.stdout.write(f"{len(lines)} lines in {FILE}\n")


if __name__ == "__main__":
    main()
