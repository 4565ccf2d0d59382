"""RED's automatic thresholds: max(5, C d / 2) and three times that, in files, on the command line and in Python."""

from __future__ import annotations

from typing import Any

import penstock as ps
import pytest
from penstock.aqms.catalog import schemes
from penstock.aqms.red_thresholds import RED_KIN, automatic_threshold
from penstock.dialects import ConversionContext, DialectError, write
from penstock.errors import ScenarioError
from penstock.explain.settings_on_link import settings_on_link
from penstock.model import FluidRed
from penstock.model.stability import fluid_law
from penstock.scenario.check import resolved_text
from penstock.scenario.loaded_link import LoadedLink
from penstock.units import Length

FAST = "100Mbit"


def on(queue: Any, rate: str = FAST) -> ps.Scenario:
    """Four flows through this queue."""
    traffic = {"bulk": ps.Tcp(flavour="cubic", profile="linux", count=4)}
    return ps.dumbbell(rate=rate, rtt="20ms", duration="3s", traffic=traffic, queue=queue)


def links(scenario: ps.Scenario) -> Any:
    return ps.run(scenario, seed=1).raw["links"]


def test_the_kin_of_red_are_the_schemes_with_its_thresholds() -> None:
    words = {scheme.name: {param.name: param.words for param in scheme.params} for scheme in schemes()}
    automatic = {name for name, of in words.items() if all("auto" in of.get(key, ()) for key in ("min_th", "max_th"))}
    # PSAND and FRED derive their own, from their target and their buffer.
    assert automatic == RED_KIN | {"psand", "fred"}


@pytest.mark.parametrize(
    ("rate", "table", "low", "high"),
    [
        # 5 ms at 12 500 packets a second are 62.5 packets, midway between the thresholds.
        (100e6, {}, Length("packets", 31.25), Length("packets", 93.75)),
        (100e6, {"mean_packet": "500B"}, Length("packets", 62.5), Length("packets", 187.5)),
        (1e6, {}, Length("packets", 5.0), Length("packets", 15.0)),
        (100e6, {"min_th": "20kB"}, None, Length("bytes", 60_000.0)),
        (100e6, {"max_th": "40p"}, Length("packets", 31.25), None),
        (100e6, {"scheme": "psand"}, None, None),
    ],
)
def test_they_are_those_of_floyd(rate: float, table: dict[str, str], low: Length | None, high: Length | None) -> None:
    whole = {"scheme": "red", "min_th": "auto", "max_th": "auto"} | table
    assert (automatic_threshold("min_th", whole, rate), automatic_threshold("max_th", whole, rate)) == (low, high)


@pytest.mark.parametrize("scheme", sorted(RED_KIN))
def test_the_engine_runs_with_the_values_that_are_shown(scheme: str) -> None:
    automatic, numbers = (
        links(on(f"{scheme}:limit=1000p,min_th={low},max_th={high}"))
        for low, high in (("auto", "auto"), (31.25, 93.75))
    )
    assert automatic == numbers


@pytest.mark.parametrize(
    ("rate", "settings", "expected"),
    [
        # Out packets as RED above; In packets in the proportions of ns-2's defaults, which a slow link keeps.
        (100e6, {}, [31.25, 93.75, 93.75, 187.5]),
        (1e6, {}, [5, 15, 15, 30]),
        (100e6, {"max_out": "50p"}, [31.25, None, 50, 100]),
        (100e6, {"min_out": 10}, [None, 30, 30, 60]),
        (100e6, {"min_in": "40p"}, [31.25, 93.75, None, 80]),
    ],
)
def test_those_of_rio_follow_from_the_out_packets(
    rate: float, settings: dict[str, Any], expected: list[float | None]
) -> None:
    names = ("min_out", "max_out", "min_in", "max_in")
    table = {"scheme": "rio", **dict.fromkeys(names, "auto"), **settings}
    thresholds = [automatic_threshold(name, table, rate) for name in names]
    assert [length and length.amount for length in thresholds] == expected
    # The engine has the same.
    words, numbers = (
        links(on({"limit": "1000p", **{name: queue[name] for name in names}, "scheme": "rio"}, f"{rate:.0f}bit"))
        for queue in (table, {name: value or table[name] for name, value in zip(names, expected, strict=True)})
    )
    assert words == numbers


@pytest.mark.parametrize("scheme", ["wred", "wrt", "wred-dfq"])
def test_levels_have_no_rule_and_say_so(scheme: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        on({"scheme": scheme, "limit": "1000p", "min_th": "auto", "max_th": "auto"}).resolve()
    errors = [error for error in caught.value.errors if "do not say how far apart" in str(error)]
    assert [error.path.rpartition(".")[2] for error in errors] == ["min_th", "max_th"]


def test_python_and_files_take_the_word() -> None:
    scenario = on(ps.Red(limit="1000p", min_th="auto", max_th="auto"))
    again = ps.Scenario.loads(scenario.to_toml())
    assert links(again) == links(scenario)
    # A time as min_th: a target of 20 ms.
    wide = on(ps.Red(limit="2000p", min_th="10ms", max_th="auto"))
    assert links(wide) == links(on(ps.Red(limit="2000p", min_th=125, max_th=375)))


def test_check_and_explain_show_the_numbers() -> None:
    resolved = on("red:limit=1000p,min_th=auto,max_th=auto").resolve()
    text = resolved_text(resolved)
    assert "# 31.25p: 46.875 kB in packets of 1500 B, 3.75 ms" in text
    assert "# 93.75p: 140.625 kB in packets of 1500 B, 11.25 ms" in text
    settings = settings_on_link(
        LoadedLink.from_scenario(resolved, "bottleneck"), resolved.readable["links"]["bottleneck"]["queue"]
    )
    assert settings["min_th"][0] == "auto"
    assert settings["min_th"][1].startswith("31.25 packets")
    assert settings["max_th"][1].startswith("93.75 packets")


def test_models_take_them_too() -> None:
    settings: dict[str, Any] = {
        "nonlinear": False, "scale_by_size": "never", "w_q": 0.002, "spacing": "wait", "max_p": 0.1, "gentle": False,
        "gentle_top": "2max_th", "mean_packet": 1000.0,
    }  # fmt: skip
    aqm = fluid_law("red", settings.get, 12_500.0, 1000.0, 1000.0)
    assert isinstance(aqm, FluidRed)
    assert (aqm.min_th, aqm.max_th) == (31.25, 93.75)


def test_what_does_not_fit_is_refused_with_the_number() -> None:
    with pytest.raises(ScenarioError, match=r'limit of the queue, 60 packets: "auto" is 93\.75'):
        ps.run(on("red:limit=60p,min_th=auto,max_th=auto"), seed=1)


def test_dialects_take_them_by_the_rate_of_the_link() -> None:
    parameters = {"limit": "1000p", "min_th": "auto", "max_th": "auto", "w_q": 0.0625}
    with pytest.raises(DialectError, match="give --rate RATE"):
        write("red", parameters, "tc")
    assert "min 31250 max 93750" in write("red", parameters, "tc", ConversionContext(rate=100_000_000)).text
