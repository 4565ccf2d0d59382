"""Table 4.1 and the constants of Section 4.3: longest round trips and design rules."""

from __future__ import annotations

from collections.abc import Iterator

import penstock as ps
from penstock.papers.alemu_2004.setup import BUFFER, R_DESIGN, C
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Condition, Sample, all_of
from penstock.results.table import Labels, Table

__all__ = ["claims", "rows"]

PROPAGATION = {"same": 2 * (0.003 + 0.020 + 0.004), "diff": 2 * (0.200 + 0.020 + 0.004)}
"""Twice the longest way of Figures 2.2 and 4.1, in seconds."""


def rows(_: Effort) -> list[tuple[Labels, dict[str, float]]]:
    """The rules with the round trip of Table 4.1 and with the one that the printed constants follow from."""
    found: list[tuple[Labels, dict[str, float]]] = []
    for topology, propagation in PROPAGATION.items():
        longest = float(ps.model.longest_rtt(BUFFER, C, propagation))
        found.append(({"what": "R+", "topology": topology}, {"Tp": propagation, "R+": longest}))
    for radius in (R_DESIGN["same"], 0.241):
        gains = ps.model.pi_gains(3, radius, C, 170)
        values = {
            "a": float(gains.a),
            "b": float(gains.b),
            "K11": float(ps.model.avq_alpha(3, radius, C, reading="k11")),
            "second bound": float(ps.model.lred_beta(3, radius, C).second),
            "beta at 103": float(ps.model.lred_beta(103, radius, C).phase),
            "root": float(ps.model.avq_alpha(3, radius, C, reading="printed")),
        }
        found.append(({"what": "rules", "R+": radius}, values))
    return found


def claims(table: Table) -> Iterator[Claim]:
    """Each printed number, truncated as it is printed."""
    yield Claim(
        id="tab4.1/c1",
        says="propagation delays and longest round trips",
        expected="Tp 54 and 448 ms, R+ 241 and 634 ms to 1 ms, C 187.5 packets per second",
        holds=all_of(
            condition.at(topology)
            for topology, propagation, longest in (("same", 0.054, 0.241), ("diff", 0.448, 0.634))
            for condition in (
                abs(table("Tp", topology=topology) - propagation) <= 1e-6,
                abs(table("R+", topology=topology) - longest) <= 0.001,
            )
        ),
        must_hold=True,
    )
    for number, says, expected, values, step in (
        ("pi-rule", "PI's gains", "a 0.000344519, b 0.000343499", {"a": 0.000344519, "b": 0.000343499}, 1e-9),
        ("avq-rule", "AVQ's alpha is K11, no root of the condition", "K11 = 0.251, no root", {"K11": 0.251}, 1e-3),
        ("lred-rule", "LRED's beta is the second bound, LRED*'s the first", "0.021 at 3 flows, 0.151 at 103",
         {"second bound": 0.021, "beta at 103": 0.151}, 1e-3),
    ):  # fmt: skip
        for radius, reading in ((R_DESIGN["same"], ""), (0.241, "R+ as in Table 4.1")):
            own = table.where(what="rules").where(**{"R+": radius})

            def cut(name: str, value: float, step: float = step, own: Table = own) -> Condition:
                return own(name).between(value - 1e-12, value + step).at(name)

            conditions = [cut(name, value) for name, value in values.items()]
            if number == "avq-rule":
                conditions.append((Sample(float(own("root").summary is None)) >= 1.0).at("no root"))
            yield Claim(
                id=f"{number}/c1",
                says=f"{says}, with R+ = {radius:g} s",
                expected=expected,
                holds=all_of(conditions),
                reading=reading,
                must_hold=not reading,
            )
