"""A scenario is the same in Python and in TOML: write it, read it, change it by path, and get its errors."""

import tempfile
from pathlib import Path

import penstock as ps

link = ps.dumbbell(
    rate="2Mbit",
    rtt="50ms",
    duration="10s",
    queue=ps.Red(limit="40p", min_th=5, max_th=15),
    traffic={"bulk": ps.Tcp(count=3)},
)
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "link.toml"
    link.save(file)
    assert ps.Scenario.load(file) == link
    print(file.read_text())

faster = link.replace("links.bottleneck.rate", "4Mbit").replace("traffic.bulk.count", 6)
print("rate now", faster.links["bottleneck"].rate, "with", faster.traffic["bulk"].count, "flows")

wrong = link.replace("links.bottleneck.queue.min_th", 20).replace("traffic.bulk.packet", "1000")
for error in wrong.check():
    print(error)
