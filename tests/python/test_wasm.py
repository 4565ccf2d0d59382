"""The engine's WebAssembly module gives the bytes of the native engine, at a useful speed."""

from __future__ import annotations

import base64
import copy
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from penstock import _native
from penstock.scenario.document import Document
from playwright.sync_api import Page

from .browser import needs_chromium, wait
from .recorded_runs import recorded_runs

HERE: Final = Path(__file__).parent
LIVE: Final = Path(_native.__file__).parent / "live"
MODULE: Final = LIVE / "penstock.wasm"
CURE: Final = "make live-module"
needs_node = pytest.mark.needs("node")
Job = dict[str, Any]


@pytest.fixture(params=[pytest.param("node", marks=needs_node), pytest.param("browser", marks=needs_chromium)])
def module(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[list[Job]], Any]:
    """Runs jobs in the module, by node or in a browser: the module's version of meaning, and the results."""
    if request.param == "node":
        return lambda jobs: _in_node(jobs, tmp_path)
    tab = request.getfixturevalue("tab")
    return lambda jobs: _in_browser(jobs, tmp_path, tab)


def test_the_module_is_of_the_present_version_of_meaning(module: Callable[[list[Job]], Any]) -> None:
    assert module([])["meaning"] == _native.meaning, CURE


def test_the_module_stays_small() -> None:
    assert MODULE.stat().st_size < 1_650_000


def test_every_mechanism_gives_the_bytes_of_the_native_engine(
    module: Callable[[list[Job]], Any], tmp_path: Path
) -> None:
    # AQMs in Python and files of recorded packets are outside the module.
    runs = {
        name: text
        for name, tree in recorded_runs(tmp_path).items()
        if "Python" not in name and '"file"' not in (text := _for_engine(name, tree))
    }
    jobs = [{"scenario": text, "seed": 1, "pieces": place % 3 * 7} for place, text in enumerate(runs.values())]
    native = _native.run_many(list(runs.values()), [1] * len(runs), 1, None)
    results = module(jobs)["results"]
    assert len(runs) > 200
    different = [
        name
        for name, theirs, ours in zip(runs, results, native, strict=True)
        if theirs["text"] != ours[: ours.rindex(',"cpu_s":')] + "}"
    ]
    assert not different, f"{CURE}; different: {different}"


@needs_node
@pytest.mark.quiet
def test_the_module_has_more_than_two_fifths_of_the_native_speed(tmp_path: Path) -> None:
    document = Document.read(HERE.parents[1] / "scenarios" / "thesis_link.toml")
    texts = []
    for scheme in ("red", "pi", "codel", "fq-codel"):
        tree = copy.deepcopy(document.tree)
        tree["links"]["bottleneck"]["queue"] = {"scheme": scheme, "limit": "35p"}
        tree["duration"] = "1000s"
        texts.append(_for_engine(scheme, tree))
    # Processor time, and the best of several runs: the first ones are compiled while they run.
    results = _in_node([{"scenario": text, "seed": 1, "pieces": 0} for _ in range(5) for text in texts], tmp_path)[
        "results"
    ]
    theirs = [min(result["seconds"] for result in results[place :: len(texts)]) for place in range(len(texts))]
    ours = [min(_native_seconds(text) for _ in range(3)) for text in texts]
    ratio = sum(ours) / sum(theirs)
    assert ratio > 0.4, f"the module has {ratio:.0%} of the native speed"


def _native_seconds(text: str) -> float:
    return float(json.loads(_native.run_many([text], [1], 1, None)[0])["cpu_s"])


def _for_engine(name: str, tree: dict[str, Any]) -> str:
    return Document(tree, {"": name}).resolve().for_engine(flows=True, series=False)


def _in_node(jobs: list[Job], folder: Path) -> Any:
    jobs_file, results_file = folder / "jobs.json", folder / "results.json"
    jobs_file.write_text(json.dumps(jobs), encoding="utf-8")
    command = ["node", *map(str, (HERE / "wasm_runs.mjs", LIVE / "engine.js", MODULE, jobs_file, results_file))]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    return json.loads(results_file.read_text(encoding="utf-8"))


def _in_browser(jobs: list[Job], folder: Path, tab: Page) -> Any:
    """Run the jobs as scripts of a page do, without files beside it."""
    engine = (LIVE / "engine.js").read_text(encoding="utf-8").replace("export ", "")
    bytes_ = base64.b64encode(MODULE.read_bytes()).decode()
    file = folder / "runs.html"
    file.write_text(
        f"""<!doctype html><meta charset="utf-8"><script type="module">{engine}
        const engine = await loadEngine(Uint8Array.from(atob("{bytes_}"), (char) => char.charCodeAt(0)));
        const results = {json.dumps(jobs)}.map(({{ scenario, seed, pieces }}) => {{
          const run = engine.open(scenario, seed, false);
          const end = JSON.parse(scenario).duration_ns / 1e9;
          for (let piece = 1; piece < pieces; piece += 1) run.advance((end * piece) / pieces);
          return {{ text: run.finish() }};
        }});
        window.answer = {{ meaning: engine.meaning, results }};
        </script>""",
        encoding="utf-8",
    )
    tab.goto(file.as_uri())
    wait(tab, "window.answer !== undefined", seconds=60)
    return json.loads(tab.evaluate("JSON.stringify(window.answer)"))
