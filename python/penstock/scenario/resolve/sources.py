"""The sources of each kind of traffic in canonical form: transfers, incast, datagrams, bursts, web sessions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Any, Final

from penstock.aqms.catalog import tcp_keys
from penstock.scenario.resolve.application_requirements import read_qoo, read_responsiveness_probes
from penstock.scenario.resolve.codepoints import RECORDED, parse_ecn_field, parse_replay_ecn_field
from penstock.scenario.resolve.draws import DrawableValue, drawable_parser
from penstock.scenario.resolve.reader import (
    REQUIRED,
    Table,
    choice_parser,
    parse_boolean,
    parse_payload,
    whole_number_parser,
)
from penstock.scenario.resolve.settings import LengthContext, readable_default, resolve_setting
from penstock.scenario.resolve.transfers import TRANSFER_KEYS, has_connection_per_transfer, read_transfers
from penstock.scenario.resolve.video import read_replay, read_video
from penstock.units import (
    UnitError,
    format_rate,
    format_size,
    format_time,
    parse_probability,
    parse_rate,
    parse_size,
    parse_time,
)

KINDS: Final = ("tcp", "cbr", "poisson", "onoff", "web", "fec", "incast", "video", "replay")
COMMON: Final = ("kind", "count", "from", "to", "path", "start", "stop", "dscp", "qoo")
# Maximum block length of a Reed-Solomon code over symbols of 16 bits.
MAX_IN_BLOCK: Final = 65_535
# Codecs of a call: impairments of ITU-T G.113, appendix I.
CODECS: Final = ("g711", "g711-plain", "g729a")
WEB_COMMON: Final = ("kind", "sessions", "from", "to", "start", "stop", "dscp", "qoo")
INCAST_COMMON: Final = ("kind", "senders", "from", "to", "start", "stop", "dscp", "qoo")

# Feldmann et al., SIGCOMM 1999: times between pages and between objects, objects of a page, bytes of an object.
_WEB: Final[Mapping[str, Any]] = {
    "pages": {"pareto": "50s", "shape": 2.0},
    "objects": {"pareto": 4, "shape": 1.2},
    "gap": {"pareto": "500ms", "shape": 1.5},
    "size": {"pareto": "12kB", "shape": 1.2},
}


def read_source(table: Table, kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The keys of a kind of traffic, in the form for the engine and in the form to show."""
    read = {
        "tcp": _bulk,
        "incast": _incast,
        "web": _web,
        "onoff": _onoff,
        "fec": _fec,
        "cbr": _cbr,
        "poisson": _poisson,
    }
    videos = {"video": read_video, "replay": read_replay}
    own, readable = videos[kind](table, COMMON) if kind in videos else read[kind](table)
    if own and "tcp" not in own:
        parse, default = (parse_replay_ecn_field, RECORDED) if kind == "replay" else (parse_ecn_field, "not")
        own["ecn"] = readable["ecn"] = table.parse_key("ecn", parse, default)
    outcome, readable_outcome = read_qoo(table, measured="tcp" not in own or "delays" in own)
    return own | outcome, readable | readable_outcome


def _cbr(table: Table) -> tuple[dict[str, Any], dict[str, Any]]:
    own, readable = _udp(table, "jitter", "call")
    call = table.parse_key("call", choice_parser(*CODECS))
    if own and call is not None:
        own["call"] = readable["call"] = call
        if not isinstance(own["udp"]["rate"], int) or not isinstance(own["udp"]["payload"], int):
            table.add_error("call", "needs one rate and one packet size, not drawn ones")
    if own:
        jitter = table.parse_key("jitter", parse_probability, 0.0)
        own["udp"]["jitter"] = jitter or 0.0
        readable["jitter"] = jitter
    return own, readable


def _poisson(table: Table) -> tuple[dict[str, Any], dict[str, Any]]:
    own, readable = _udp(table)
    readable.pop("phase", None)
    return own, readable


