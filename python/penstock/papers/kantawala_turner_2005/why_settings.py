"""Why c01, c10, c11 and c33 fail: other settings of RED and Blue, NewReno, and W held."""

import penstock as ps
from penstock.reproduce.figure import Curves, Sweep, every, needing, read_as, some

from . import setup
from .fig4a import c01
from .fig4c import c11
from .setup import BLUE_TRIED, HELD, LAST, TRIPS, WIRE, added, claim, queue, ratio, runs, times, two_round_trips, used

UNSOUGHT = "RED as ns-2 sets it (5, 15, 0.1, 0.002), Blue's first set"
W_STAYS = ["DTDRR", "DSDRR-W", "QSDRR"]


def _unsought(scheme: str, buffer: int) -> ps.Queue:
    if scheme != "RED":
        return queue(scheme, buffer)
    return ps.Red(limit=f"{buffer}p", min_th=5, max_th=15, max_p=0.1, w_q=0.002, gentle=False, mean_packet=f"{WIRE}B")


def _part(load: str, flavour: str, schemes: list[str], sizes: list[int], seeds: int) -> setup.Runs:
    labels = {"load": load, "flavour": flavour}
    return runs({"scheme": schemes, "buffer": sizes}, labels, seeds=seeds, discipline=_unsought, network=TRIPS)


def _set_of_blue(buffer: int, setting: int) -> ps.Scenario:
    return two_round_trips("long", queue("Blue", buffer, {("Blue", buffer): setting}), times(TRIPS).full)


_sets_of_blue = Sweep(
    _set_of_blue,
    {"buffer": [400, 1000], "setting": list(range(len(BLUE_TRIED)))},
    span=times(TRIPS),
    labels={"load": "long", "flavour": "reno"},
)

study = added(
    _part("long", "newreno", ["RED", "Blue", *W_STAYS], [200], 40),
    full=[
        _part("short", "reno", ["RED", "Blue"], [2000, 5000], 20),
        _part("short", "newreno", W_STAYS, [400, 5000], 5),
        _sets_of_blue,
    ],
)

SHORT = {"load": "short", "flavour": "reno"}
CLAIMS = (
    claim(
        "c33",
        (used(scheme=W_STAYS) - used(scheme=["RED", "Blue"]) >= 5)(load="long", flavour="newreno", buffer=200),
        reading=f"NewReno; {HELD}; {UNSOUGHT}",
    ),
    *needing(
        {"load": "short"},
        claim(
            c01.id,
            some(setup.slow.reads(40, 30, 50), "setting")(load="long", flavour="reno", buffer=[400, 1000]),
            reading="the best of Blue's four sets for the flows of 200 ms",
        ),
        claim(
            "c10",
            every(
                ratio(scheme="Blue", buffer=LAST).reads(3, 2.4, 3.4),
                (ratio(scheme="Blue") > ratio(scheme="RED"))(buffer=[2000, LAST]),
            )(**SHORT),
            reading=UNSOUGHT,
        ),
        *read_as(f"NewReno; {HELD}", [c11], load="short", flavour="newreno", scheme=W_STAYS[:2]),
    ),
)

draw = Curves(
    "scheme",
    "utilization",
    labels=("NewReno, 200 packets", "utilization (%)"),
    where={"load": "long", "flavour": "newreno"},
)
