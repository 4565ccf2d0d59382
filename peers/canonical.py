"""A scenario file as the engine reads it."""

import penstock as ps


def canonical(toml: str) -> str:
    """The canonical JSON of a scenario given as TOML text."""
    return ps.Scenario.from_toml(toml).canonical()
