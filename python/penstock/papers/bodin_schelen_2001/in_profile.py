"""Packets in profile are not lost (Section 3.1)."""

from penstock.reproduce.figure import metric

from . import setup
from .setup import claim

study = setup.strategy_sweep(*setup.SETTINGS)

lost = metric("lost_in", says="drops of AF11 at the congested link")
CLAIMS = (claim("c01", lost <= 0, must_hold=True),)
