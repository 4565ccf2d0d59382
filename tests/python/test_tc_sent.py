"""Lines for tc are read as tc itself reads them: by the messages that a real one sends to the kernel, as recorded."""

from __future__ import annotations

from typing import Any

import pytest
from penstock.dialects import Conversion, ConversionContext, DialectError, read
from penstock.units import parse_length, parse_rate, parse_signed_size, parse_size, parse_time

from validation.linux.tc_sent import recorded

LINES = recorded()
PAIRS = (("limit", "limit"), ("bandwidth", "bandwidth"), ("unlimited", "bandwidth"), ("pacing", "nopacing"))


def is_repeated(text: str) -> bool:
    """Whether a key is given again, or its opposite."""
    words = text.split()
    return any(first in words and second in words[words.index(first) + 1 :] for first, second in PAIRS)


REPEATED = [one["text"] for one in LINES if is_repeated(one["text"])]
"""Tc takes the last one of a key that is given again; here this is taken for a mistake."""
SENT = [one for one in LINES if one.get("sent") and one["text"] not in REPEATED]
REFUSED = [one["text"] for one in LINES if one.get("refused")]

LENIENT = {
    **dict.fromkeys(("red limit 60000", "choke limit 60"), "tc requires"),
    **dict.fromkeys(("codel limit 5p", "pfifo limit 5p", "sfb rehash 600s"), ""),
}
"""Lines that tc refuses and that are read: with what they lack in a note; and in the form in which tc prints them."""

CAKE_TINS = ("diffserv3", "diffserv4", "diffserv8", "besteffort", "precedence")
CAKE_FLOWS = ("flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost", "triple-isolate")
CAKE_FILTERS = ("off", "conservative", "aggressive")
"""Numbers of the words in the kernel's interface, linux/pkt_sched.h."""


def us(value: Any) -> int:
    return parse_time(value) // 1000


def count(value: Any) -> int:
    return int(parse_length(value).amount) if isinstance(value, str) else round(value)


