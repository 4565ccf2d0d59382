"""The engine's WebAssembly module gives the bytes of the native engine, at a useful speed."""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
from penstock import _native
from penstock.scenario.scenario import Document

from .recorded_runs import recorded_runs

NODE: Final = shutil.which("node")
HERE: Final = Path(__file__).parent
LIVE: Final = Path(_native.__file__).parent / "live"
MODULE: Final = LIVE / "penstock.wasm"
CURE: Final = "make live-module"
pytestmark = pytest.mark.skipif(NODE is None, reason="no node on this machine (Debian: apt install nodejs)")


def test_the_module_is_of_the_present_version_of_meaning(tmp_path: Path) -> None:
    assert _in_module([], tmp_path)["meaning"] == _native.meaning, CURE


def test_the_module_stays_small() -> None:
    assert MODULE.stat().st_size < 1_500_000


def test_every_mechanism_gives_the_bytes_of_the_native_engine(tmp_path: Path) -> None:
    # Laws in Python and files of recorded packets are outside the module.
    runs = {
        name: text
        for name, tree in recorded_runs(tmp_path).items()
        if "Python" not in name and '"file"' not in (text := _for_engine(name, tree))
    }
    jobs = [{"scenario": text, "seed": 1, "pieces": place % 3 * 7} for place, text in enumerate(runs.values())]
    native = _native.run_many(list(runs.values()), [1] * len(runs), 1, None)
    found = _in_module(jobs, tmp_path)["results"]
    assert len(runs) > 200
    different = [
        name
        for name, theirs, ours in zip(runs, found, native, strict=True)
        if theirs["text"] != ours[: ours.rindex(',"cpu_s":')] + "}"
    ]
    assert not different, f"{CURE}; different: {different}"


def test_the_module_has_more_than_two_fifths_of_the_native_speed(tmp_path: Path) -> None:
    document = Document.read(HERE.parents[1] / "scenarios" / "thesis_link.toml")
    texts = []
    for scheme in ("red", "pi", "codel", "fq-codel"):
        tree = copy.deepcopy(document.tree)
        tree["links"]["bottleneck"]["queue"] = {"scheme": scheme, "limit": "35p"}
        tree["duration"] = "1000s"
        texts.append(_for_engine(scheme, tree))
    # Processor time, and the best of several runs: the first ones are compiled while they run.
    results = _in_module([{"scenario": text, "seed": 1, "pieces": 0} for _ in range(5) for text in texts], tmp_path)[
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


def _in_module(jobs: list[dict[str, Any]], folder: Path) -> Any:
    asked, answered = folder / "jobs.json", folder / "results.json"
    asked.write_text(json.dumps(jobs), encoding="utf-8")
    script = HERE / "wasm_runs.mjs"
    done = subprocess.run(
        [NODE or "node", script, LIVE / "engine.js", MODULE, asked, answered],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(answered.read_text(encoding="utf-8"))
