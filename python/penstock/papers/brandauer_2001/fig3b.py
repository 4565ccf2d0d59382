"""Figure 3 (b): loss of UDP packets by the number of flows (Section 4)."""

from penstock.papers.brandauer_2001.setup import SETTING, STANDARD, everlasting, panel, udp_loss
from penstock.reproduce.figure import Claim, every, largest, smallest

study = everlasting

ratio = udp_loss.along("scheme", largest) / udp_loss.along("scheme", smallest)
CLAIMS = (
    Claim(
        "c05",
        "under light load REDopt loses half of what standard RED loses, and tail-drop is in between",
        every(
            (udp_loss(scheme=STANDARD) / udp_loss(scheme="REDopt")).reads(2, 1.5, 2.7),
            udp_loss(scheme="REDopt") < udp_loss(scheme="TD"),
            udp_loss(scheme="TD") < udp_loss(scheme="REDstd"),
        )(flows=16, setting=SETTING),
    ),
    Claim(
        "c06",
        "under heavy load the differences are too small to matter",
        every(ratio.next("flows") < ratio, (ratio <= 1.15)(flows=256))(setting=SETTING),
        "largest / smallest decreases with N, <= 1.15 at N = 256",
    ),
)

draw = panel("udp_loss", "UDP loss (%)")
