"""The Python lines of the public interface, as a user writes them; only the runs are shorter."""

from __future__ import annotations

from pathlib import Path

import penstock as ps
import polars as pl
import pyarrow as pa
import pytest


def test_the_lines_of_the_interface_work(tmp_path: Path) -> None:
    link = ps.dumbbell(rate="20Mbit", rtt="40ms", duration="8s", warmup="3s", traffic={"downloads": ps.Tcp(count=20)})
    runs = ps.compare(link, ["droptail", "fq-codel"], vary={"traffic.downloads.count": [5, 20]}, runs=5)
    assert "fq-codel has the lowest" in repr(runs)
    assert {row["metric"] for row in runs.summary("delay_mean_s")} == {"delay_mean_s"}
    assert {row["against"] for row in runs.compare(to="droptail")} == {"droptail"}
    assert (len(runs["fq-codel"]), len(runs.where(count=20))) == (10, 10)
    assert runs.plot("delay_mean_s", x="count", by="scheme").axes
    runs.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size > 100_000
    shape = (20, len(runs.table.column_names))
    assert runs.to_pandas().shape == pl.DataFrame(runs).shape == pa.table(runs).shape == shape
    assert dict(runs.to_xarray().sizes) == {"scheme": 2, "traffic.downloads.count": 2, "seed": 5}
    assert ps.run(link).links["bottleneck"].delay_mean_s > 0


@pytest.mark.slow
def test_one_aim_and_one_scheme_are_advice_in_the_words_of_tc() -> None:
    link = ps.dumbbell(rate="5Mbit", rtt="40ms", duration="4s", traffic={"downloads": ps.Tcp(count=4)})
    advice = ps.tune(link, "delay p99 < 40ms", "fq-codel", budget_s=5)
    assert advice.tc is not None
    assert advice.tc.startswith("tc qdisc replace dev eth0 root fq_codel")
    assert repr(advice) == f"{advice.conclusion}\n{advice.tc}"
