"""`penstock convert`: a queue's settings from one dialect to another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from penstock.cli.options import JsonTarget, argument, value_option
from penstock.cli.output import Outputs
from penstock.errors import ErrorDetail, PenstockError, ScenarioError, did_you_mean

if TYPE_CHECKING:
    from penstock.dialects import ConversionContext

EXAMPLE = "penstock convert --from penstock --to tc red:min_th=5,max_th=15,max_p=0.1,limit=60p --rate 10Mbit"

Text = Annotated[str, argument("TEXT|-", "The settings; - reads standard input.")]
From = Annotated[
    str, value_option("--from", "DIALECT", "tc, cisco, junos, sonic, arista, dummynet, ns2, ns3 or penstock.")
]
To = Annotated[str, value_option("--to", "DIALECT", "Target dialect; the same names as for --from.")]
LinkRate = Annotated[str | None, value_option("--rate", "RATE", "Rate of the link, for values that depend on it.")]
Packet = Annotated[str, value_option("--packet", "SIZE", "Mean packet size, to convert between bytes and packets.")]
Device = Annotated[
    str | None,
    value_option(
        "--device",
        "NAME",
        "If the text has several queues: the interface, policy map, pipe or link to read. Also names the interface "
        "in the printed tc commands (eth0 if omitted).",
    ),
]


def convert(
    *,
    text: Text,
    source: From = "tc",
    to: To = "penstock",
    rate: LinkRate = None,
    packet: Packet = "1000B",
    device: Device = None,
    json_target: JsonTarget = None,
) -> None:
    """Convert queue settings between penstock's notation and those of Linux, routers and other simulators.

    Reports rounded values, and lists the settings that the target dialect cannot express.
    """
    from penstock import dialects
    from penstock.files import read_standard_input

    outputs = Outputs.from_options(json_target)
    facts = _facts(source, to, rate, packet, device)
    read = dialects.read(read_standard_input() if text == "-" else text, source, facts)
    facts = replace(facts, rate=facts.rate or read.rate)
    try:
        written = dialects.write(read.scheme, read.parameters, to, facts)
    except dialects.DialectError as error:
        raise PenstockError(f"--to {to}: {error}") from None
    notes = [*read.notes, *written.notes]
    unsaid = [
        *written.lost_settings,
        *([] if to == "penstock" else [f"{line}, a key of the link" for line in read.link_lines]),
    ]
    link = read.link_lines if to == "penstock" else []
    outputs.show(_with_notes(written.text, link, notes, read.lost_settings, unsaid, to))
    outputs.write_json(
        {
            "scheme": read.scheme,
            "parameters": read.parameters,
            "rate": read.rate,
            "link": read.link,
            "text": written.text,
            "notes": notes,
            "missing": {"unread": read.lost_settings, "unsaid": unsaid},
        }
    )


def _facts(source: str, to: str, rate: str | None, packet: str, device: str | None) -> ConversionContext:
    """The facts about the link that the options give. Raises `ScenarioError` with the errors of all options."""
    from penstock import dialects
    from penstock.units import UnitError, parse_rate, parse_size

    names = ", ".join(dialects.DIALECTS)
    errors = [
        ErrorDetail("", f'no dialect "{name}"{did_you_mean(name, dialects.DIALECTS)}; available: {names}', None, option)
        for option, name in (("--from", source), ("--to", to))
        if name not in dialects.DIALECTS
    ]
    numbers: dict[str, float] = {}
    for option, value, parse in (("--rate", rate, parse_rate), ("--packet", packet, parse_size)):
        try:
            numbers[option] = 0.0 if value is None else float(parse(value))
        except UnitError as error:
            errors.append(ErrorDetail("", str(error), None, f"{option} {value}"))
    if errors:
        raise ScenarioError(errors)
    others = source not in ("tc", "penstock")
    name = device if others and device and not dialects.is_device_name(device) else None
    return dialects.ConversionContext(
        numbers["--rate"] or None, round(numbers["--packet"]), None if name else device, name
    )


def _with_notes(text: str, link: list[str], notes: list[str], unread: list[str], unsaid: list[str], to: str) -> str:
    lines = [text]
    lines += ["# keys of the link:", *link] if link else []
    lines += [f"# {note}" for note in notes]
    lines += [f"# not converted: {item}" for item in unread]
    lines += [f"# {to} cannot express: {item}" for item in unsaid]
    return "\n".join(lines) + "\n"
