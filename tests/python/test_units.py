"""Units: quantities are read exactly, and printed again."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from penstock.units import (
    Length,
    UnitError,
    format_length,
    format_number,
    format_percent,
    format_rate,
    format_size,
    format_time,
    parse_length,
    parse_probability,
    parse_rate,
    parse_size,
    parse_time,
)


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("10Mbit", 10_000_000),
        ("10Mbit/s", 10_000_000),
        ("10mbit", 10_000_000),
        ("2gbit", 2_000_000_000),
        ("10Mb/s", 10_000_000),
        ("10Mbps", 10_000_000),
        ("1.5 Mbit", 1_500_000),
        ("2MB/s", 16_000_000),
        ("1KiB/s", 8192),
        ("64kbit", 64_000),
        ("1e3kbit", 1_000_000),
        ("100bit", 100),
    ],
)  # fmt: skip
def test_rates_are_bits_unless_they_say_bytes(text: str, bits: int) -> None:
    assert parse_rate(text) == bits


@pytest.mark.parametrize("text", ["10mbps", "10kbps", "10gbps", "10bps"])
def test_small_letters_with_bps_are_refused_with_a_hint(text: str) -> None:
    with pytest.raises(UnitError, match=r"bytes per second.*bit.*B/s"):
        parse_rate(text)


@pytest.mark.parametrize(
    ("text", "nanos"),
    [("20ms", 20_000_000), ("15us", 15_000), ("15µs", 15_000), ("1.5s", 1_500_000_000), ("100ns", 100), ("0s", 0)],
)
def test_times_are_nanoseconds(text: str, nanos: int) -> None:
    assert parse_time(text) == nanos


@pytest.mark.parametrize(
    ("text", "size"), [("1500B", 1500), ("150kB", 150_000), ("64KiB", 65_536), ("1.5MB", 1_500_000), ("1GiB", 2**30)]
)
def test_sizes_are_bytes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    ("value", "length"),
    [
        (35, Length("packets", 35)),
        ("35p", Length("packets", 35)),
        (2.5, Length("packets", 2.5)),
        ("50kB", Length("bytes", 50_000)),
        ("100ms", Length("ns", 100_000_000)),
        ("50%", Length("buffer", 0.5)),
        ("2BDP", Length("bdp", 2.0)),
    ],
)  # fmt: skip
def test_a_queue_can_be_measured_in_many_ways(value: object, length: Length) -> None:
    assert parse_length(value) == length


@pytest.mark.parametrize(("value", "p"), [(0.02, 0.02), ("2%", 0.02), ("1/50", 0.02), (1, 1.0), ("0%", 0.0)])
def test_probabilities(value: object, p: float) -> None:
    assert parse_probability(value) == p


@pytest.mark.parametrize("parse", [parse_rate, parse_time, parse_size])
@pytest.mark.parametrize(
    "value", [5, 5.0, "5", "", " ", "x", "-1s", "1..5s", True, None, [], {}, "1e30s", "nan", "5 5s"]
)
def test_everything_else_is_refused(parse: object, value: object) -> None:
    assert callable(parse)
    if value == "1e30s" and parse is not parse_time:
        return
    with pytest.raises(UnitError):
        parse(value)


@pytest.mark.parametrize("value", [True, None, "5x", "-5p", "200%", "1e30BDP", "p"])
def test_lengths_that_are_none(value: object) -> None:
    with pytest.raises(UnitError):
        parse_length(value)


@given(st.integers(1, 10**15))
def test_rates_survive_a_round_trip(bits: int) -> None:
    assert parse_rate(format_rate(bits)) == bits


@given(st.integers(0, 10**18))
def test_times_survive_a_round_trip(nanos: int) -> None:
    assert parse_time(format_time(nanos)) == nanos


@given(st.integers(0, 10**15))
def test_sizes_survive_a_round_trip(size: int) -> None:
    assert parse_size(format_size(size)) == size


@given(st.sampled_from(["packets", "bytes", "ns"]), st.integers(0, 2**32 - 1))
def test_lengths_survive_a_round_trip(unit: str, amount: int) -> None:
    length = Length(unit, amount)  # type: ignore[arg-type]
    assert parse_length(format_length(length)) == length


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_survive_a_round_trip(number: float) -> None:
    assert float(format_number(number)) == number


@pytest.mark.parametrize(("share", "text"), [(0.99999, "99.999%"), (0.57, "57%"), (0.0, "0%"), (1.0, "100%")])
def test_shares_are_written_without_rounding_errors(share: float, text: str) -> None:
    assert format_percent(share) == text
    assert parse_probability(text) == share


@given(st.text(max_size=30) | st.integers() | st.floats() | st.none() | st.lists(st.integers()))
def test_nothing_but_a_unit_error_ever_comes_out(value: object) -> None:
    for parse in (parse_rate, parse_time, parse_size, parse_length, parse_probability):
        with contextlib.suppress(UnitError):
            parse(value)
