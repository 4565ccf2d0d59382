"""SONiC: a `WRED_PROFILE` of config_db.json: thresholds in bytes, probabilities in percent, by colour."""

from __future__ import annotations

import json
from typing import Any

from penstock.dialects.conversion import Conversion, DialectError, Facts, limit_packets, packets
from penstock.dialects.kinds import number
from penstock.dialects.red import DEFAULTS, list_unsaid, whole, whole_percent

__all__ = ["read", "write"]

COLOURS = ("green", "yellow", "red")


def read(text: str, facts: Facts) -> Conversion:
    """A profile, alone or within `WRED_PROFILE`: RED if its colours agree, else WRED with a value for each."""
    del facts
    try:
        tree = json.loads(text)
    except json.JSONDecodeError as error:
        raise DialectError(f"not JSON: {error}") from None
    profile = _profile(tree)
    found = Conversion("red", {"measure_in": "bytes"})
    rows = [_colour(profile, colour) for colour in COLOURS if profile.get(f"wred_{colour}_enable") == "true"]
    if not rows:
        raise DialectError('no colour is enabled: expected "wred_green_enable": "true"')
    if len(set(rows)) == 1:
        low, high, max_p = rows[0]
        found.parameters |= {"min_th": f"{low}B", "max_th": f"{high}B", "max_p": max_p}
    else:
        found.scheme = "wred"
        names = ("min_th", "max_th", "max_p")
        found.parameters |= {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
    if profile.get("ecn", "ecn_none") != "ecn_none":
        found.parameters["ecn"] = True
        if profile["ecn"] != "ecn_all":
            found.missing.append(f"ecn = {profile['ecn']}: marks some colours only")
    found.notes.append("the weight of the average is the switch's (SAI: SAI_WRED_ATTR_WEIGHT), not in the profile")
    return found


def _profile(tree: Any) -> dict[str, str]:
    while isinstance(tree, dict) and tree and not any(isinstance(value, str) for value in tree.values()):
        if len(tree) > 1:
            raise DialectError(f"several profiles: {', '.join(tree)}; give one")
        tree = next(iter(tree.values()))
    if not isinstance(tree, dict):
        raise DialectError('expected a profile such as {"wred_green_enable": "true", ...}')
    return tree


def _colour(profile: dict[str, str], colour: str) -> tuple[int, int, float]:
    names = ("min_threshold", "max_threshold", "drop_probability")
    absent = [f"{colour}_{name}" for name in names if f"{colour}_{name}" not in profile]
    if absent:
        raise DialectError(f"{', '.join(absent)}: missing")
    low, high, share = (profile[f"{colour}_{name}"] for name in names)
    return int(low), int(high), number(float(share) / 100)


def write(scheme: str, parameters: dict[str, Any], facts: Facts) -> Conversion:
    """A profile with all colours alike, or a colour for each value of a WRED with up to three."""
    if scheme not in ("red", "wred"):
        raise DialectError(f"SONiC's WRED_PROFILE has no {scheme}")
    found = Conversion(scheme, dict(parameters))
    limit = limit_packets(parameters, facts)
    columns = [parameters.get(name, usual) for name, usual in DEFAULTS.items()]
    rows = list(zip(*columns, strict=True)) if isinstance(columns[0], list) else [tuple(columns)] * len(COLOURS)
    in_bytes = scheme == "wred" and parameters.get("measure_in") == "bytes"
    profile: dict[str, str] = {}
    for colour, (low, high, max_p) in zip(COLOURS, rows, strict=False):
        exact = [value if in_bytes else packets(value, facts, limit) * facts.packet for value in (low, high)]
        sizes = [whole(found, name, size, "bytes") for name, size in zip(("min_th", "max_th"), exact, strict=True)]
        profile |= {
            f"wred_{colour}_enable": "true",
            f"{colour}_min_threshold": str(sizes[0]),
            f"{colour}_max_threshold": str(sizes[1]),
            f"{colour}_drop_probability": str(whole_percent(found, max_p)),
        }
    profile["ecn"] = "ecn_all" if parameters.get("ecn") else "ecn_none"
    if not in_bytes:
        found.notes.append(f"thresholds are bytes: packets of {facts.packet} B")
    list_unsaid(found, {"min_th", "max_th", "max_p", "ecn", "measure_in", "mean_packet"})
    found.text = json.dumps({"WRED_PROFILE": {"penstock": profile}}, indent=2)
    return found
