"""Published rules that derive a scheme's parameters from the link."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from penstock.aqms.red_thresholds import DELAY_TARGET_S
from penstock.model import design
from penstock.scenario.loaded_link import LoadedLink
from penstock.tuning.floors import CODEL_INTERVAL_S, CODEL_TARGET_S, CODEL_VARIANTS, MIN_THRESHOLD

__all__ = ["Rule", "design_rules"]


@dataclass(frozen=True)
class Rule:
    """The parameters that a rule gives, and the source of the rule."""

    source: str
    parameters: dict[str, Any]


def design_rules(scheme: str, link: LoadedLink) -> list[Rule]:
    """The rules of a scheme that apply to this link. RED's are DCTCP's if the senders are scalable."""
    if scheme == "red" and link.is_scalable:
        return _step_rules(link)
    rules = _RULES.get(scheme)
    return [] if rules is None else rules(link)


def _red_rules(link: LoadedLink) -> list[Rule]:
    low = max(MIN_THRESHOLD, round(DELAY_TARGET_S * link.capacity / 2, 1))
    rules = [
        Rule(
            "S. Floyd, R. Gummadi, S. Shenker, Adaptive RED, 2001, sections 4.3 and 4.4",
            {"min_th": low, "max_th": round(3 * low, 1), "w_q": "auto", "gentle": True},
        )
    ]
    best = design.redopt(link.flows, link.capacity, link.rtt_s)
    numbers = [float(value) for value in (best.min_th, best.max_th, best.max_p, best.w_q)]
    if all(map(math.isfinite, numbers)) and 0 < numbers[0] < numbers[1] and 0 < numbers[2] <= 1:
        low, high, max_p, w_q = (float(f"{number:.3g}") for number in numbers)
        source = "REDopt: C. Brandauer et al., ISCC 2001; T. Ziegler et al., IWQoS 2001"
        rules.append(Rule(source, {"min_th": low, "max_th": high, "max_p": max_p, "w_q": w_q, "gentle": False}))
    return rules


def _step_rules(link: LoadedLink) -> list[Rule]:
    """DCTCP's step: mark each packet that arrives at a queue of K packets or more."""
    lengths = {"C RTT / 7 (section 3.4)": math.ceil(link.bdp / 7)}
    if link.rate_bps >= DCTCP_RATE:
        lengths["65 packets at 10 Gbit/s (section 3.5)"] = 65
    return [
        Rule(
            f"M. Alizadeh et al., Data Center TCP, SIGCOMM 2010: K = {text}",
            {
                "min_th": max(MIN_THRESHOLD, k),
                "max_th": max(MIN_THRESHOLD, k),
                "max_p": 1.0,
                "w_q": 1.0,
                "ecn": True,
                "mark_up_to": "always",
                "gentle": False,
            },
        )
        for text, k in lengths.items()
    ]


DCTCP_RATE = 9.9e9
"""10 Gbit/s, less a tolerance, in bit/s."""


def _wred_rules(link: LoadedLink) -> list[Rule]:
    """A single profile, for traffic without drop precedences."""
    low = float(f"{max(MIN_THRESHOLD, BDP_SHARE * link.bdp):.2g}")
    high = float(f"{min(3 * low, link.buffer_pkts):.2g}")
    if not low < high <= link.buffer_pkts:
        return []
    weight = float(f"{link.weight(AVERAGED_TRIPS):.2g}")
    parameters = {"min_th": [low], "max_th": [high], "max_p": [0.1], "w_q": weight, "gentle": False}
    return [Rule("rule of thumb: a third of the bandwidth-delay product, and three times that", parameters)]


BDP_SHARE = 1 / 3
AVERAGED_TRIPS = 5.0
"""Time constant of RED's average in round trips: several, so that it follows the load and not bursts."""


def _pi_rules(link: LoadedLink) -> list[Rule]:
    gains = design.pi_gains(link.flows, _longest(link), link.capacity, 170)
    a, b = (float(f"{float(gain):.4g}") for gain in (gains.a, gains.b))
    if not 0 < b < a <= 1:
        return []
    return [
        Rule(
            "C. Hollot et al., INFOCOM 2001: gains for the longest round trip", {"a": a, "b": b, "interval": "5.882ms"}
        )
    ]


def _lred_rules(link: LoadedLink) -> list[Rule]:
    bounds = design.lred_beta(link.flows, _longest(link), link.capacity)
    beta = float(f"{min(float(bound) for bound in bounds):.3g}")
    return [Rule("C. Wang et al., INFOCOM 2004: the largest stable gain", {"beta": beta})] if 0 < beta < 1000 else []


def _avq_rules(link: LoadedLink) -> list[Rule]:
    alpha = float(f"{float(design.avq_alpha(link.flows, _longest(link), link.capacity)):.3g}")
    return (
        [Rule("S. Kunniyur, R. Srikant, SIGCOMM 2001: the largest stable gain", {"alpha": alpha})] if alpha > 0 else []
    )


def _codel_rules(link: LoadedLink) -> list[Rule]:
    if SLOW_PACKETS * link.packet_s > CODEL_TARGET_S:
        target = float(f"{SLOW_PACKETS * link.packet_s:.2g}")
        interval = max(CODEL_INTERVAL_S, link.rtt_s) + target
        return [Rule(SLOW_LINK, {"target": f"{1e3 * target:g}ms", "interval": f"{1e3 * interval:.3g}ms"})]
    if CODEL_RTTS[0] <= link.rtt_s <= CODEL_RTTS[1]:
        return []
    interval = max(0.01, float(f"{link.rtt_s:.2g}"))
    target = max(0.05 * interval, link.packet_s)
    parameters = {"target": f"{1e3 * target:.3g}ms", "interval": f"{1e3 * interval:.3g}ms"}
    return [
        Rule(
            "RFC 8289, sections 4.2 and 4.3: the interval covers the round trips, "
            "and the target is 5 % of the interval",
            parameters,
        )
    ]


CODEL_RTTS = 0.01, 0.3
"""Round trips in seconds for which an interval of 100 ms performs excellently (RFC 8289, section 4.2)."""

SLOW_PACKETS = 1.5
SLOW_LINK = (
    "RFC 8290, section 5.2.2: on a slow link, the target is at least the transmission time of a packet (here 1.5 times "
    "that time), and the interval is extended by the target"
)


def _longest(link: LoadedLink) -> float:
    """The round trip through a full queue, in seconds."""
    return float(design.longest_rtt(link.buffer_pkts, link.capacity, link.rtt_s))


_RULES = {
    "red": _red_rules,
    "wred": _wred_rules,
    "pi": _pi_rules,
    "lred": _lred_rules,
    "avq": _avq_rules,
    **dict.fromkeys(CODEL_VARIANTS, _codel_rules),
}
