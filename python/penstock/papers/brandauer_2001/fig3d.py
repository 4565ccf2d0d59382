"""Figure 3 (d): losses in a row with 256 flows (Section 4)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.brandauer_2001.ftp_goodput import study
from penstock.papers.brandauer_2001.setup import SETTINGS, TAIL, measure
from penstock.papers.brandauer_2001.tails import tails
from penstock.reproduce.claim import Claim
from penstock.results.sample import Sample, all_of, any_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table

__all__ = ["claims", "draw", "measure", "study"]


def claims(table: Table) -> Iterator[Claim]:
    """Claims c15 to c17, of the simulation and of what is like the testbed."""
    for setting in table.axis("setting"):
        yield from _of(table.where(setting=setting, flows=256), SETTINGS[setting])


def _of(table: Table, reading: str) -> Iterator[Claim]:
    def over(k: int, scheme: str) -> Sample:
        return table(f"over_{k}", scheme=scheme)

    yield Claim(
        id="c15",
        says="standard RED loses most in a row of its family, as its average often exceeds max_th",
        expected="N = 256: P(N > k) of REDstd > of GREDstd and REDopt for k = 5 to 20",
        reading=reading,
        holds=all_of(
            (over(k, "REDstd") > over(k, s)).at(f"{s}, k = {k}") for s in ("GREDstd", "REDopt") for k in range(5, 21)
        ),
    )
    yield Claim(
        id="c16",
        says="gentle RED and REDopt are significantly better than standard RED",
        expected="N = 256: mean losses in a row below REDstd's",
        reading=reading,
        must_hold=not reading,
        holds=all_of(
            (table("in_a_row", scheme=s) < table("in_a_row", scheme="REDstd")).at(s) for s in ("GREDstd", "REDopt")
        ),
    )
    yield Claim(
        id="c17",
        says="REDopt has a heavy tail: now and then a burst takes its average to max_th",
        expected="N = 256: P(N > k) of REDopt > of GREDstd for some k >= 10",
        reading=reading,
        because=""
        if reading
        else "REDopt's average stays far below max_th; with a quarter of the model's max_p there is a tail (why-c09)",
        holds=any_of((over(k, "REDopt") > over(k, "GREDstd")).at(f"k = {k}") for k in TAIL if k >= 10),
    )


def draw(shown: Shown) -> Figure:
    """The panel: the chance of more than k losses in a row."""
    return tails(shown.where(setting="simulation", flows=256))
