"""What the experiments of Chung and Claypool have in common; section numbers refer to their paper."""

import penstock as ps
from penstock.reproduce.figure import claims_of
from penstock.units import format_time, parse_rate

claim = claims_of(__file__)

PACKET = 1000  # bytes, "1 KB" (Section III); the service rate counts whole packets of this size
ACCESS = "10ms"  # one way, each side; with the 20 ms of the bottleneck RTLD is 80 ms (decision: Fig. 3 is not legible)


def dumbbell(
    queue: ps.Queue,
    flows: int,
    *,
    rate: str = "20Mbit",
    rtld: float = 0.080,
    window: int = 10_000,
    duration: str,
    warmup: str,
) -> ps.Scenario:
    """N NewReno transfers without end over one congested link (Section III); `rtld` in seconds.

    The source's packets of 1 KB hold the headers, so that 20 Mb/s are 2500 packets a second. Transfers begin one by one
    within a second for each 50 of them.
    """
    access = format_time(round((rtld / 2 - 0.020) / 2 * 1e9))
    return ps.Scenario(
        name=f"Chung and Claypool, {flows} flows",
        duration=duration,
        warmup=warmup,
        links={
            "bottleneck": ps.Link(from_="R1", to="R2", rate=rate, delay="20ms", queue=queue, watch=True),
            "source": ps.Link(from_="S", to="R1", rate=_fast(rate), delay=access),
            "sink": ps.Link(from_="R2", to="D", rate=_fast(rate), delay=access),
        },
        traffic={
            "bulk": ps.Tcp(
                count=flows, from_="S", to="D", flavour="newreno", profile="ns2-2003", packet=f"{PACKET - 40}B",
                window=window, ecn=getattr(queue, "ecn", False), start={"uniform": ["0s", f"{max(flows / 50, 1):g}s"]},
            )
        },
    )  # fmt: skip


def service_rate(rate: str) -> float:
    """SR in packets a second."""
    return parse_rate(rate) / 8 / PACKET


def _fast(rate: str) -> str:
    """Every source has a link of 100 Mb/s: one link of all of them that is never full."""
    return f"{50 * parse_rate(rate) / 1e6:g}Mbit"
