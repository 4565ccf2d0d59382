"""Figure 3 (a): settings by the number of flows, from the model of REDopt (Section 4)."""

from penstock.reproduce.figure import Curves, Effort
from penstock.results.table import Labels

from .setup import FLOWS, SETTINGS, redopt


def rows(effort: Effort) -> list[tuple[Labels, dict[str, float]]]:
    """REDopt's settings, and with delayed acknowledgements, as in the testbed."""
    found: list[tuple[Labels, dict[str, float]]] = []
    for b, setting in enumerate(SETTINGS, start=1):
        for flows in FLOWS:
            at = redopt(flows, b)
            numbers = {"min_th": at.min_th, "max_th": at.max_th, "max_p": at.max_p, "w_q": at.w_q, "buffer": at.buffer}
            found.append(({"setting": setting, "flows": flows}, {name: float(x) for name, x in numbers.items()}))
    return found


CLAIMS = ()  # the numbers of the figure are lost, and no claim is made of it

draw = Curves("flows", "max_p", "setting", labels=("flows", "max_p"), log="x")  # max_p follows the load
