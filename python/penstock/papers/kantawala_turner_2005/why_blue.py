"""Why c01 and c20 fail: a wider search for Blue's settings, with smaller and rarer steps."""

import penstock as ps
from penstock.reproduce.figure import Claim, Effort, Study, chosen, needing, read_as

from .fig4a import c01
from .fig4b import c06
from .fig5b import blue as c20
from .setup import BLUE_TRIED, BUFFERS, HOPS, LAST, NETWORKS, SETTLED, TRIPS, blue, panel, times, used

SOUGHT_AT = 400  # packets
WIDER = [
    (up, up / ratio, freeze)
    for up in (0.0002, 0.001, 0.0025, 0.02)
    for ratio in (10, 2)
    for freeze in ("1ms", "10ms", "100ms", "500ms")
]  # d1, d2 and freeze; they include the four settings of the report
BEST = "the best of 32 sets"
REPORT = {f"the report's set {number}": setting for number, setting in enumerate(BLUE_TRIED, start=1)}
LARGER = (0.005, 0.0005, "500ms")
"""Leaves as much of the link unused over three hops as in the work: twice the report's steps, a fifth as often."""


def _best(effort: Effort) -> tuple[float, float, str]:
    """The setting with the most goodput of all flows (Section 4) with 400 packets."""
    span = effort.choose(("6s", "4s"), ("50s", "10s"))
    tried = list(range(effort.choose(2, len(WIDER))))
    build = NETWORKS[TRIPS]
    goodputs = effort.table(
        Study(lambda setting: build("long", blue(SOUGHT_AT, *WIDER[setting]), span), {"setting": tried}, seeds=1),
        lambda run: {"goodput": sum(group.goodput_bps for group in run.traffic.values())},
    )
    return WIDER[max(tried, key=lambda setting: goodputs("goodput", setting=setting).mean)]


def study(effort: Effort) -> Study:
    """The best of the wider search in every buffer and over three hops; the report's four settings in two buffers."""

    def part(network: str, name: str, setting: tuple[float, float, str], buffers: list[int]) -> Study:
        def scenario(buffer: int) -> ps.Scenario:
            return NETWORKS[network]("long", blue(buffer, *setting), chosen(times(network), effort))

        return Study(scenario, {"buffer": buffers}, labels={"set": name, "network": network})

    best = _best(effort)
    if effort.quick:
        (first, *_) = REPORT.items()
        return part(TRIPS, BEST, best, [SOUGHT_AT]) + part(TRIPS, *first, [SOUGHT_AT])
    parts = part(TRIPS, BEST, best, [size for size in BUFFERS if size <= LAST])
    for name, setting in REPORT.items():
        parts += part(TRIPS, name, setting, [400, 1000])
    return parts + part(HOPS, BEST, best, [LAST]) + part(HOPS, "larger", LARGER, [LAST])


READING = "Blue alone, the set with the most goodput out of 32"
CLAIMS = needing(
    SETTLED,
    *read_as(READING, [c01, c06], set=BEST, network=TRIPS),
    Claim(
        "why-blue/link",
        "that set uses more of the link than each of the four sets of the report that introduces Blue",
        (used(set=BEST) > used(set=list(REPORT)))(network=TRIPS, buffer=[400, 1000]),
        reading=READING,
    ),
    *read_as(f"Blue alone, {BEST}", [c20], set=BEST, network=HOPS, buffer=LAST),
    *read_as("Blue alone, steps of {:g} and {:g}, {} apart".format(*LARGER), [c20], set="larger", network=HOPS),
)

draw = panel("g_slow", "goodput with Blue, 200 ms (%)", by="set", where={"network": TRIPS})
