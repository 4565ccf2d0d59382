"""The nearest settings that `tc` can represent: rounding before a setting is confirmed or advised."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from penstock.aqms.catalog import find_scheme
from penstock.dialects import tc_queue
from penstock.dialects.conversion import Conversion, ConversionContext, DialectError
from penstock.dialects.tc_dualpi2 import derive_gains
from penstock.dialects.tc_table import QUEUES
from penstock.units import UnitError, parse_size

__all__ = ["round_to_tc"]

RED = ("red", "choke")


def round_to_tc(scheme: str, parameters: Mapping[str, Any], facts: ConversionContext) -> dict[str, Any]:
    """The parameters, each rounded to the nearest value that tc can represent, in Linux's variant of an AQM.

    Parameters that tc cannot express are unchanged, and so is a limit, whose unit depends on the kind of queue.
    """
    settings = dict(parameters)
    qdisc = next((known for known in QUEUES.values() if known.scheme == scheme), None)
    if qdisc is None:
        return settings
    if settings and "variant" in qdisc.fixed:
        settings.setdefault("variant", qdisc.fixed["variant"])
    if scheme in RED:
        return _red(scheme, settings, facts)
    if scheme == "dualpi2" and settings:
        conversion = Conversion(scheme, settings)
        derive_gains(conversion)
        settings["range"] = "0s"
        weight = next(param.default for param in find_scheme(scheme).params if param.name == "classic_weight")
        settings.setdefault("classic_weight", weight)  # the default, 1/16, is no whole percent
    for key in qdisc.keys:
        if key.quantity is None or key.parameter == "limit" or settings.get(key.parameter) in (None, "auto"):
            continue
        value = settings[key.parameter]
        nearest = key.quantity.read(key.nearest_accepted_text(value))
        if not tc_queue.is_same_value(nearest, value):
            settings[key.parameter] = nearest
    return settings


def _red(scheme: str, given: dict[str, Any], facts: ConversionContext) -> dict[str, Any]:
    """Thresholds in whole bytes or packets, and the power of two that tc computes from a burst."""
    try:
        text = tc_queue.write(scheme, given, facts).text
        read_back = tc_queue.read_options(scheme, text.split()[1:], facts).parameters
    except (DialectError, UnitError):
        return given
    packet = parse_size(given["mean_packet"]) if "mean_packet" in given else facts.packet
    for name in ("min_th", "max_th"):
        if isinstance(given.get(name), (int, float)):
            text = str(read_back[name])
            given[name] = parse_size(text) / packet if text.endswith("B") else float(text.removesuffix("p"))
    if "w_q" in given:
        given["w_q"] = read_back["w_q"]
    if isinstance(given.get("max_p"), (int, float)):
        given["max_p"] = read_back["max_p"]
    return given
