"""Why c05 fails: loss of UDP packets with 16 flows by the size of the buffer, all thresholds growing with it."""

from penstock.reproduce.figure import Choice, Curves

from .setup import PACKET, PROPAGATION, RATE_BPS, Design, design, ftp, ftp_runs, queue

FLOWS = 16


def _scaled(at: Design, scale: float) -> Design:
    """All lengths times `scale`; max_p by the inverse square of the round trip, as the loss that TCP takes."""

    def rtt(times: float) -> float:
        return PROPAGATION + times * (at.min_th + at.max_th) / 2 * 8 * PACKET / RATE_BPS

    return Design(
        round(at.buffer * scale), at.min_th * scale, at.max_th * scale, at.max_p * (rtt(1) / rtt(scale)) ** 2, at.w_q
    )


study = ftp_runs(  # REDopt's settings for 16 flows and larger ones, whose max_p is that of the longer round trip
    lambda scheme, scale: ftp(FLOWS, queue(scheme, _scaled(design(FLOWS), scale))),
    {"scheme": ["TD", "REDstd", "REDopt"], "scale": Choice([1, 3], [1, 1.5, 2, 3])},
)

CLAIMS = ()

draw = Curves("scale", "udp_loss", "scheme", labels=("buffer / REDopt's for 16 flows", "UDP loss (%)"), log="y")
