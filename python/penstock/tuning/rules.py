"""Published rules that set a scheme's parameters from the link: what advice has to beat, and where a search begins."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from penstock.aqms.red_thresholds import DELAY_TARGET_S
from penstock.model import design
from penstock.scenario.loaded_link import LoadedLink

__all__ = ["Rule", "rules_of"]


@dataclass(frozen=True)
class Rule:
    """A scheme's parameters by a rule, and the source of the rule."""

    source: str
    parameters: dict[str, Any]


def rules_of(scheme: str, link: LoadedLink) -> list[Rule]:
    """The rules for a scheme that have an answer on this link."""
    rules = _RULES.get(scheme)
    return [] if rules is None else rules(link)


def _red_rules(link: LoadedLink) -> list[Rule]:
    low = max(5.0, round(DELAY_TARGET_S * link.capacity / 2, 1))
    rules = [
        Rule(
            "S. Floyd, R. Gummadi, S. Shenker, Adaptive RED, 2001, sections 4.3 and 4.4",
            {"min_th": low, "max_th": round(3 * low, 1), "w_q": "auto", "gentle": True},
        )
    ]
    best = design.redopt(link.flows, link.capacity, link.rtt)
    numbers = [float(value) for value in (best.min_th, best.max_th, best.max_p, best.w_q)]
    if all(map(math.isfinite, numbers)) and 0 < numbers[0] < numbers[1] and 0 < numbers[2] <= 1:
        low, high, max_p, w_q = (float(f"{number:.3g}") for number in numbers)
        source = "REDopt: C. Brandauer et al., ISCC 2001; T. Ziegler et al., IWQoS 2001"
        rules.append(Rule(source, {"min_th": low, "max_th": high, "max_p": max_p, "w_q": w_q, "gentle": False}))
    return rules


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
    interval = max(0.01, link.rtt)
    target = max(0.05 * interval, link.packet_s)
    parameters = {"target": f"{1e3 * target:.3g}ms", "interval": f"{1e3 * interval:.3g}ms"}
    return [
        Rule("RFC 8289, sections 3.2 and 4.3: the interval covers the round trips, the target is 5 % of it", parameters)
    ]


def _longest(link: LoadedLink) -> float:
    """The round trip through a full queue."""
    return float(design.longest_rtt(link.buffer, link.capacity, link.rtt))


_RULES = {
    "red": _red_rules,
    "pi": _pi_rules,
    "lred": _lred_rules,
    "avq": _avq_rules,
    "codel": _codel_rules,
    "fq-codel": _codel_rules,
    "cobalt": _codel_rules,
}
