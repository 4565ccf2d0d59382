"""`penstock doctor`: check the machine, show how to install missing parts, and clean the cache."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from penstock.cli.options import JsonTarget, flag_option
from penstock.cli.output import Outputs, notify

if TYPE_CHECKING:
    from penstock.engine.environment import EnvironmentCheck

EXAMPLE = "penstock doctor"

CleanCache = Annotated[
    bool, flag_option("--clean-cache", "Delete the stored runs in the user's cache folder; other stores are kept.")
]


def doctor(*, clean_cache: CleanCache = False, json_target: JsonTarget = None) -> None:
    """Check this machine, show how to install missing parts, and show the size of the cache."""
    from penstock.engine import environment
    from penstock.link import requirements
    from penstock.studies.store import default_store_folder

    outputs = Outputs.from_options(json_target)
    if clean_cache:
        _clean(default_store_folder())
    findings = [*environment.check_environment(), *requirements.environment_checks(), _cache(default_store_folder())]
    outputs.show(environment.environment_text(findings))
    outputs.write_json([vars(item) for item in findings])


def _cache(folder: Path) -> EnvironmentCheck:
    """Path and size of the default store."""
    from penstock.engine.environment import EnvironmentCheck

    sizes = []
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):  # other processes may be writing runs
                sizes.append(Path(parent, name).stat().st_size)
    advice = "penstock doctor --clean-cache removes it" if sizes else ""
    return EnvironmentCheck("cache", True, f"{folder}: {sum(sizes) / 1e6:.1f} MB in {len(sizes)} files", advice)


def _clean(folder: Path) -> None:
    """Remove the default store."""
    import shutil

    if folder.is_dir():
        shutil.rmtree(folder)
        notify(f"removed {folder}")
    else:
        notify(f"{folder}: there is no cache")
