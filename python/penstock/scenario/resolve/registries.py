"""What the registries of schemes, conditioners and TCPs say of their settings, one by one, whatever else is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Set
from functools import partial
from typing import Any

from penstock import _native
from penstock.laws import python_law
from penstock.scenario.resolve.links import ANY_RATE

Check = Callable[[str], str]


def settings_faults(canonical: Mapping[str, Any], wrong: Callable[[str], Set[str]]) -> Iterator[dict[str, str]]:
    """The faults of all settings, each with `path` in the canonical form and `message`.

    `wrong(path)` has the keys of the table at `path` that are at fault already.
    """
    for path, check, settings in dict(_tables(canonical)).values():
        yield from _faults(path, check, settings, wrong(path))


def _tables(canonical: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, Check, Mapping[str, Any]]]]:
    """By what is checked the path, the check and the settings: copies of a link differ in nothing but their names."""
    for link in canonical["links"]:
        # Where the rate or the limit is at fault, any will do to find what else is.
        rate, queue, path = link["rate"] or ANY_RATE, link["queue"], f"links.{link['name']}"
        if not isinstance(rate, int):
            continue
        if queue and python_law.class_of(queue["scheme"]) is None:
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


def _faults(path: str, check: Check, settings: Mapping[str, Any], wrong: Set[str]) -> Iterator[dict[str, str]]:
    """A registry compares settings only when each is within its range: ask again without those that are not.

    A setting that is left out has its default, so a comparison with one says nothing and is not told.
    """
    left_out = set(wrong)
    while True:
        left = {name: value for name, value in settings.items() if name not in left_out}
        found = [fault for fault in json.loads(check(json.dumps(left))) if not _about(fault, left_out)]
        yield from ({**fault, "path": f"{path}.{fault['path']}"} for fault in found)
        names = {re.split(r"[.\[]", fault["path"])[0] for fault in found} - left_out
        if not names:
            return
        left_out |= names


def _about(fault: Mapping[str, str], names: Set[str]) -> bool:
    return bool(names & set(re.findall(r"\w+", f"{fault['path']} {fault['message']}")))
