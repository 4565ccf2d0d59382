"""Figures for papers: one kind per module, each with `draw(...) -> matplotlib.figure.Figure`.

All but `metric_by_axis` are 3.33 in wide (one column of an ACM paper). They have 8 pt type, colours that colour-blind
readers can distinguish, and a different marker and dash for each line. `save` writes PDF, SVG or PNG, the same bytes
each time.
"""

from importlib import import_module
from typing import Any

from penstock.plots.style import save

__all__ = [
    "control_law", "curves", "delay_goodput", "drop_function", "metric_by_axis", "metric_vs_swept", "queue_over_time",
    "queue_tail", "response", "save", "service_order", "style",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """The module of a kind of figure, imported when it is first used."""
    if name in __all__:
        return import_module(f"penstock.plots.{name}")
    raise AttributeError(f"module 'penstock.plots' has no attribute {name!r}")
