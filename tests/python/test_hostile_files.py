"""Scenario files and options that someone has mangled: an answer in seconds, exit code 0 or 2, never a traceback."""

from __future__ import annotations

import copy
import random
import re
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from penstock.aqms.catalog import scheme_names
from penstock.cli.app import app
from penstock.scenario.resolve import resolve

SCENARIOS = sorted((Path(__file__).resolve().parents[2] / "scenarios").glob("*.toml"))

# Mutants of each seed.
MUTANTS = 20
SEEDS = range(10)

NUMBERS = (
    0, 1, -1, 2**31, 2**32, 2**63 - 1, -(2**63), 0.0, -0.0, 0.5, 1e-300, 1e300, float("nan"), float("inf"),
)  # fmt: skip
AMOUNTS = (
    "", "0", "1", "-1", "0.001", "1.5", "1e3", "1e9", "1e30", "9" * 20, "nan", "inf", "0x10", "1_000",
)  # fmt: skip
SIZES = ("0", "0.1", "1", "2", "7.5", "20", "100", "1000", "1000000")
UNITS = (
    "", "ns", "us", "ms", "s", "bit", "kbit", "Mbit", "Gbit", "Tbit", "B", "kB", "GiB", "p", "BDP", "%", "max_th", "µs",
)  # fmt: skip
WORDS = (
    "inf", "auto", "same", "S", "S{i}", "{i}", "R1", "", " ", "\x00", "\u202e", "é" * 300, "../../etc/passwd",
    "/dev/zero", "-", "None",
)  # fmt: skip
KEYS = (
    "count", "queue", "rate", "delay", "from", "to", "reverse", "change", "loss", "edge", "jitter", "outage",
    "start", "stop", "path", "packet", "bytes", "packets", "arrivals", "load", "every", "on", "off", "ecn", "dscp",
    "share", "limit", "scheme", "uniform", "exp", "pareto", "shape", "list", "cdf", "file", "linear", "classes",
    "kind", "flavour", "profile", "window", "initial_window", "min_rto",
)  # fmt: skip
KINDS = ("tcp", "cbr", "poisson", "onoff", "web", "video", "fec", "replay", "incast", "")
FLAVOURS = ("tahoe", "reno", "newreno", "sack", "vegas", "cubic", "bbr", "bbr3", "dctcp", "prague", "ledbat", "none")


def value(rng: random.Random, depth: int = 0) -> Any:
    """Anything that TOML can say, mostly near something sensible."""
    choice = rng.randrange(12 if depth < 3 else 8)
    match choice:
        case 0:
            return rng.choice(NUMBERS)
        case 1 | 2 | 3:
            return rng.choice(AMOUNTS) + rng.choice(UNITS)
        case 4:
            return rng.choice(WORDS)
        case 5:
            return rng.choice((True, False))
        case 6:
            return rng.choice((*scheme_names(), *KINDS, *FLAVOURS))
        case 7:
            return rng.randrange(200)
        case 8:
            return [value(rng, depth + 1) for _ in range(rng.randrange(4))]
        case 9:
            return {rng.choice(("uniform", "linear")): [value(rng, 3), value(rng, 3)]}
        case 10:
            return {
                rng.choice(("exp", "pareto", "cdf", "file")): value(rng, 3),
                "shape": rng.choice((1.0001, 1.2, 0, 1e9)),
            }
        case _:
            return {rng.choice(KEYS): value(rng, depth + 1) for _ in range(rng.randrange(4))}


def near(old: Any, rng: random.Random) -> Any:
    """A value of the same kind, of another size: it is often legal."""
    if isinstance(old, str) and (match := re.fullmatch(r"[0-9.]+([a-zA-Z]+)", old)):
        return f"{rng.choice(SIZES)}{match[1]}"
    if isinstance(old, (int, float)) and not isinstance(old, bool):
        return rng.choice((0, 1, 2, 10, 1000, 10**6, old + 1, old / 2, old * 10))
    return value(rng)


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of everything in a tree."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def mutate(tree: dict[str, Any], rng: random.Random) -> None:
    """Delete, replace, add, rename or copy one part of a tree, in place."""
    path = rng.choice(list(places(tree)))
    table = tree
    for key in path[:-1]:
        table = table[key]
    last, action = path[-1], rng.randrange(10)
    other = rng.choice(list(places(tree)))
    copied: Any = tree
    for key in other:
        copied = copied[key]
    if action == 0:
        del table[last]
    elif action == 1 and isinstance(table, dict):
        table[rng.choice((*KEYS, str(last)[:-1], str(last) + "s", "x.y", "é", "{i}"))] = table.pop(last)
    elif action == 2 and isinstance(table[last], dict):
        table[last][rng.choice(KEYS)] = value(rng)
    elif action == 3:
        table[last] = copy.deepcopy(copied)
    elif action > 4:
        table[last] = near(table[last], rng)
    else:
        table[last] = value(rng)


