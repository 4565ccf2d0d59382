"""Links with properties of netem and with framings, for the record of results."""

from __future__ import annotations

from typing import Any, Final

LINK_PROPERTIES: Final[dict[str, dict[str, Any]]] = {
    "correlated loss": {"loss": {"correlated": {"rate": 0.05, "correlation": 0.25}}},
    "loss in four states": {"loss": {"states": {"p13": 0.01, "p31": 0.3, "p32": 0.3, "p23": 0.5, "p14": 0.005}}},
    "jitter of netem": {"jitter": {"deviation": "4ms", "distribution": "paretonormal", "correlation": 0.25}},
    "jitter of netem in order": {"jitter": {"deviation": "4ms", "distribution": "normal", "keep_order": True}},
    "reorder early": {"reorder": {"rate": 0.1, "early": True, "correlation": 0.5, "gap": 5}},
    "duplicate": {"duplicate": {"rate": 0.05, "correlation": 0.2}},
    "framing": {"framing": "pppoe-llcsnap"},
    "framing of both directions": {
        "framing": {"overhead": "-14B", "mpu": "64B", "cells": "ptm"},
        "device_queue": 3,
        "change": [{"at": "1s", "rate": "7777777bit"}],
        "reverse": {"rate": "300kbit", "framing": "docsis", "duplicate": {"rate": 0.02}},
    },
}
"""Properties of a link that netem has, and its framing."""
