"""The conclusions of the thesis on PSAND against the adaptive REDs, and on its thresholds (Conclusion)."""

from dataclasses import replace

from penstock.reproduce import shape
from penstock.reproduce.figure import Number, every, function_of_samples
from penstock.reproduce.shape import along_sweep
from penstock.results.sample import RunSample

from . import loads, methods, steps
from .setup import AQS, AREDS, EMPTY, PLR, VQS, claim, joining_flows_scenario
from .steps import measure, recovery

__all__ = ["CLAIMS", "measure", "study"]

# The runs of Figures 2.3 and 2.9 and of Table 3.3; for Figure 2.3 the whole run.
LOADS, METHODS, STEP = ({"part": part} for part in ("loads", "methods", "step"))
(WHOLE,) = steps.step_sweep(joining_flows_scenario, [20]).others
study = (
    replace(loads.STUDY, labels=LOADS)
    + replace(methods.METHODS_STUDY, labels=METHODS)
    + replace(WHOLE, labels={**WHOLE.labels, **STEP})
)


def _more(number: Number) -> Number:
    """The number of a method minus the number of the fixed thresholds."""
    return number(method=methods.METHODS) - number(method="none")


def _worst(*differences: RunSample) -> RunSample:
    return shape.largest_mean(differences)


WORST = function_of_samples(_worst, *map(_more, (AQS, VQS, PLR)), text="largest of {}, {} and {}")

CLAIMS = (
    claim(
        "concl/c1",
        every(
            along_sweep(every(*(q(scheme="PSAND") < q(scheme=AREDS) for q in (AQS, VQS, EMPTY)))(**LOADS)),
            along_sweep((PLR(scheme="PSAND") - PLR(scheme=AREDS) <= 0.5)(**LOADS)),
            (recovery(scheme="PSAND") < recovery(scheme=AREDS))(**STEP),
        ),
        "AQS, VQS, P(X=0) below, PLR at most 0.5 points above for every N; recovery of Figure 2.3 shorter",
    ),
    claim(
        "concl/c2",
        (WORST >= 0)(flows=[23, 103], **METHODS),
        "no method has AQS, VQS and PLR all below the fixed one's, at 23 or at 103 flows",
    ),
)
