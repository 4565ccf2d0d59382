"""Each pasted text in `tests/data/pastes` gives the expected queue, or an error that names its object."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from penstock.dialects import OTHERS, ConversionContext, DialectError, read
from penstock.explain.tc_statistics_report import read_queue_reports

from .test_dialects_documented import is_part

FOLDER = Path(__file__).resolve().parents[1] / "data" / "pastes"
EXPECTED: dict[str, dict[str, dict[str, Any]]] = tomllib.loads((FOLDER / "expected.toml").read_text())
CASES = [(dialect, name) for dialect, cases in EXPECTED.items() for name in cases]


def test_every_text_has_an_expectation_and_every_dialect_has_several_texts() -> None:
    files = {path.relative_to(FOLDER).parts for path in FOLDER.glob("*/*")}
    assert files == set(CASES)
    assert set(EXPECTED) == set(OTHERS)
    assert min(map(len, EXPECTED.values())) >= 6


def as_is(text: str) -> str:
    return text


def from_windows(text: str) -> str:
    """The text as an editor of Windows saves it."""
    return "\ufeff" + text.replace("\n", "\r\n")


def from_a_web_page(text: str) -> str:
    """The text as copied from a web page: with non-breaking spaces, and spaces at the ends of lines."""
    return "\n\n" + "\n".join(f"{line}  " for line in text.replace("  ", "\xa0 ").splitlines()) + "\n\n"


@pytest.mark.parametrize("copied", [as_is, from_windows, from_a_web_page])
@pytest.mark.parametrize(("dialect", "name"), CASES)
def test_a_paste_gives_the_expected_queue_or_error(dialect: str, name: str, copied: Any) -> None:
    expected = EXPECTED[dialect][name]
    text = copied((FOLDER / dialect / name).read_text())
    facts = ConversionContext(expected.get("rate_given"), device=expected.get("device"), name=expected.get("name"))
    if "error" in expected:
        with pytest.raises(DialectError) as refused:
            read(text, dialect, facts)
        assert all(word in str(refused.value) for word in expected["error"]), refused.value
        return
    found = read(text, dialect, facts)
    assert found.scheme == expected["scheme"]
    assert found.rate == expected.get("rate")
    assert is_part(absent(expected["parameters"]), found.parameters), found.parameters
    lost = expected.get("lost", [])
    assert len(found.lost_settings) == len(lost), found.lost_settings
    assert all(item.startswith(start) for item, start in zip(found.lost_settings, lost, strict=True)), (
        found.lost_settings
    )


def absent(value: Any) -> Any:
    """The value with None in place of the word "absent", because TOML has no None."""
    if isinstance(value, dict):
        return {key: None if item == "absent" else absent(item) for key, item in value.items()}
    return [absent(item) for item in value] if isinstance(value, list) else value


def error_message(text: str, dialect: str) -> str:
    with pytest.raises(DialectError) as refused:
        read(text, dialect)
    return str(refused.value)


def test_an_error_about_several_objects_names_them_all() -> None:
    for dialect, cases in EXPECTED.items():
        for name, expected in cases.items():
            if chosen := expected.get("device"):
                assert chosen in error_message((FOLDER / dialect / name).read_text(), dialect), name


@pytest.mark.parametrize(
    ("dialect", "name", "device", "sent"),
    [
        ("tc", "openwrt_forum.txt", "pppoe-wan", 221330),
        ("tc", "openwrt_forum.txt", "ifb4pppoe-wan", 389120),
        ("tc", "two_devices_shown.txt", "wan0", 12001),
        ("tc", "json_with_prompt.txt", None, 98765),
        ("tc", "tbf_red_transcript.txt", None, 63),
        ("tc", "wrapped_cake.txt", None, 14),
    ],
)
def test_counters_of_a_paste_are_explained(dialect: str, name: str, device: str | None, sent: int) -> None:
    report = read_queue_reports((FOLDER / dialect / name).read_text(), ConversionContext(device=device))[0]
    assert report.counted.sent_pkts == sent
