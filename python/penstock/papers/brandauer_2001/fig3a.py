"""Figure 3 (a): settings by the number of flows, from the model of REDopt (Section 4)."""

from penstock.reproduce.figure import Curves, Effort, Rows

from .setup import FLOWS, SETTINGS, redopt

SHOWN = ("min_th", "max_th", "max_p", "w_q", "buffer")


def rows(effort: Effort) -> Rows:
    """REDopt's settings, and with delayed acknowledgements, as in the testbed."""
    return [
        ({"setting": setting, "flows": flows}, {name: float(getattr(redopt(flows, b), name)) for name in SHOWN})
        for b, setting in enumerate(SETTINGS, start=1)
        for flows in FLOWS
    ]


CLAIMS = ()  # the numbers of the figure are lost, and no claim is made of it

draw = Curves("flows", "max_p", "setting", labels=("flows", "max_p"), log="x")  # max_p follows the load
