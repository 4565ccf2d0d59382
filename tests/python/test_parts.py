"""Parts of a store: their columns hold what DuckDB itself reads in the JSON texts of the results."""

from __future__ import annotations

import json
import random
import struct
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import penstock as ps
import pytest
from penstock import _native
from penstock.studies import part
from penstock.studies.part import CellRuns, PartColumns, part_content
from penstock.studies.seeds import SeedSet

from .rows import Row, content

KEPT = {"events": 1, "cpu_s": 1, "links": 3, "traffic": 3, "fairness": 2, "kept": 2}
"""Keys that lead to a value of a result, by the first of them."""


def read_back(tmp_path: Path, written: bytes) -> tuple[dict[str, str], list[tuple[Any, ...]]]:
    """The columns of a part with their types, and its rows, as DuckDB reads them."""
    file = tmp_path / "part.parquet"
    file.write_bytes(written)
    query = duckdb.connect().execute(f"SELECT * FROM '{file}'")
    return {name: str(kind) for name, kind, *_ in query.description or ()}, query.fetchall()


def json_paths(value: Any, depth: int, path: tuple[str, ...]) -> list[tuple[str, ...]]:
    if depth == 0:
        return [path]
    return [below_path for name, below in value.items() for below_path in json_paths(below, depth - 1, (*path, name))]


def expected(texts: list[str], columns: dict[str, str]) -> list[tuple[Any, ...]]:
    """The values of all paths of these texts in the order of the columns, as DuckDB reads them in JSON."""
    results = [json.loads(text) for text in texts]
    paths = {
        ".".join(path): path
        for result in results
        for first, depth in KEPT.items()
        if first in result
        for path in json_paths(result[first], depth - 1, (first,))
    }
    assert set(paths) == set(columns)
    pointers = {
        name: "/" + "/".join(key.replace("~", "~0").replace("/", "~1") for key in paths[name]) for name in paths
    }
    values = [f"CAST(json_extract(text, '{pointers[name]}') AS {kind})" for name, kind in columns.items()]
    database = duckdb.connect()
    database.register("texts", {"place": np.arange(len(texts)), "text": np.array(texts, dtype=object)})
    return database.execute(f"SELECT {', '.join(values)} FROM texts ORDER BY place").fetchall()


def check(tmp_path: Path, texts: list[str], written: bytes) -> dict[str, str]:
    """Compare a part with the texts of its results; the types of its columns."""
    types, rows = read_back(tmp_path, written)
    identity = list(types).index("study") + 1
    results = dict(list(types.items())[identity:])
    stored_rows = [plain(row[identity:], results) for row in rows]
    assert stored_rows == [plain(row, results) for row in expected(texts, results)]
    return results


def plain(row: tuple[Any, ...], types: dict[str, str]) -> list[Any]:
    """A row with the values of its texts of JSON; there, null is no value."""
    values = zip(row, types.values(), strict=True)
    return [json.loads(value) if kind == "JSON" and value is not None else value for value, kind in values]


def scenarios() -> list[str]:
    """Scenarios for the engine whose results have other columns: schemes, TCP and datagrams, finite transfers."""
    traffic: list[dict[str, Any]] = [
        {"bulk": ps.Tcp(count=3)},
        {"bulk": ps.Tcp(count=2, bytes="20kB"), "voice": ps.Cbr(rate="300kbit", packet="200B")},
    ]
    scenario_texts = []
    for queue in (ps.DropTail(limit="20p"), ps.Red(limit="50p", ecn=True), ps.CoDel(limit="9p")):
        for groups in traffic:
            link = ps.dumbbell(rate="2Mbit", rtt="40ms", duration="2s", queue=queue, traffic=groups)
            scenario_texts.append(link.document().resolve().for_engine(flows=False, series=False, series_points=1))
    return scenario_texts


