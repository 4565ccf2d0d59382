"""The page of the keys of routers, switches and other simulators, from the tables that their readers use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from penstock.dialects import arista, dummynet_keys, junos_read, ns2_keys, ns3_keys, sonic, tc_sqm
from penstock.dialects.cisco_keys import ACTIONS
from penstock.dialects.keys import Key

__all__ = ["page"]

HEAD = """# Keys of routers and simulators

This page shows how [`penstock convert`](../howto/convert.md) and `--scheme 'cisco: ...'` translate each setting of
Cisco IOS, OpenWrt (dialect `tc`), Junos, Arista EOS, SONiC, dummynet, ns-2 and ns-3. It is generated from the tables of
the readers. An omitted setting has the default of its own program, which is given here. *Listed*: penstock has no
parameter for the setting, and the output names it with the reason. *No effect*: the setting has no meaning for a
simulated queue. Words that are not on this page are rejected.
"""


def page() -> str:
    """The page."""
    return "\n".join([HEAD, *(line for title, keys in _tables() for line in _section(title, keys))])


def _tables() -> Iterator[tuple[str, Iterable[Key]]]:
    yield "Cisco IOS: a class of a policy map", ACTIONS
    yield "OpenWrt: a queue of /etc/config/sqm, read as tc", tc_sqm.KEYS
    yield "Junos: a scheduler", junos_read.SCHEDULER_KEYS
    yield "Junos: an interface below class-of-service", junos_read.INTERFACE_KEYS
    yield "Arista EOS: a transmit queue", arista.KEYS
    yield "SONiC: WRED_PROFILE", sonic.KEYS
    yield "SONiC: SCHEDULER", sonic.SCHEDULER_KEYS
    yield "dummynet: a pipe, queue or scheduler", dummynet_keys.OBJECT_KEYS
    yield "dummynet: red and gred", dummynet_keys.RED_KEYS
    for name, (scheme, keys) in dummynet_keys.AQMS.items():
        yield f"dummynet: {name}, read as {scheme}", keys
    yield "ns-2: Queue, the variables of all queues", ns2_keys.BASE
    for name, (scheme, keys) in ns2_keys.QUEUES.items():
        yield f"ns-2: Queue/{name}, read as {scheme}", keys
    for name, (scheme, keys) in ns3_keys.DISCS.items():
        yield f"ns-3: {name}, read as {scheme}", keys


def _section(title: str, keys: Iterable[Key]) -> Iterator[str]:
    rows = [*keys]
    sources = dict.fromkeys(key.source for key in rows)
    yield from (f"## {title}", "", "; ".join(sources) + ".", "")
    yield from ("| key | default | unit | values | becomes |", "| --- | --- | --- | --- | --- |")
    for key in rows:
        default = f"`{key.default}`" if key.default else ""
        yield f"| `{key.name}` | {default} | {_cell(key.unit)} | {_cell(key.range)} | {_cell(_becomes(key))} |"
    yield ""


def _becomes(key: Key) -> str:
    if key.is_applied:
        return f"`{key.counterpart}`"
    if key.counterpart[:1].islower():
        return key.counterpart
    return f"*no effect*: {key.loss_reason}" if key.neutral_values == ("*",) else f"*listed*: {key.loss_reason}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
