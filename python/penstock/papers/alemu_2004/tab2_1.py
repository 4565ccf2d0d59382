"""Table 2.1: the settings of the adaptive schemes."""

from penstock.papers.alemu_2004.functions import curve
from penstock.papers.alemu_2004.setup import feng, floyd, psand
from penstock.reproduce.figure import Claim, Effort, every, metric
from penstock.results.table import Labels

PRINTED = {
    "Feng": {"min_th": 5, "max_th": 15, "max_p": 0.02, "alpha": 3, "beta": 2},
    "Floyd": {"min_th": 5, "max_th": 15, "max_p": 0.1, "alpha": 0.01, "beta": 0.9},
    "PSAND": {"target": 10, "coef": 1.75, "gamma": 1.5},
}


def rows(_: Effort) -> list[tuple[Labels, dict[str, float]]]:
    """Defaults; PSAND's thresholds and first max_p follow from its target, so they are read off its drop function."""
    found: list[tuple[Labels, dict[str, float]]] = []
    for name, queue in (("Feng", feng()), ("Floyd", floyd()), ("PSAND", psand())):
        values = {key: float(str(getattr(queue, key)).rstrip("p")) for key in PRINTED[name]}
        found.append(({"scheme": name}, values))
    queue_pkts, p = curve("psand", 40)
    at = {round(float(x), 6): float(d) for x, d in zip(queue_pkts, p, strict=True)}
    found.append(({"scheme": "PSAND, function"}, {"at 10": at[10.0], "at 20": at[20.0]}))
    return found


CLAIMS = (
    Claim(
        "tab2.1/c1",
        "the defaults are those of the table",
        every(
            *(
                abs(metric(key)(scheme=name) - value) <= 1e-9
                for name, values in PRINTED.items()
                for key, value in values.items()
            ),
            abs(metric("at 10")(scheme="PSAND, function") - 0.05) <= 1e-6,
            abs(metric("at 20")(scheme="PSAND, function") - 0.1) <= 1e-6,
        ),
        "Feng 5, 15, 0.02, 3, 2; Floyd 5, 15, 0.1, 0.01, 0.9; PSAND 0, 20, 0.1, KT 10, 1.75, 1.5",
        must_hold=True,
    ),
)
