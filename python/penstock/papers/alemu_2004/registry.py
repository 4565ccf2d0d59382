"""The rows of Tables 1.1 and 1.2: the thesis' names of schemes and those of penstock."""

from __future__ import annotations

NAMES = {
    "RED": "red", "BLUE": "blue", "SRED": "sred", "DSRED": "dsred", "P": "p", "PI": "pi", "REM": "rem", "AVQ": "avq",
    "SFC": "sfc", "LRED": "lred", "ARED_Feng": "ared-feng", "ARED_Floyd": "ared-floyd", "PSAND": "psand",
    "FRED": "fred", "BRED": "bred", "SFB": "sfb", "RIO": "rio",
}  # fmt: skip