def _bulk(table: Table) -> tuple[dict[str, Any], dict[str, Any]]:
    """TCP flows; if sizes are drawn or transfers arrive, each transfer has its own connection."""
    if not has_connection_per_transfer(table):
        watch = table.parse_key("watch", parse_boolean, False)
        own, readable = _tcp(table, *TRANSFER_KEYS, "watch")
        return (own | {"watch": True}, readable | {"watch": True}) if watch else (own, readable)
    own, readable = _tcp(table, *TRANSFER_KEYS, sized=False)
    transfers, readable_transfers = read_transfers(table, readable.get("packet"))
    probes, readable_probes = read_responsiveness_probes(table, own)
    return own | {"transfers": transfers} | probes, readable | readable_transfers | readable_probes


def _incast(table: Table) -> tuple[dict[str, Any], dict[str, Any]]:
    every = table.parse_key("every", parse_time)
    pause = table.parse_key(
        "pause", drawable_parser(parse_time, format_time), drawable_parser(parse_time, format_time)("0s")
    )
    own, readable = _tcp(table, "every", "pause", common=INCAST_COMMON, sized=False)
    transfers, readable_transfers = read_transfers(table, readable.get("packet"))
    if "every" in table.values and "pause" in table.values:
        table.add_error("every", "give either every, from start to start, or pause, from the end to the next start")
    if every == 0:
        table.add_error("every", "must be above 0s")
    if pause is None:
        return own, readable
    rhythm = {"pause": pause.readable} if every is None else {"every": format_time(every)}
    incast = {"every_ns": every, "pause": pause.canonical(0, 1)}
    return own | {"transfers": transfers, "incast": incast}, rhythm | readable | readable_transfers


def _onoff(table: Table) -> tuple[dict[str, Any], dict[str, Any]]:
    over = table.parse_key("over", choice_parser("tcp", "udp"), "tcp")
    on = table.parse_key("on", _on, REQUIRED, advice="such as on = { packets = 256 }")
    off = table.parse_key(
        "off", drawable_parser(parse_time, format_time), REQUIRED, advice='such as off = { exp = "2s" }'
    )
    keys = ("on", "off", "over")
    own, readable = _udp(table, *keys) if over == "udp" else _tcp(table, *keys)
    if on is None or off is None:
        return own, readable
    unit, length, on_readable = on
    if over == "tcp" and unit == "time":
        table.add_error("on", "of tcp is a number of packets: each on-period is a transfer, { packets = 256 }")
    if over == "tcp":
        _endless(table)
    onoff = {"on": length.canonical(0, 1), "unit": unit, "off": off.canonical(0, 1)}
    return own | {"onoff": onoff}, {"on": on_readable, "off": off.readable, "over": over} | readable


def _on(value: Any) -> tuple[str, DrawableValue, Any]:
    if isinstance(value, Mapping) and "packets" in value:
        if len(value) != 1:
            raise UnitError("packets stands alone in on")
        packets = drawable_parser(whole_number_parser(1, 4_000_000_000), _number)(value["packets"])
        return "packets", packets, {"packets": packets.readable}
    length = drawable_parser(parse_time, format_time)(value)
    return "time", length, length.readable


def _web(table: Table) -> tuple[dict[str, Any], dict[str, Any]]:
    parsers = {
        "pages": drawable_parser(parse_time, format_time),
        "objects": drawable_parser(_count, _number),
        "gap": drawable_parser(parse_time, format_time),
        "size": drawable_parser(parse_size, format_size),
    }
    drawn = {key: table.parse_key(key, parse, parse(_WEB[key])) for key, parse in parsers.items()}
    request = table.parse_key("request", parse_size, 300)
    option = table.parse_key("option", whole_number_parser(0, 1), 1)
    tcp, readable = _tcp(table, *parsers, "request", "option", common=WEB_COMMON)
    _endless(table)
    if request is not None and not 1 <= request <= 65_535:
        table.add_error("request", "a request lies between 1B and 65535B")
    if request is None or option is None or any(value is None for value in drawn.values()):
        return tcp, readable
    web = {key: value.canonical(0, 1) for key, value in drawn.items()} | {"request": request, "option": option}
    readable_web = {key: value.readable for key, value in drawn.items()} | {
        "request": format_size(request),
        "option": option,
    }
    return tcp | {"web": web}, readable_web | readable


def _endless(table: Table) -> None:
    for key in ("packets", "bytes"):
        if key in table.values:
            table.add_error(key, "the length of a transfer is drawn for each connection here")


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 1_000_000:
        raise UnitError("must be a number above 0 and at most 1000000")
    return value  # type: ignore[return-value]  # a mean number of objects need not be whole


