"""Drop-tail against gentle RED on one link, paired run by run, at two loads."""

import penstock as ps

link = ps.dumbbell(
    rate="10Mbit",
    rtt="80ms",
    duration="20s",
    warmup="5s",
    traffic={"bulk": ps.Tcp()},
)
found = ps.compare(
    link,
    [ps.DropTail(limit="100p"), ps.Red(limit="100p", min_th=10, max_th=30, gentle=True)],
    vary={"traffic.bulk.count": [5, 40]},
    runs=5,
)
print(found)
