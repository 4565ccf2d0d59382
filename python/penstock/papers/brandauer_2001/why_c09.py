"""Why c09 and c17: REDopt with drops that are not spaced, and with less of max_p than its model gives."""

from penstock.reproduce.figure import Choice, Claim, Curves, Readings, at_most, every, formula, some

from .setup import LOADS, TAIL, claim, design, designed, ftp_runs, mean_queue, over, thresholds

SHARES = [1.0, 0.5, 0.25, 0.2]


# One thing changed at a time: how drops are spaced, at each load; max_p, with 256 flows.
study = ftp_runs(
    lambda spacing, flows: designed("REDopt", flows, spacing=spacing), {"spacing": ["wait", "none"], "flows": LOADS}
) + ftp_runs(
    lambda share: designed("REDopt", 256, max_p=share * design(256).max_p), {"share": Choice([1.0, 0.2], SHARES)}
)

middle = formula(lambda flows: sum(thresholds("REDopt", design(flows))) / 2, "the middle of the thresholds")
LESS = Readings({share: f"{share:g} of the model's max_p" for share in SHARES if share < 1})
CLAIMS = (
    Claim(
        "c09",
        "REDopt's queue stays half-way between the thresholds",
        (mean_queue(spacing="none", flows=at_most(64)) / middle).between(0.85, 1.15),
        reading="drops that are not spaced, so that p_b is the share that is lost",
    ),
    claim(
        "c17",
        some(every(*(over[k] > 0 for k in TAIL if k >= 10)))(share=LESS),
        "N = 256: P(N > k) > 0 for some k >= 10",
    ),
)

draw = Curves("share", "over_10", labels=("max_p / the model's, 256 flows", "P(more than 10 losses in a row)"))
