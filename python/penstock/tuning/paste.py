"""An advised setting as tc commands: for a device whose rate is that of the link, and for a faster one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from penstock import dialects
from penstock.dialects.tc_rounding import round_to_tc
from penstock.dialects.tc_units import RATE
from penstock.scenario.loaded_link import LoadedLink
from penstock.tuning.bench import Setting
from penstock.units import format_rate

__all__ = ["DEVICES", "FASTER", "device_lines", "round_to_tc_values", "shaped_tc_lines", "tc_lines"]

FASTER = "If the device is faster than the link, the queue forms downstream. With this shaper, it forms here:"
"""Introduces the lines with a shaper."""


DEVICES = ("eth0", "eth1")
"""Placeholder names of the devices that send in the two directions of a link."""


def device_lines(
    setting: Setting, link: LoadedLink, scenario: Mapping[str, Any], device: str = DEVICES[0]
) -> dict[str, str | None]:
    """The lines for one direction of a link: `place`, `device`, `tc` and `tc_shaped`.

    `tc` and `tc_shaped` are None if tc lacks the scheme; `tc_shaped` also if the rate of the link changes over time.
    """
    changes = scenario.get("links", {}).get(link.place.removesuffix(".reverse"), {}).get("change")
    shaped = None if changes else shaped_tc_lines(setting, link, device)
    return {"place": link.place, "device": device, "tc": tc_lines(setting, link, device), "tc_shaped": shaped}


def tc_lines(setting: Setting, link: LoadedLink, device: str | None = None) -> str | None:
    """The tc commands for the queue alone, with notes as comments; None if tc lacks the scheme."""
    try:
        conversion = dialects.write(setting.scheme, _parameters(setting, link), "tc", _facts(link, device))
    except dialects.DialectError:
        return None
    return "\n".join(
        [
            conversion.text,
            *(f"# {note}" for note in conversion.notes),
            *(f"# tc cannot express: {item}" for item in conversion.lost_settings),
        ]
    )


def shaped_tc_lines(setting: Setting, link: LoadedLink, device: str | None = None) -> str | None:
    """The tc commands for the queue behind a shaper to the rate of the link, HTB or cake's own.

    None if tc lacks the scheme, or if the scheme itself is a shaper in tc.
    """
    facts, parameters = _facts(link, device), _parameters(setting, link)
    rate, device = format_rate(round(link.rate_bps)), facts.interface
    if setting.scheme in SHAPING:
        return None
    try:
        if setting.scheme == "cake":
            return dialects.write("cake", {"bandwidth": rate, **parameters}, "tc", facts).text
        queue = dialects.write(setting.scheme, parameters, "tc", facts).text
    except dialects.DialectError:
        return None
    return "\n".join(
        [
            f"tc qdisc replace dev {device} root handle 1: htb default 1",
            f"tc class replace dev {device} parent 1: classid 1:1 htb rate {RATE.write(rate)} ceil {RATE.write(rate)}",
            queue.replace(f"dev {device} root ", f"dev {device} parent 1:1 "),
        ]
    )


SHAPING = ("shaper", "wfq", "pq")
"""Schemes that tc implements as a shaper or with classes, so that they do not fit into a class of HTB here."""


def round_to_tc_values(
    scheme: str, parameters: Mapping[str, Any], fixed: Collection[str], link: LoadedLink
) -> dict[str, Any]:
    """The parameters rounded to values that tc can represent, so that the runs measure exactly the lines to paste.

    Parameters in `fixed` keep their values.
    """
    nearest = round_to_tc(scheme, parameters, _facts(link))
    fixed_values = {name: parameters[name] for name in fixed if name in parameters}
    return {**nearest, **fixed_values}


def _facts(link: LoadedLink, device: str | None = None) -> dialects.ConversionContext:
    return dialects.ConversionContext(link.rate_bps, round(link.packet_bytes), device)


def _parameters(setting: Setting, link: LoadedLink) -> dict[str, object]:
    limit = (
        {} if "limit" in setting.parameters or setting.scheme == "cake" else {"limit": f"{round(link.buffer_pkts)}p"}
    )
    return {**limit, **setting.parameters}
