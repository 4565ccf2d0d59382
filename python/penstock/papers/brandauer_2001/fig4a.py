"""Figure 4 (a): REDopt's settings by the number of web sessions, from the active flows of a first pass (Section 5)."""

from matplotlib.figure import Figure

from penstock.reproduce.figure import CurveFigure, SummaryTable, claims_if_measured, every, metric

from .setup import FLOWS, OPTION, PAGES, claim, first_pass, first_pass_of

AFTER = {0: "pages after the start of the previous page", 1: "after its end"}
"""The legend of each option."""
OVERLOADED = 1600  # sessions: "more than 1400"

study = first_pass + first_pass_of({"option": PAGES, "sessions": [OVERLOADED]}, only_full=True)

max_p, active = metric("max_p"), metric("active", says="active flows")
first, second = max_p(sessions=1000) / max_p(sessions=800), max_p(sessions=1400) / max_p(sessions=1200)
CLAIMS = (
    *claims_if_measured(
        {"sessions": 1000},
        claim(
            "c19",
            every(first.matches_printed(2.6, share=0.4), second.matches_printed(16.7, share=0.4), second / first >= 4)(
                option=OPTION
            ),
            "2.6 and 16.7, each 40 %; the second ratio at least 4 times the first",
        ),
    ),
    *claims_if_measured(
        {"sessions": OVERLOADED}, claim("c29", (active(sessions=OVERLOADED) > FLOWS[-1])(option=OPTION))
    ),
)


def draw(summary: SummaryTable) -> Figure:
    """Figure of REDopt's max_p by the number of web sessions."""
    points = SummaryTable(({**at, "page": AFTER[at["option"]]}, numbers) for at, numbers in summary.cells)
    return CurveFigure("sessions", "max_p", "page", labels=("sessions", "max_p of REDopt"))(points)
