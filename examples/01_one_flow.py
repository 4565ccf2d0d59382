"""One TCP flow through a drop-tail queue: its queue length, and its share of the link."""

import penstock as ps

link = ps.dumbbell(
    rate="10Mbit",
    rtt="80ms",
    duration="60s",
    warmup="10s",
    queue=ps.DropTail(limit="1BDP"),
    traffic={"bulk": ps.Tcp()},
)
run = ps.run(link)

bottleneck, bulk = run.links["bottleneck"], run.traffic["bulk"]
print(f"utilization   {bottleneck.utilization:.1%}")
print(f"mean queue    {bottleneck.length_mean_pkts:.1f} packets")
print(f"mean delay    {bottleneck.delay_mean_s * 1e3:.1f} ms, 99 % below {bottleneck.delay_p99_s * 1e3:.1f} ms")
print(f"goodput       {bulk.goodput_bps / 1e6:.2f} Mbit/s")
print(f"lost packets  {bulk.lost_pkts} of {bulk.sent_pkts}")
print(f"longest queue {len(bottleneck.length_pmf) - 1} packets")
