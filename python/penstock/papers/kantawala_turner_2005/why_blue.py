"""Why c01 and c20 are contradicted: the best settings of Blue use more of the link than the paper prints."""

import penstock as ps
from penstock.reproduce.figure import (
    ReproductionEffort,
    Study,
    claims_if_measured,
    claims_under_reading,
    value_for_effort,
)

from .fig4a import c01
from .fig5b import blue as c20
from .setup import (
    BLUE_TRIED,
    HOPS,
    LAST,
    NETWORKS,
    SETTLED,
    TRIPS,
    blue,
    buffer_figure,
    in_authors_setup,
    run_span,
)

SETTINGS = {
    **{f"the report's set {number}": BLUE_TRIED[i] for number, i in enumerate((0, 1, 4, 5), start=1)},
    "larger": (0.005, 0.0005, "500ms"),
}
"""The report's four settings of Blue, and settings with steps twice as large as its smaller ones, at a fifth of their
rate."""


def _study(effort: ReproductionEffort) -> Study:
    def scenario(network: str, set: str, buffer: int) -> ps.Scenario:
        return NETWORKS[network]("long", blue(buffer, *SETTINGS[set]), value_for_effort(run_span(network), effort))

    sets = effort.quick_or_full(list(SETTINGS)[:1], list(SETTINGS))
    buffers = effort.quick_or_full([2000], [400, 1000, LAST])
    return Study(scenario, {"network": [HOPS, TRIPS], "set": sets, "buffer": buffers})


study = in_authors_setup(_study)
CLAIMS = claims_if_measured(
    SETTLED,
    *(
        claim
        for name in SETTINGS
        for claim in claims_under_reading(
            f"Blue with one setting, {name}", [c01(network=TRIPS), c20(network=HOPS)], set=name
        )
    ),
)

draw = buffer_figure("g_slow", "goodput with Blue, 200 ms (%)", by="set", where={"network": TRIPS})
