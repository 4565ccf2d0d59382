"""Figure 3 (a): settings by the number of flows, from the model of REDopt (Section 4)."""

from collections.abc import Callable

from penstock.reproduce.figure import CurveFigure, ReproductionEffort, Rows

from .setup import FLOWS, RedDesign, design_of_testbed, redopt_in_packets

SETTINGS: dict[str, Callable[[int], RedDesign]] = {"testbed": design_of_testbed, "simulation": redopt_in_packets}


def rows(effort: ReproductionEffort) -> Rows:
    """Rows of REDopt's settings by the number of flows: for Linux and dummynet, and for ns-2."""
    return [
        ({"setting": setting, "flows": flows}, {name: float(value) for name, value in at(flows)._asdict().items()})
        for setting, at in SETTINGS.items()
        for flows in FLOWS
    ]


CLAIMS = ()  # the numbers of the figure are lost, so no claim is made about it

draw = CurveFigure("flows", "max_p", "setting", labels=("flows", "max_p"), log="x")  # max_p follows the load
