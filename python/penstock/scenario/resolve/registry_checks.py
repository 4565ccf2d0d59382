"""Checks of settings by the registries of schemes, conditioners and TCPs, each independent of other errors."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Set
from functools import partial
from typing import Any

from penstock import _native
from penstock.aqms import python_aqm
from penstock.scenario.resolve.links import ANY_RATE

Check = Callable[[str], str]


def settings_errors(canonical: Mapping[str, Any], wrong: Callable[[str], Set[str]]) -> Iterator[dict[str, str]]:
    """The errors of all settings, each with `path` in the canonical form and `message`.

    `wrong(path)` gives the keys of the table at `path` that are already known to be wrong.
    """
    for path, check, settings in dict(_tables(canonical)).values():
        yield from _errors(path, check, settings, wrong(path))


def _tables(canonical: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, Check, Mapping[str, Any]]]]:
    """Avoids repeated checks: copies of a link differ only in their names."""
    for link in canonical["links"]:
        # If the rate or the limit is wrong, a substitute allows the remaining checks.
        rate, queue, path = link["rate"] or ANY_RATE, link["queue"], f"links.{link['name']}"
        if not isinstance(rate, int):
            continue
        if queue and python_aqm.declared_class(queue["scheme"]) is None:
            about = json.dumps({"rate": rate, "limit": queue["limit"] or "inf", "rtt_ns": link["rtt_ns"]})
            check = partial(_queue, queue["scheme"], about)
            yield f"{about} {json.dumps(queue)}", (f"{path}.queue", check, queue["params"])
        for i, stage in enumerate(link["edge"]):
            about = json.dumps({"rate": rate, "limit": stage.get("limit", "inf")})
            check = partial(_conditioner, stage["kind"], about)
            yield f"{about} {i} {json.dumps(stage)}", (f"{path}.edge[{i}]", check, stage["params"])
    for traffic in canonical["traffic"]:
        if "tcp" in traffic and traffic["tcp"]["profile"]:
            path = f"traffic.{traffic['name']}"
            yield path, (path, partial(_native.check_tcp, traffic["tcp"]["profile"]), traffic["tcp"]["settings"])


def _queue(scheme: str, about: str, settings: str) -> str:
    return _native.check_queue(scheme, settings, about)


def _conditioner(kind: str, about: str, settings: str) -> str:
    return _native.check_conditioner(kind, settings, about)


def _errors(path: str, check: Check, settings: Mapping[str, Any], wrong: Set[str]) -> Iterator[dict[str, str]]:
    """A registry compares settings with each other only if each is in its range, so check again without invalid ones.

    The invalid settings then have their defaults; errors of comparisons with such a default are not reported.
    """
    left_out = set(wrong)
    while True:
        left = {name: value for name, value in settings.items() if name not in left_out}
        errors = [error for error in json.loads(check(json.dumps(left))) if not _about(error, left_out)]
        yield from ({**error, "path": f"{path}.{error['path']}"} for error in errors)
        names = {re.split(r"[.\[]", error["path"])[0] for error in errors} - left_out
        if not names:
            return
        left_out |= names


def _about(error: Mapping[str, str], names: Set[str]) -> bool:
    return bool(names & set(re.findall(r"\w+", f"{error['path']} {error['message']}")))
