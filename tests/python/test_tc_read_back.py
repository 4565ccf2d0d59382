"""Lines of `penstock convert` as a real tc and kernel took and printed them, recorded in the kernel in virtual time."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from penstock.dialects import DialectError, read
from penstock.dialects.tc_queue import KINDS as KNOWN
from penstock.dialects.tc_read import CLASSFUL
from penstock.scenario.loaded_link import LoadedLink
from penstock.tuning.space import search_space

from validation.linux.tc_read_back import DEFAULTS, Entry, faults, main, recorded
from validation.linux.tc_rounding import shown_rate, shown_size, shown_time
from validation.linux.tc_settings import KINDS, lines_of

ENTRIES = recorded()
SETTINGS = [one for one in ENTRIES if one.scheme]


def test_the_record_has_settings_of_each_kind() -> None:
    """All that convert knows but dualpi2, which Linux 6.1 lacks, and netem, a link; fq comes back as sfq."""
    assert len(SETTINGS) >= 200
    assert {one.kind for one in SETTINGS} == set(KINDS)
    assert {one.kind for one in ENTRIES} - set(KINDS) == {"fq", "pfifo_fast"}
    assert {*KNOWN, *CLASSFUL, "gred"} - {one.kind for one in ENTRIES} == {"dualpi2", "netem"}
    assert {one.kind for one in ENTRIES if not one.scheme} == set(DEFAULTS)


@pytest.mark.parametrize("precedences", [1, 2])
def test_the_record_has_every_parameter_that_tune_can_print(precedences: int) -> None:
    """Only `gentle` is missing, which tc lacks."""
    link = LoadedLink(
        "uplink", 10e6, rtt_s=0.05, buffer_pkts=200, packet_bytes=1500, flows=10, drop_precedences=precedences
    )
    for scheme in {one.scheme for one in SETTINGS}:
        space = search_space(scheme, link, {})
        ends = [{knob.name: (knob.choices or (knob.low, knob.high))[end] for knob in space.knobs} for end in (0, -1)]
        printed = {name for values in ends for name in space.parameters(values)}
        assert printed - {name for one in SETTINGS if one.scheme == scheme for name in one.parameters} <= {"gentle"}


@pytest.mark.parametrize("kind", KINDS)
def test_what_tc_prints_is_the_setting_that_was_written(kind: str) -> None:
    """Up to the roundings of tc and the kernel, each one predicted to the last digit."""
    for one in SETTINGS:
        if one.kind == kind:
            assert lines_of((one.scheme, one.parameters)) == one.lines
            assert faults(one) == [], one


@pytest.mark.parametrize("entry", [one for one in ENTRIES if not one.scheme], ids=lambda one: str(one.kind))
def test_the_defaults_of_linux_are_those_that_a_bare_queue_is_read_with(entry: Entry) -> None:
    assert faults(entry) == []


@pytest.mark.parametrize("kind", KINDS)
def test_another_number_is_a_fault(kind: str) -> None:
    """Each printed number that belongs to the setting, changed, is noticed."""
    one = next(one for one in SETTINGS if one.kind == kind)
    words = "limit" if kind in ("pfifo", "bfifo") else "min|target|rtt|quantum|rate|dsfield|match|limit"
    number = re.compile(rf"\b((?:{words}) )(\d)")
    changed = [number.sub(lambda found: f"{found[1]}{(int(found[2]) + 1) % 10}", line) for line in one.printed]
    assert changed != one.printed
    assert faults(replace(one, printed=changed))


def test_a_queue_without_the_word_ecn_does_not_mark_when_it_is_printed() -> None:
    printed = "qdisc fq_codel 8001: root refcnt 2 limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms"
    assert read(printed, "tc").parameters["ecn"] is False
    assert read(f"{printed} ecn", "tc").parameters["ecn"] is True
    assert read("fq_codel limit 10240", "tc").parameters["ecn"] is True


def test_a_setting_that_only_linux_accepts_is_an_error() -> None:
    """Linux takes an sfb whose hash tables are swapped before the new one is warm."""
    with pytest.raises(DialectError, match="must not be above rehash"):
        read("sfb rehash 600000 db 700000", "tc")


def test_numbers_are_rounded_as_tc_prints_them() -> None:
    """Three digits of a time, whole KiB within 16 bytes, rates cut off: as in the record."""
    assert [shown_time(us) for us in (999, 1876, 999_700, 1_234_567)] == [999_000, 1_880_000, 10**9, 1_230_000_000]
    assert [shown_size(octets) for octets in (1500, 43_000, 131_071, 2**20 + 1000)] == [1500, 43_008, 131_072, 2**20]
    assert [shown_rate(bits) for bits in (44_248, 4_950_504, 10_000_000)] == [44_248, 4_950_000, 10_000_000]


def test_the_recorder_says_how_to_build_a_kernel(capsys: pytest.CaptureFixture[str], tmp_path: object) -> None:
    with pytest.raises(SystemExit):
        main(["--kernel", str(tmp_path)])
    assert "build.sh makes it" in capsys.readouterr().err
