"""OpenWrt's `/etc/config/sqm` as the commands of tc that it stands for: sections of the file, or `uci show sqm`.

Source: OpenWrt documentation, "SQM configuration /etc/config/sqm", "SQM Details" and "SQM (Smart Queue Management)".
A section shapes two devices: the interface (upload) and `ifb4` with the name of the interface (download).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from penstock.dialects.conversion import DialectError
from penstock.dialects.keys import ANY, Key, find_key
from penstock.dialects.pasted_text import strip_prompts
from penstock.errors import did_you_mean

__all__ = ["KEYS", "ShapedDevice", "shaped_devices"]

_DOC = "OpenWrt documentation, SQM configuration /etc/config/sqm"
_SECTION = re.compile(r"\s*config\s+([\w-]+)\s*(?:['\"]?([\w.@-]*)['\"]?)\s*$")
_OPTION = re.compile(r"\s*(?:option|list)\s+(\w+)\s+(?:'([^']*)'|\"([^\"]*)\"|(\S+))\s*$")
_SHOWN = re.compile(r"\s*sqm\.([\w@\[\]-]+)(?:\.(\w+))?=(?:'([^']*)'|(\S*))\s*$")
_PRINTED = re.compile(r"^\s*(?:qdisc|\S*tc\s+(?:qdisc|class))\s", re.MULTILINE)
LONGEST_NAME = 15
"""Characters of the name of a device in Linux."""

_CAKES = {"piece_of_cake.qos": "besteffort", "layer_cake.qos": "diffserv3"}
"""The scripts that set up cake, with their tins: one, or three."""
_SCRIPTS = ("simple.qos", "simplest.qos", "simplest_tbf.qos", *_CAKES)


def _inert(name: str, why: str) -> Key:
    return Key(name, "", "", "", why, _DOC, neutral_values=ANY)


def _listed(name: str, why: str, *neutral: str) -> Key:
    return Key(name, "", "", "", why, _DOC, neutral_values=("", "0", *neutral))


KEYS = [
    Key("enabled", "", "", "0, 1", "a section with 0 is not read", _DOC),
    Key("interface", "eth0", "", "", "name of the device", _DOC),
    Key("upload", "2032", "kbit/s", "0 for no shaper", "rate of the interface", _DOC),
    Key("download", "14698", "kbit/s", "0 for no shaper", "rate of ifb4 and the interface's name", _DOC),
    Key("qdisc", "fq_codel", "", "a queue of tc", "scheme", _DOC),
    Key("script", "simple.qos", "", ", ".join(_SCRIPTS), "scheme; the three classes of simple.qos are listed", _DOC),
    Key("linklayer", "none", "", "none, ethernet, atm", "framing of the link or of cake; none ignores overhead", _DOC),
    Key("overhead", "0", "bytes", "", "framing of the link or of cake", _DOC),
    Key("tcMPU", "0", "bytes", "", "framing of the link or of cake", _DOC),
    Key("ilimit", "", "packets", "", "limit, of the download", _DOC),
    Key("elimit", "", "packets", "", "limit, of the upload", _DOC),
    Key("itarget", "", "time", "a time, default, auto", "target, of the download", _DOC),
    Key("etarget", "", "time", "a time, default, auto", "target, of the upload", _DOC),
    Key("ingress_ecn", "ECN", "", "ECN, NOECN", "ecn, of the download", _DOC),
    Key("egress_ecn", "", "", "ECN, NOECN", "ecn, of the upload; NOECN if it is not set, with a note", _DOC),
    Key("iqdisc_opts", "", "", "words of tc", "with qdisc_really_really_advanced, settings of the download", _DOC),
    Key("eqdisc_opts", "", "", "words of tc", "with qdisc_really_really_advanced, settings of the upload", _DOC),
    Key("qdisc_really_really_advanced", "0", "", "0, 1", "whether the two options above count", _DOC),
    _listed("squash_dscp", "The script may clear code points of arriving packets"),
    _listed("squash_ingress", "The script may ignore code points of arriving packets"),
    _listed("use_mq", "A queue for each transmit queue"),
    _listed("shaper_burst", "A link has no bucket"),
    _listed("shaper_burst_dur_us", "A link has no bucket"),
    *(_inert(name, "Shows options in the web interface") for name in ("qdisc_advanced", "linklayer_advanced")),
    *(_inert(name, "The resolution of size tables: sizes are exact here") for name in ("tcMTU", "tcTSIZE")),
    *(_inert(name, "Log messages only") for name in ("debug_logging", "verbosity")),
    _inert("linklayer_adaptation_mechanism", "The framing is the same by each mechanism"),
]
"""Options of a section `queue`."""


@dataclass(frozen=True)
class ShapedDevice:
    """A device that a section shapes.

    Attributes:
        device: its name.
        commands: of tc.
        lost_settings: options that are not read.
        notes: on values that the file leaves to the script.

    """

    device: str
    commands: str
    lost_settings: list[str]
    notes: list[str]


def shaped_devices(text: str) -> list[ShapedDevice]:
    """The devices of enabled sections; none if the text is not such a file, or has commands or output of tc too.

    Raises `DialectError` for an option that the file does not have, and if no section is enabled.
    """
    if _PRINTED.search(text):
        return []
    sections = _sections(text)
    enabled = {name: options for name, options in sections.items() if options.get("enabled", "1") != "0"}
    if sections and not enabled:
        raise DialectError(f"config queue {', '.join(map(repr, sections))}: disabled (enabled '0')")
    return [device for name, options in enabled.items() for device in _devices(name, options)]


def _sections(text: str) -> dict[str, dict[str, str]]:
    """The options of each section `queue`."""
    sections: dict[str, dict[str, str]] = {}
    kind, name = "", ""
    for line in strip_prompts(text, r"(?!)").splitlines():
        if found := _SECTION.match(line):
            kind, name = found[1], found[2] or f"@queue[{len(sections)}]"
            if kind == "queue":
                sections[name] = {}
        elif (found := _OPTION.match(line)) and kind == "queue":
            sections[name][found[1]] = found[2] or found[3] or found[4] or ""
        elif (found := _SHOWN.match(line)) and (found[2] or found[4] == "queue"):
            own = sections.setdefault(found[1], {})
            own |= {found[2]: found[3] or found[4] or ""} if found[2] else {}
        elif line.strip().startswith("sqm."):
            raise DialectError(f"{line.strip()[:60]}: expected sqm.SECTION.OPTION='VALUE'")
        elif line.strip() and kind == "queue" and not line.strip().startswith("#"):
            raise DialectError(f"config queue {name!r}: {line.strip()[:60]}: expected option NAME 'VALUE'")
    return sections


def _devices(name: str, options: Mapping[str, str]) -> Iterator[ShapedDevice]:
    """The devices of a section with a rate above 0."""
    place = f"config queue {name!r}"
    for word in options:
        find_key(KEYS, word, place)
    given = {key.name: options.get(key.name, key.default) for key in KEYS}
    if given["script"] not in _SCRIPTS:
        hint = did_you_mean(given["script"], _SCRIPTS)
        raise DialectError(
            f"{place}: script {given['script']}{hint}: its queues are not in this file: "
            "paste what tc -s -d qdisc show prints"
        )
    interface = given["interface"].removeprefix("@")
    lost = [
        f"{key.name} {options[key.name]}: {key.loss_reason}"
        for key in KEYS
        if key.counterpart[:1].isupper() and key.name in options and not key.is_neutral(options[key.name])
    ]
    for side, word, device in (("e", "upload", interface), ("i", "download", f"ifb4{interface}"[:LONGEST_NAME])):
        if not re.fullmatch(r"\d{1,9}", given[word]):
            raise DialectError(f"{place}: {word} {given[word]}: expected a whole number of kbit/s")
        if int(given[word]) > 0:
            yield _shaped(device, side, f"{int(given[word])}kbit", given, lost)
    if not int(given["upload"]) + int(given["download"]):
        raise DialectError(f"{place}: upload and download are 0: nothing is shaped")


def _shaped(device: str, side: str, rate: str, given: Mapping[str, str], lost: list[str]) -> ShapedDevice:
    """The commands for a device; `side` begins the names of its options: "e" for egress, "i" for ingress."""
    lost, notes = [*lost], list[str]()
    options = given[f"{side}qdisc_opts"]
    if options and given["qdisc_really_really_advanced"] != "1":
        lost.append(f"{side}qdisc_opts {options}: without qdisc_really_really_advanced it is not used")
        options = ""
    has_framing = given["linklayer"] not in ("none", "")
    sizes = f"overhead {given['overhead']} mpu {given['tcMPU']}"
    is_cake = given["script"] in _CAKES or given["qdisc"] == "cake"
    own = options if is_cake else f"{_settings(side, given, notes)} {options}"
    if is_cake:
        lost += [f"{side}{word} {given[side + word]}: cake has no such option" for word in ("limit", "target")
                 if given[side + word] not in ("", "default", "auto")]  # fmt: skip
    root = f"tc qdisc add dev {device} root"
    if given["script"] in _CAKES:
        cells = {"atm": "atm", "adsl": "atm"}.get(given["linklayer"], "noatm")
        framing = f" {sizes} {cells}" if has_framing else ""
        return ShapedDevice(
            device, f"{root} cake bandwidth {rate} {_CAKES[given['script']]}{framing} {own}", lost, notes
        )
    if given["script"] == "simple.qos":
        lost.append("script simple.qos: three classes by code point; here all packets are in one")
    stab = f" stab linklayer {given['linklayer']} {sizes}" if has_framing else ""
    lines = [
        f"{root} handle 1:{stab} htb default 10",
        f"tc class add dev {device} parent 1: classid 1:10 htb rate {rate}",
        f"tc qdisc add dev {device} parent 1:10 {given['qdisc']} {own}",
    ]
    return ShapedDevice(device, "\n".join(lines), lost, notes)


def _settings(side: str, given: Mapping[str, str], notes: list[str]) -> str:
    """The limit, target and ECN of a queue other than cake."""
    words = []
    for word in ("limit", "target"):
        if (value := given[side + word]) not in ("", "default", "auto"):
            words.append(f"{word} {value}")
        elif word == "target" and value != "default":
            notes.append(f"{side}target: the script raises the target on slow links; here it is the queue's default")
    ecn = given["ingress_ecn" if side == "i" else "egress_ecn"].upper()
    if side == "e" and not ecn:
        notes.append(
            "egress_ecn is not set: NOECN as in the documentation; newer scripts mark packets of the upload, too"
        )
        ecn = "NOECN"
    if ecn not in ("ECN", "NOECN"):
        raise DialectError(f"{ecn}: expected ECN or NOECN")
    return " ".join([*words, *([ecn.lower()] if given["qdisc"] in ("fq_codel", "codel", "pie", "fq_pie") else [])])
