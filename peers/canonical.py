"""A scenario file as the engine reads it."""

import penstock as ps


def canonical(toml: str) -> str:
    """The canonical JSON of a scenario given as TOML text; only the sums are told of its flows."""
    return ps.Scenario.loads(toml).resolve().for_engine(flows=False, series=False)
