"""Figure 3 (b): loss of UDP packets by the number of flows (Section 4)."""

from penstock.reproduce.figure import every, largest, smallest

from .setup import STANDARD, claim, everlasting, flows_figure, udp_loss

study = everlasting

ratio = udp_loss.along("scheme", largest) / udp_loss.along("scheme", smallest)
CLAIMS = (
    claim(
        "c05",
        every(
            (udp_loss(scheme=STANDARD) / udp_loss(scheme="REDopt")).matches_printed(2, 1.5, 2.7),
            udp_loss(scheme="REDopt") < udp_loss(scheme="TD"),
            udp_loss(scheme="TD") < udp_loss(scheme="REDstd"),
        )(flows=16),
    ),
    claim(
        "c06",
        every(ratio.at_next_value("flows") < ratio, (ratio <= 1.15)(flows=256)),
        "largest / smallest decreases with N, <= 1.15 at N = 256",
    ),
)

draw = flows_figure("udp_loss", "UDP loss (%)")