def _number(value: float) -> float:
    return value


@cache
def _tcp_defaults(profile: str, flavour: str) -> Mapping[str, Any]:
    """The defaults of the keys of TCP in a profile with this flavour, as written in a file."""
    return {param.name: readable_default(param) for param in tcp_keys().with_defaults(profile, flavour)}


def _tcp(
    table: Table, *own: str, common: tuple[str, ...] = COMMON, sized: bool = True
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The keys of TCP; without `sized`, the keys of a transfer's size are read elsewhere."""
    keys = tcp_keys()
    profile = table.parse_key("profile", choice_parser(*keys.profiles), keys.default_profile)
    settings: dict[str, Any] = {}
    readable: dict[str, Any] = {"profile": profile}
    chosen_profile, flavour = profile or keys.default_profile, table.values.get("flavour")
    if flavour not in keys.flavours:
        flavour = keys.default_flavour(chosen_profile)
    defaults = _tcp_defaults(chosen_profile, flavour)
    for param in keys.params:
        if not sized and param.name in ("packets", "bytes"):
            continue
        if param.name not in table.values:
            default = defaults[param.name]
            if param.name != "flavour" and default is not None:
                readable[param.name] = default
            continue
        pair = table.parse_key(param.name, partial(resolve_setting, param, around=LengthContext()))
        if pair is None:
            continue
        if param.name == "flavour":
            flavour = pair[0]
        else:
            settings[param.name], readable[param.name] = pair
    if "packets" in settings and "bytes" in settings:
        table.add_error("bytes", "give the transfer's length either in packets or in bytes")
    delays = {"delays": True} if table.parse_key("delays", parse_boolean, False) else {}
    table.check_keys([*common[:2], "profile", *common[2:], *own, "delays", *(param.name for param in keys.params)])
    tcp = {"profile": profile, "flavour": flavour, "settings": settings}
    return {"tcp": tcp} | delays, {"flavour": flavour} | readable | delays


def _udp(table: Table, *own: str) -> tuple[dict[str, Any], dict[str, Any]]:
    rate = table.parse_key(
        "rate", drawable_parser(parse_rate, format_rate), REQUIRED, advice='such as rate = "500kbit"'
    )
    packet = table.parse_key(
        "packet", drawable_parser(parse_payload, format_size), REQUIRED, advice='the payload, such as packet = "1000B"'
    )
    headers = table.parse_key("headers", parse_size, 28)
    phase = table.parse_key("phase", choice_parser("zero", "random"), "zero")
    if headers is not None and headers > 1000:
        table.add_error("headers", "must be at most 1000B")
    table.check_keys([*COMMON, *own, "rate", "packet", "headers", "phase", "ecn"])
    if rate is None or packet is None or headers is None:
        return {}, {}
    udp = {"rate": rate.canonical(0, 1), "payload": packet.canonical(0, 1), "headers": headers, "phase": phase}
    readable = {"rate": rate.readable, "packet": packet.readable, "headers": format_size(headers)}
    return {"udp": udp}, readable | {"phase": phase}


def _fec(table: Table) -> tuple[dict[str, Any], dict[str, Any]]:
    k = table.parse_key(
        "k", whole_number_parser(1, MAX_IN_BLOCK), REQUIRED, advice="data packets of a block, such as k = 16"
    )
    h = table.parse_key(
        "h", whole_number_parser(0, MAX_IN_BLOCK), REQUIRED, advice="redundancy packets of a block, such as h = 4"
    )
    spacing = table.parse_key("spacing", choice_parser("poisson", "constant"), "poisson")
    own, readable = _udp(table, "k", "h", "spacing")
    if own and not isinstance(own["udp"]["payload"], int):
        table.add_error("packet", "must be one size: a code takes as much from each packet of a block")
    if spacing == "poisson":
        if "phase" in table.values:
            table.add_error("phase", 'belongs to spacing = "constant"')
        readable.pop("phase", None)
    if k is None or h is None or spacing is None:
        return own, readable
    if k + h > MAX_IN_BLOCK:
        table.add_error("h", f"makes a block of {k + h} packets; at most {MAX_IN_BLOCK} are possible")
    return own | {"fec": {"k": k, "h": h, "spacing": spacing}}, {"k": k, "h": h, "spacing": spacing} | readable
