"""The pages of the schemes have the live drop function wherever the scheme has one."""

from __future__ import annotations

import base64
import importlib
import json
import re
import shutil
from pathlib import Path

import pytest
from penstock import _native
from penstock.explain import explanation

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_a_scheme_with_a_drop_function_has_it_live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    generate = importlib.import_module("generate")
    # The pictures take their time and are drawn by every build.
    monkeypatch.setattr(explanation.Explanation, "draw", lambda _self, _file: None)
    (tmp_path / "generated").mkdir()
    (tmp_path / "reference").mkdir()
    shutil.copy(DOCS / "reference" / "python.md", tmp_path / "reference")
    monkeypatch.setattr(generate, "validation_page", lambda _file: "")
    generate.write(tmp_path / "generated")

    live = {}
    for entry in json.loads(_native.schemes()):
        text = (tmp_path / "generated" / "schemes" / f"{entry['name']}.md").read_text(encoding="utf-8")
        frame = re.search(r'<iframe class="live-law" src="\.\./\.\./live\.html#([\w-]+)" title="[^"]+"', text)
        if frame:
            live[entry["name"]] = json.loads(base64.urlsafe_b64decode(frame[1] + "=="))
    assert {"red", "wred", "ared-floyd", "nonlinear"} <= set(live)
    assert not {"droptail", "codel", "pie", "fq-codel"} & set(live)
    for name, setting in live.items():
        assert setting["only"] == "aqm"
        assert [queue["scheme"] for queue in setting["queues"]] == [name]
