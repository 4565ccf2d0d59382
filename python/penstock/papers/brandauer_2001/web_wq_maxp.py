"""Losses in a row with 1400 web sessions by RED's memory and max_p (Section 5, described)."""

from penstock.reproduce.figure import CurveFigure, QuickOrFull, Sweep, claims_if_measured

from .setup import OPTION, PAGES, WEB_SPAN, claim, combined_readings, over, queue, redopt_designs_for_web, web_scenario

LONGEST = 0.02  # the max_p with the longest runs
SHORT, LONG = 0.01, 0.0005  # the w_q of a short and of a long memory

long_runs = over[100]
study = Sweep(
    lambda designs, option, w_q, max_p: web_scenario(
        1400, queue("REDstd", designs[option, 1400], w_q=w_q, max_p=max_p), option
    ),
    {
        "option": PAGES,
        "w_q": QuickOrFull([0.0005, 0.01], [0.0002, 0.0005, 0.002, 0.01, 0.05]),
        "max_p": QuickOrFull([0.1], [LONGEST, 0.1, 0.3]),
    },
    seeds=5,
    span=WEB_SPAN,
    first_pass=redopt_designs_for_web,
)

CLAIMS = (
    claim(
        "c27",
        (long_runs(w_q=SHORT) <= long_runs(w_q=LONG))(option=OPTION),
        f"P(N > 100) with w_q = {SHORT} <= with w_q = {LONG}, at each max_p",
    ),
    *claims_if_measured(
        {"max_p": LONGEST},
        claim(
            "c27",
            (over[100].at_next_value("w_q") < over[100])(
                max_p=LONGEST, option=combined_readings(f"runs of more than 100, max_p = {LONGEST}")
            ),
        ),
    ),
)

draw = CurveFigure(
    "w_q", "over_20", "max_p", where={"option": 0}, labels=("w_q", "P(more than 20 losses in a row)"), log="x"
)
