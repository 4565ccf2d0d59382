"""penstock's own notation for a scheme with its parameters, as after `--scheme`."""

from __future__ import annotations

from typing import Any

from penstock.dialects.conversion import Conversion, ConversionContext
from penstock.results.display import scheme_argument
from penstock.scenario.scheme_text import parse_scheme

__all__ = ["read", "write"]


def read(text: str, facts: ConversionContext) -> Conversion:
    """The settings in a text such as `red:min_th=5,max_th=15`. Raises `ScenarioError`."""
    del facts
    return Conversion(*parse_scheme(text.strip(), text.strip()))


def write(scheme: str, parameters: dict[str, Any], facts: ConversionContext) -> Conversion:
    """The scheme with its parameters in one word."""
    del facts
    return Conversion(scheme, parameters, scheme_argument(scheme, parameters))
