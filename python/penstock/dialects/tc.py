"""Linux' `tc`: lines as `tc qdisc`, `tc class` and `tc filter` take them, and as `tc qdisc show` and kin print them."""

from __future__ import annotations

import re
from typing import Any

from penstock.dialects import tc_queue
from penstock.dialects.conversion import Conversion, DialectError, Facts
from penstock.dialects.tc_lines import Line, lines_of
from penstock.dialects.tc_read import CLASSFUL, read_gred, read_tree
from penstock.dialects.tc_write import WRITERS
from penstock.errors import nearest

__all__ = ["read", "write"]


def read(text: str, facts: Facts) -> Conversion:
    """The settings of one queue or of a root queue with its classes, filters and their queues.

    A queue may stand alone (`KIND OPTIONS`), as in `tc qdisc add ...`, or as `tc qdisc show` prints it.
    """
    lines = lines_of(text)
    for line in lines:
        _check(line)
    queues = [line for line in lines if line.subject == "qdisc" and line.kind]
    kinds = {line.kind for line in queues}
    if kinds == {"gred"}:
        found = read_gred(queues, facts)
    elif kinds & set(CLASSFUL) or len(lines) > 1:
        found = read_tree(lines, facts)
    elif queues:
        found = tc_queue.read(queues[0], facts)
    else:
        raise DialectError(f"no queue of tc in this text; there are: {', '.join(_known())}")
    if re.search(r"\d[kmgt]?i?bps\b", text, re.IGNORECASE):
        found.notes.append("bps in tc is bytes per second")
    found.notes = list(dict.fromkeys(found.notes))
    return found


def write(scheme: str, parameters: dict[str, Any], facts: Facts) -> Conversion:
    """Lines for `tc`. Raises `DialectError` if tc has no such queue."""
    if scheme in WRITERS:
        return WRITERS[scheme](scheme, dict(parameters), facts)
    found = tc_queue.write(scheme, parameters, facts)
    found.text = f"tc qdisc replace dev {facts.device} root {found.text}"
    return found


def _known() -> list[str]:
    return [*tc_queue.KINDS, *CLASSFUL, "gred"]


def _check(line: Line) -> None:
    """Raise `DialectError` for a queue that is not known."""
    if line.subject != "qdisc" or line.kind in _known() or (line.kind in ("ingress", "clsact", "noqueue", "mq")):
        return
    name = line.kind or "nothing"
    raise DialectError(f'no queue of tc in "{line.text}"{nearest(name, _known())}; there are: {", ".join(_known())}')
