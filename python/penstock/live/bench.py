"""The live bench in a notebook."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path

from penstock.files import write_text
from penstock.live.page import bench_page
from penstock.live.page_data import DEFAULT, DEFAULT_SCHEMES, live_page_data
from penstock.scenario.document import ScenarioLike, as_document, read_document

__all__ = ["LiveBench"]


class LiveBench:
    """The live bench, shown in a notebook: a scenario's queue next to other schemes under the same traffic.

    Args:
        scenario: a scenario, or the path of its file; by default RED swings and PI damps it.
        schemes: up to three others, in the notation of `--scheme`, such as "pi" or "codel:target=10ms".
        at: the watched link; by default the first watched one.
        height: of the view, in CSS pixels.

    Raises `PenstockError` where no page can be made, as for AQMs in Python.
    """

    def __init__(
        self,
        scenario: ScenarioLike | None = None,
        schemes: Sequence[str] = (),
        *,
        at: str | None = None,
        height: int = 800,
    ) -> None:
        document = read_document(DEFAULT) if scenario is None else as_document(scenario)
        self.height = height
        self.html = bench_page(
            live_page_data(document, list(schemes) or (DEFAULT_SCHEMES if scenario is None else []), at)
        )

    def save(self, file: str | Path) -> None:
        """Write the page, which works offline. Raises `FileError` if it cannot be written."""
        write_text(Path(file), self.html)

    def _repr_html_(self) -> str:
        look = f"width: 100%; height: {self.height}px; border: 1px solid #8886; border-radius: 8px"
        return f'<iframe title="The live bench" style="{look}" srcdoc="{html.escape(self.html)}"></iframe>'
