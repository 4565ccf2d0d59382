"""Claims that our recorded runs contradict in the set-up as printed: ns-2 contradicts them there, too."""

from __future__ import annotations

import pytest
from penstock.reproduce.paper import included_papers
from penstock.reproduce.record import recorded_outcomes

from validation.witness import CLAIMS, THESIS, Claim, numbers

WORKS = {work.alias: work for work in included_papers()}
VERDICTS = {
    (work.alias, claim["id"].removeprefix(f"{work.alias}/"), claim.get("reading") or ""): (claim["printed"] or claim)[
        "verdict"
    ]
    for work in WORKS.values()
    for outcome in recorded_outcomes(work.experiments)
    for claim in outcome.claims
}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: f"{claim.work}/{claim.id}")
def test_ns2_agrees_with_us(claim: Claim) -> None:
    # Claims that were decided again, on what the text says, may be inconclusive.
    assert VERDICTS[claim.work, claim.id, ""] in ("contradicted", "inconclusive")
    assert not claim.holds(numbers(claim.file))


def as_claimed(metric: str, **at: object) -> float:
    """Numbers of topology A and of blocks as the thesis has them."""
    scheme, n, most = str(at["scheme"]), at["N"], at.get("max", 20)
    by_scheme = {
        "loss": {"PSAND": 0.14, "RED": 0.146, "Feng": 0.152, "Floyd": 0.152, "AVQ": 0.2},
        "p_empty": {"PSAND": 0.01, "RED": 0.1, "Feng": 0.05, "Floyd": 0.05},
        "util": {"PSAND": 0.99, "AVQ": 0.8, "RED": 0.9, "Feng": 0.9, "Floyd": 0.9, "PI": 0.9, "REM": 0.9},
        "p_full": {"PSAND": 0.0, "Feng": 0.02, "Floyd": 0.02},
        "q_mean": {"PSAND": abs(float(str(most)) - (10.5 if n == 3 else 35))},
    }
    blocks = {"gRED": 0.01, "DropTail": 0.02}
    return blocks[scheme] if metric.startswith("plr") else by_scheme[metric][scheme]


@pytest.mark.parametrize("claim", THESIS, ids=lambda claim: claim.id)
def test_a_claim_of_the_thesis_holds_where_numbers_are_as_it_says(claim: Claim) -> None:
    assert claim.holds(as_claimed)
