"""What is in profile is not lost (Section 3.1)."""

from penstock.papers.bodin_schelen_2001 import setup
from penstock.reproduce.figure import Claim, metric

study = setup.sweep(*setup.SETTINGS)

lost = metric("lost_in", says="drops of AF11 at the congested link")
CLAIMS = (Claim("c01", "nothing that is in profile is lost", lost <= 0, must_hold=True),)