def test_a_part_has_what_duckdb_reads_in_the_results(tmp_path: Path) -> None:
    cells = [(scenario, (1, 2, 3)) for scenario in scenarios()]
    texts = _native.run_many([text for text, seeds in cells for _ in seeds], [1, 2, 3] * len(cells), 1, None)
    places = [CellRuns(str(number), seeds, {"place": number}, "x") for number, (_, seeds) in enumerate(cells)]
    of_texts = part_content(PartColumns.from_cells(places), _native.Results(texts))
    types = check(tmp_path, texts, of_texts)
    assert {types[name] for name in ("events", "cpu_s", "links.bottleneck.length_pmf")} == {
        "BIGINT", "DOUBLE", "DOUBLE[]",
    }  # fmt: skip
    # Made in columns at once, the runs are the same, processor times aside.
    at_once = part_content(PartColumns.from_cells(places), _native.run_cells(cells, None))
    names, rows = read_back(tmp_path, at_once)
    same_names, same_rows = read_back(tmp_path, of_texts)
    assert names == same_names
    place = list(names).index("cpu_s")
    assert [row[:place] + row[place + 1 :] for row in rows] == [row[:place] + row[place + 1 :] for row in same_rows]
    assert all(0 < row[place] < 60 for row in rows)


def test_numbers_are_exact(tmp_path: Path) -> None:
    rng = random.Random(1)
    numbers = [struct.unpack("d", rng.randbytes(8))[0] for _ in range(3000)]
    numbers = [number for number in numbers if abs(number) < float("inf")]
    numbers += [0.1 + 0.2, 5e-324, -0.0, 1.7976931348623157e308, 2.0**53 + 2, 1e22, 9007199254740993.0]
    texts = [json.dumps({"kept": {"x": number}, "links": {"a": {"pmf": [number, 1]}}}) for number in numbers]
    _, rows = read_back(tmp_path, content([Row("s", seed, text) for seed, text in enumerate(texts)]))
    assert [row[-1] for row in rows] == numbers
    assert [row[-2] for row in rows] == [[number, 1.0] for number in numbers]


def test_a_column_has_the_type_of_all_its_values(tmp_path: Path) -> None:
    results: list[dict[str, Any]] = [
        {"events": 1, "links": {"a.b": {"n": 1, "x": 1, "pmf": [], "none": None}}, "kept": {"a": 1, "flag": True}},
        {"events": 18446744073709551615, "kept": {"a": "x", "only": "here", "flag": None, "list": [1, 2]}},
        {"links": {"a.b": {"n": 2, "x": 0.5, "pmf": [1, 0.5]}}, "kept": {"table": {"a": [[None]]}, "list": None}},
        {"links": {"a.b": {"pmf": [0.25]}}, "events": 3, "ignored": {"a": 1}},
    ]
    texts = [json.dumps(result) for result in results]
    types = check(tmp_path, texts, content([Row("s", seed, text) for seed, text in enumerate(texts)]))
    assert types == {
        "events": "DOUBLE", "links.a.b.n": "BIGINT", "links.a.b.none": "DOUBLE", "links.a.b.pmf": "DOUBLE[]",
        "links.a.b.x": "DOUBLE", "kept.a": "JSON", "kept.flag": "JSON", "kept.list": "JSON", "kept.only": "JSON",
        "kept.table": "JSON",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["x", 1], "JSON"), ([1, "x"], "JSON"), ([0.5, "x"], "JSON"), ([True, 1], "JSON"), ([[[1]], [1]], "JSON"),
        ([[], [1.5, 2], None, "x"], "JSON"), (["x", None], "VARCHAR"), ([True, False], "BOOLEAN"), ([1, 0.5], "DOUBLE"),
        ([None, None, [1]], "DOUBLE[]"), ([None], "DOUBLE"),
    ],
)  # fmt: skip
def test_values_of_no_common_type_are_json(tmp_path: Path, values: list[Any], kind: str) -> None:
    texts = [json.dumps({"links": {"a": {"x": value}}}) for value in values]
    written = content([Row("s", seed, text) for seed, text in enumerate(texts)])
    types, rows = read_back(tmp_path, written)
    assert types["links.a.x"] == kind
    stored_values = [json.loads(row[-1]) if kind == "JSON" and row[-1] is not None else row[-1] for row in rows]
    assert stored_values == values


