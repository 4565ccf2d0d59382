"""An AQM of one's own: drop with a probability that grows with the queue, against drop-tail and RED."""

import penstock as ps


@ps.aqm("slope")
class Slope(ps.Aqm):
    """Drop an arrival with probability `steepness` times the part of the buffer that is full."""

    steepness: float = 0.1

    def on_arrival(self, cx, pkt):
        return ps.DROP if cx.rng.chance(self.steepness * cx.queue.packets / cx.queue.limit) else ps.PASS


link = ps.dumbbell(
    rate="2Mbit",
    rtt="60ms",
    duration="10s",
    warmup="2s",
    traffic={"bulk": ps.Tcp(count=8)},
)
schemes = [ps.DropTail(limit="50p"), ps.Red(limit="50p"), Slope(limit="50p"), Slope(limit="50p", steepness=0.4)]
runs = ps.compare(link, schemes, runs=3)
for scheme in runs.schemes:
    mean = runs.estimate("length_mean_pkts", scheme=scheme.argument).mean
    busy = runs.estimate("utilization", scheme=scheme.argument).mean
    print(f"{scheme.argument:32} {mean:6.2f} packets wait, {busy:6.2%} used")
