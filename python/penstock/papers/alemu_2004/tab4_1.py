"""Table 4.1 and the constants of Section 4.3: longest round trips and design rules."""

from collections.abc import Iterator

import penstock as ps
from penstock.reproduce.figure import Claim, ReproductionEffort, Rows, Statement, every, judged_statement, metric
from penstock.results.sample import RunSample

from .setup import BUFFER, R_DESIGN, C, claim

PROPAGATION = {"same": 2 * (0.003 + 0.020 + 0.004), "diff": 2 * (0.200 + 0.020 + 0.004)}
"""Twice the delay of the longest path in Figures 2.2 and 4.1, in seconds."""


def rows(_: ReproductionEffort) -> Rows:
    """Rows of the design rules with the round trip of Table 4.1, and with the round trip of the printed constants."""
    for topology, propagation in PROPAGATION.items():
        longest = float(ps.model.longest_rtt(BUFFER, C, propagation))
        yield {"what": "R+", "topology": topology}, {"Tp": propagation, "R+": longest}
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
        yield {"what": "rules", "R+": radius}, values


def _times(propagation: float, longest: float, **at: str) -> Statement:
    return every(abs(metric("Tp") - propagation) <= 1e-6, abs(metric("R+") - longest) <= 0.001)(**at)


def _cut(name: str, value: float, step: float = 1e-3) -> Statement:
    """A printed number, which is truncated rather than rounded."""
    return metric(name).between(value - 1e-12, value + step)


def _rule(name: str, says: str, expected: str, *holds: Statement) -> Iterator[Claim]:
    for radius, reading in ((R_DESIGN["same"], ""), (0.241, "R+ as in Table 4.1")):
        own = every(*holds)(**{"what": "rules", "R+": radius})
        says_of = f"{says}, with R+ = {radius:g} s"
        yield Claim(f"{name}/c1", says_of, own, expected, reading=reading, must_hold=not reading)


CLAIMS = (
    claim(
        "tab4.1/c1", every(_times(0.054, 0.241, topology="same"), _times(0.448, 0.634, topology="diff")), must_hold=True
    ),
    *_rule(
        "pi-rule",
        "PI's gains",
        "a 0.000344519, b 0.000343499",
        _cut("a", 0.000344519, 1e-9),
        _cut("b", 0.000343499, 1e-9),
    ),
    *_rule(
        "avq-rule",
        "AVQ's alpha is K11, no root of the condition",
        "K11 = 0.251, no root",
        _cut("K11", 0.251),
        judged_statement(lambda root: RunSample(float(root.summary is None)) >= 1, metric("root"), text="no root"),
    ),
    *_rule(
        "lred-rule",
        "LRED's beta is the second bound, LRED*'s the first",
        "0.021 at 3 flows, 0.151 at 103",
        _cut("second bound", 0.021),
        _cut("beta at 103", 0.151),
    ),
)