def test_a_text_that_is_no_result_is_refused() -> None:
    for text in ("", "[]", '{"links": 3}', '{"links": {"a": 3}}', '{"kept": {"x": NaN}}', '{"events": 1'):
        with pytest.raises(ValueError, match="at line 1"):
            _native.Results([text])


def test_labels_have_types(tmp_path: Path) -> None:
    labels: list[dict[str, Any]] = [
        {"whole": 1, "number": 1, "text": "a", "flag": True, "some": None, "mixed": 1},
        {"whole": 2, "number": 0.5, "text": None, "flag": False, "some": 0.5, "mixed": "x", "list": [1]},
    ]
    rows = [Row("s", seed, '{"events": 1}', label, "mine") for seed, label in enumerate(labels)]
    types, stored_rows = read_back(tmp_path, content(rows))
    assert types == {
        "whole": "BIGINT", "number": "DOUBLE", "text": "VARCHAR", "flag": "BOOLEAN", "some": "DOUBLE",
        "mixed": "VARCHAR", "list": "VARCHAR", "seed": "BIGINT", "scenario": "VARCHAR", "meaning": "INTEGER",
        "penstock": "VARCHAR", "study": "VARCHAR", "events": "BIGINT",
    }  # fmt: skip
    identity = (_native.meaning, ps.__version__, "mine", 1)
    assert stored_rows[0] == (1, 1.0, "a", True, None, "1", None, 0, "s", *identity)
    assert stored_rows[1] == (2, 0.5, None, False, 0.5, "x", "[1]", 1, "s", *identity)
    named = duckdb.connect().execute(
        f"SELECT value FROM parquet_kv_metadata('{tmp_path / 'part.parquet'}') WHERE key = 'labels'"
    )
    assert json.loads((named.fetchone() or ("",))[0]) == list(types)[:7]


def test_merged_parts_have_the_columns_of_all(tmp_path: Path) -> None:
    texts = [
        json.dumps({"links": {"a": {"n": 1, "pmf": [0.5, 0.5]}}, "kept": {"flag": True, "x": 1.5}}),
        json.dumps({"links": {"b": {"n": 2, "pmf": []}}, "kept": {"x": 2.5}, "events": 3}),
    ]
    files = []
    for seed, text in enumerate(texts):
        labels = {"flows": seed, **({"ecn": True, "scheme": "red"} if seed else {})}
        files.append(tmp_path / f"{seed}.parquet")
        files[-1].write_bytes(content([Row("s", seed, text, labels)]))
    part.merge_parts(files, tmp_path / "merged.parquet")
    database = duckdb.connect()
    sources = [f"read_parquet({[*map(str, files)]}, union_by_name = true)", f"'{tmp_path / 'merged.parquet'}'"]
    names = sorted(part.column_types(tmp_path / "merged.parquet"))
    listed = ", ".join(part.sql_name(name) for name in names)
    separate, merged = (database.execute(f"SELECT {listed} FROM {source}").fetchall() for source in sources)
    assert merged == separate
    assert {name for name, (_, label) in part.column_types(tmp_path / "merged.parquet").items() if label} == {
        "flows", "ecn", "scheme",
    }  # fmt: skip
    assert part.seed_ranges(tmp_path / "merged.parquet") == [("s", "", range(2))]
    assert [result for *_, result in part.read_runs(tmp_path / "merged.parquet", ["s"])] == [
        {"seed": seed, "traffic": {}, "fairness": {}, **json.loads(text)} for seed, text in enumerate(texts)
    ]


def test_sets_of_seeds_are_sets() -> None:
    rng = random.Random(1)
    for _ in range(200):
        seeds, expected = SeedSet(), set[int]()
        for _ in range(rng.randrange(8)):
            first = rng.randrange(30)
            more = range(first, first + rng.randrange(6)) if rng.random() < 0.5 else rng.choices(range(30), k=4)
            seeds.add(more)
            expected |= set(more)
        ranges = list(seeds.ranges())
        assert [seed for each in ranges for seed in each] == sorted(expected)
        assert all(first.stop < second.start for first, second in pairwise(ranges))
        assert (len(seeds), bool(seeds)) == (len(expected), bool(expected))
        assert seeds.missing(range(40)) == tuple(seed for seed in range(40) if seed not in expected)