def mangle(text: bytes, rng: random.Random) -> bytes:
    """The bytes of a file, damaged: cut, repeated, exchanged, with rubbish in them."""
    begin = rng.randrange(len(text))
    end = min(len(text), begin + rng.randrange(1, 60))
    rubbish = rng.choice(
        (b"", b"\x00", b"\xff\xfe", rng.randbytes(20), b"[[", b"]]", b'"""', b"= = ", b"\r", "\ufeff".encode())
    )
    match rng.randrange(4):
        case 0:
            return text[:begin]
        case 1:
            return text[:end] + text[begin:]
        case 2:
            return text[:begin] + rubbish + text[end:]
        case _:
            return rubbish * rng.randrange(1, 500) + text[begin:]


def base(path: Path) -> dict[str, Any]:
    """A scenario of the works, cut short."""
    tree = tomllib.loads(path.read_text(encoding="utf-8")) | {"duration": "1s", "warmup": "0s"}
    for table in (*tree["links"].values(), *tree["traffic"].values()):
        table.update({key: min(table[key], 20) for key in ("count", "sessions") if key in table})
    for table in tree["traffic"].values():
        table.pop("start", None)
        table.pop("stop", None)
    return tree


BASES = [base(path) for path in SCENARIOS]


def mutants(seed: int, number: int) -> Iterator[tuple[bytes, list[str]]]:
    """Files with options of `run`."""
    rng = random.Random(seed)
    for _ in range(number):
        tree = copy.deepcopy(rng.choice(BASES))
        for _ in range(rng.choice((1, 1, 1, 2, 5))):
            mutate(tree, rng)
        text = tomli_w.dumps(tree).encode()
        if rng.random() < 0.15:
            text = mangle(text, rng)
        options = []
        if rng.random() < 0.2:
            path = ".".join(str(key) for key in rng.choice(list(places(tree)) or [("duration",)]))
            options = ["--set", f"{path}={value(rng, 3)}"]
        yield text, options


def test_the_cut_scenarios_are_sound() -> None:
    assert [error for tree in BASES for error in resolve(tree).errors] == []


def test_mutants_are_partly_sound() -> None:
    refused = 0
    for text, _ in mutants(0, 50):
        try:
            refused += bool(resolve(tomllib.loads(text.decode())).errors)
        except ValueError:
            refused += 1
    assert 10 < refused < 45


@pytest.mark.parametrize("seed", SEEDS)
def test_mangled_files_and_options_are_run_or_refused(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "link.toml"
    for text, options in mutants(seed, MUTANTS):
        file.write_bytes(text)
        begun = time.process_time()
        with pytest.raises(SystemExit) as exit_info:
            app(["run", str(file), *options, "--max-events", "3e6", "--max-memory", "500MB"])
        err = capsys.readouterr().err
        report = f"{options}\n{err}\n{text.decode(errors='replace')}"
        assert exit_info.value.code in (0, 2), report
        assert "Traceback" not in err, report
        assert exit_info.value.code == 0 or str(file) in err or "--set" in err, report
        assert time.process_time() - begun < 5, report


SCHEMES = (
    "red", "red:", ":", "red:min_th", "red:min_th=", "red:min_th=5,min_th=6", "=", "@", "@/dev/null",
    "red:limit=inf", "red:limit=0p", "codel:target=nan", "codel:target=-1ms", "pie:ecn=2", "nosuch", "é", "red\x00",
    "red:x=1", "fq-codel:flows=1e99", "droptail:limit=99999999999999999999p", "x.py:AQM", "/dev/zero"
)  # fmt: skip


@pytest.mark.parametrize("scheme", SCHEMES)
def test_mangled_schemes_are_compared_or_refused(
    scheme: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "link.toml"
    file.write_text(tomli_w.dumps(BASES[0]), encoding="utf-8")
    with pytest.raises(SystemExit) as exit_info:
        app(["compare", str(file), "--scheme", scheme, "--runs", "1", "--store", str(tmp_path)])
    assert exit_info.value.code in (0, 2)
    assert "Traceback" not in capsys.readouterr().err