PARAMETERS: dict[str, tuple[str, Any]] = {
    "target": ("target", us),
    "interval": ("interval", us),
    "ce_threshold": ("ce_threshold", us),
    "tupdate": ("t_update", us),
    "limit": ("limit", count),
    "flows": ("flows", count),
    "drop_batch": ("drop_batch", count),
    "quantum": ("quantum", parse_size),
    "ecn": ("ecn", int),
    "alpha": ("alpha", lambda value: round(16 * value)),
    "beta": ("beta", lambda value: round(16 * value)),
    "ecn_prob": ("mark_ecnth", lambda value: round(100 * value)),
    "rtt": ("rtt", us),
    "base_rate": ("bandwidth", lambda value: parse_rate(value) // 8),
    "diffserv": ("diffserv", CAKE_TINS.index),
    "flow_mode": ("isolation", CAKE_FLOWS.index),
    "wash": ("wash", int),
    "ingress": ("ingress", int),
    "ack_filter": ("ack_filter", CAKE_FILTERS.index),
    "memory": ("limit", parse_size),
    "min": ("min_th", parse_size),
    "max": ("max_th", parse_size),
}
"""The parameter of an attribute, and its number there."""
OF_KIND: dict[str, dict[str, tuple[str, Any]]] = {
    "fq": {**{name: PARAMETERS[name] for name in ("limit", "quantum")}, "flow_limit": ("depth", count)},
    "choke": {"limit": ("limit", count), "min": ("min_th", count), "max": ("max_th", count)},
}

LISTED: dict[str, tuple[str, int | None]] = {
    "memory_limit": ("memory_limit", None),
    "ce_threshold_selector": ("ce_threshold_selector", None),
    "ce_threshold_mask": ("ce_threshold_selector", None),
    "bytemode": ("bytemode", 0),
    "fwmark": ("fwmark", 0),
    "autorate": ("autorate-ingress", 0),
    "initial_quantum": ("initial_quantum", 15140),
    "maxrate": ("maxrate", None),
    "defrate": ("defrate", None),
}
"""The word by which an attribute without a parameter is listed, and the value that loses nothing."""

IGNORED = {
    "cake": {"pad", "nat", "raw", "split_gso", "target"},
    "fq": {"rate_enable", "buckets_log", "refill_delay", "orphan_mask", "low_rate_threshold", "timer_slack",
           "horizon", "horizon_drop"},
    "red": {"stab", "flags", "max_p", "Wlog", "Plog", "Scell_log"},
    "choke": {"stab", "flags", "max_p", "Wlog", "Plog", "Scell_log"},
}  # fmt: skip
"""Attributes without an effect on a simulated queue, or that follow from others; those of red are compared below."""


def words_of(found: Conversion) -> set[str]:
    """The words by which losses are listed."""
    return {item.split(":")[0].split()[0] for item in found.lost_settings}


def differences(found: Conversion, sent: dict[str, int], kind: str) -> list[str]:
    """Attributes that were read otherwise. Those without a parameter must be listed, or have their default."""
    faults = []
    parameters = OF_KIND.get(kind, PARAMETERS)
    for name, value in sent.items():
        if name in IGNORED.get(kind, ()) or (name, value) == ("autorate", 0):  # bandwidth ends autorate-ingress
            continue
        if name in parameters:
            parameter, number = parameters[name]
            if name == "base_rate" and value == 0:
                assert "bandwidth" not in found.parameters
            elif number(found.parameters[parameter]) != value:
                faults.append(f"{name} = {value} was read as {found.parameters[parameter]}")
        elif name == "dq_rate_estimator":
            faults += [] if found.parameters["delay"] == ("rate" if value else "timestamp") else [f"{name} = {value}"]
        elif name in LISTED or (kind == "fq" and name == "ce_threshold"):
            word, neutral = LISTED.get(name, (name, None))
            if (word in words_of(found)) != (value != neutral):
                faults.append(f"{name} = {value}: {found.lost_settings}")
        elif name not in ("overhead", "atm", "mpu"):
            faults.append(f"{name} = {value} is compared with nothing")
    faults += faults_of_cake(found, sent) if kind == "cake" else []
    return faults + (faults_of_red(found, sent) if kind in ("red", "choke") else [])


def faults_of_cake(found: Conversion, sent: dict[str, int]) -> list[str]:
    """The framing as sent; an overhead that cake here does not take is listed."""
    faults = []
    overhead = sent.get("overhead", 0)
    if parse_signed_size(found.parameters["overhead"]) != overhead and f"overhead {overhead}" not in " ".join(
        found.lost_settings
    ):
        faults.append(f"overhead {overhead} was read as {found.parameters['overhead']}")
    framing = (parse_size(found.parameters["mpu"]), ("none", "atm", "ptm").index(found.parameters["cells"]))
    if framing != (sent.get("mpu", 0), sent.get("atm", 0)):
        faults.append(f"mpu {sent.get('mpu')}, atm {sent.get('atm')}: {found.parameters}")
    return faults


def faults_of_red(found: Conversion, sent: dict[str, int]) -> list[str]:
    """The probability, the weight and the flags of RED; choke has but the flag of ecn."""
    faults = []
    flags = sent["flags"] & 0xFF
    max_p = sent["max_p"] / 2**32 or (sent["max"] - sent["min"]) / 2 ** sent["Plog"]
    ours = found.parameters
    if abs(ours["max_p"] - max_p) > 2**-32 or ours["w_q"] != 2.0 ** -sent["Wlog"]:
        faults.append(f"max_p {max_p} and w_q 2^-{sent['Wlog']} were read as {ours['max_p']} and {ours['w_q']}")
    wanted = (bool(flags & 1), bool(flags & 4), bool(flags & 8))
    if (bool(ours.get("ecn")), *(word in words_of(found) for word in ("adaptive", "nodrop"))) != wanted:
        faults.append(f"flags {flags} were read as {ours}")
    if found.scheme == "red" and ours.get("mark_up_to") != ("always" if flags & 1 and not flags & 2 else None):
        faults.append(f"flags {flags} were read as {ours}")
    return faults


@pytest.mark.parametrize("entry", SENT, ids=lambda one: str(one["text"]))
def test_a_line_is_read_as_tc_sends_it(entry: dict[str, Any]) -> None:
    found = read(entry["text"], "tc", ConversionContext())
    assert differences(found, entry["sent"], entry["text"].split()[0]) == []


@pytest.mark.parametrize("text", REPEATED)
def test_a_key_that_is_given_again_is_refused(text: str) -> None:
    with pytest.raises(DialectError, match=r"is given (twice|after)"):
        read(text, "tc")


@pytest.mark.parametrize("text", REFUSED)
def test_what_tc_refuses_is_refused(text: str) -> None:
    if text in LENIENT:
        assert LENIENT[text] in " ".join(read(text, "tc").notes)
        return
    with pytest.raises(DialectError):
        read(text, "tc")


def test_the_record_has_lines_of_each_kind() -> None:
    assert len(SENT) > 200
    assert len(REFUSED) > 30
    assert set(LENIENT) <= set(REFUSED)


NO_QUEUE = ("prio bands 2", "pfifo limit 5.5", "htb default 12 r2q 5")
"""Bands that the default priomap exceeds, a fraction that tc cuts off, a queue without its classes."""


@pytest.mark.parametrize("text", [one["text"] for one in LINES if not one.get("refused")])
def test_what_tc_takes_is_read(text: str) -> None:
    """Also keys that need others, and kinds whose message has no attributes of their own."""
    if text in NO_QUEUE or text in REPEATED:
        with pytest.raises(DialectError):
            read(text, "tc", ConversionContext(10e6))
    else:
        assert read(text, "tc", ConversionContext(10e6)).scheme
