"""AQMs written in Python: declared, checked, run, compared, stopped."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import penstock as ps
import pytest
from penstock.aqms import catalog, python_aqm

ROOT = Path(__file__).resolve().parents[2]

THRESHOLD = '''
import penstock as ps

@ps.aqm("cli-threshold")
class Threshold(ps.Aqm):
    """Drop every arrival while `k` packets or more are waiting."""
    k: int = 20
    def on_arrival(self, cx, pkt):
        return ps.DROP if cx.queue.packets >= self.k else ps.PASS
'''

BROKEN = THRESHOLD.replace("cli-threshold", "cli-broken").replace("self.k else", "self.k else 1 / 0 if cx.now > 1 else")


@ps.aqm("threshold")
class Threshold(ps.Aqm):
    """Drop every arrival while `k` packets or more are waiting."""

    k: int = 20

    def on_arrival(self, cx: Any, pkt: Any) -> Any:
        return ps.DROP if cx.queue.packets >= self.k else ps.PASS


@ps.aqm("py-bernoulli")
class Bernoulli(ps.Aqm):
    """The registry's bernoulli, in Python."""

    p: float = 0.1
    ecn: bool = False

    def on_arrival(self, cx: Any, pkt: Any) -> Any:
        if not cx.rng.chance(self.p):
            return ps.PASS
        return ps.MARK if self.ecn else ps.DROP


@ps.aqm("py-fails")
class Fails(ps.Aqm):
    """Raises an exception."""

    def on_arrival(self, cx: Any, pkt: Any) -> Any:
        return ps.PASS if cx.now < 1 else int("nothing")


@ps.aqm("py-all")
class All(ps.Aqm):
    """Every kind of parameter, every method."""

    wait: ps.Seconds = "5ms"
    mode: Literal["slow", "fast"] = "slow"
    gain: float = 1

    def reset(self, link: Any) -> None:
        if self.gain < 0:
            raise ValueError(f"gain = {self.gain} must not be negative")
        self.link, self.calls, self.next, self.waiting = link, 0.0, self.wait, 0

    def on_arrival(self, cx: Any, pkt: Any) -> Any:
        assert cx.now * 1e9 == pytest.approx(cx.now_ns)
        assert (pkt.protocol, pkt.sojourn, cx.queue.packets) == (6, 0, self.waiting)
        return ps.PASS

    def on_enqueued(self, cx: Any, pkt: Any) -> None:
        self.waiting += 1

    def on_departure(self, cx: Any, pkt: Any) -> Any:
        self.waiting -= 1
        return ps.DROP if pkt.sojourn > 0.15 else ps.PASS

    def on_idle(self, now: float) -> None:
        self.idle = now

    def next_timeout(self) -> float:
        return float(self.next)

    def on_timeout(self, cx: Any) -> None:
        self.calls += 1
        self.next = cx.now + self.wait

    def gauges(self) -> dict[str, float]:
        return {"calls": self.calls}


def link(queue: ps.Queue, **more: Any) -> ps.Scenario:
    traffic = {"bulk": ps.Tcp(count=4, flavour="newreno", start={"uniform": ["0s", "1s"]})}
    return ps.dumbbell(rate="2Mbit", rtt="60ms", queue=queue, traffic=traffic, **({"duration": "5s"} | more))


def test_a_threshold_is_a_limit_that_is_tested_early() -> None:
    mine = ps.run(link(Threshold(k=20, limit="35p"))).links["bottleneck"]
    theirs = ps.run(link(ps.DropTail(limit="20p"))).links["bottleneck"]
    assert len(mine.length_pmf) == len(theirs.length_pmf) == 21
    assert mine.length_mean_pkts == theirs.length_mean_pkts
    assert mine.drops == theirs.drops > 0


@pytest.mark.parametrize("ecn", [False, True])
def test_an_aqm_draws_from_the_stream_that_an_aqm_in_rust_would_have(ecn: bool) -> None:
    runs = [
        ps.run(link(queue(limit="30p", p=0.02, ecn=ecn)).replace("traffic.bulk.ecn", ecn), 3)
        for queue in (Bernoulli, ps.Bernoulli)
    ]
    books = [{key: value for key, value in run.raw.items() if key not in ("cpu_s", "scenario")} for run in runs]
    assert books[0] == books[1]


def test_all_methods_are_called_and_parameters_arrive_as_numbers() -> None:
    run = ps.run(link(All(limit="100p", wait="10ms")), series=True)
    assert "calls" in run.series["bottleneck"]
    assert run.links["bottleneck"].drops > 0


def test_conformance() -> None:
    ps.testing.conformance(Threshold)
    ps.testing.conformance(Bernoulli, ecn=True)


def test_conformance_finds_marks_that_nobody_asked_for() -> None:
    @ps.aqm("py-marks")
    class Marks(ps.Aqm):
        def on_arrival(self, cx: Any, pkt: Any) -> Any:
            return ps.MARK if cx.rng.chance(0.1) else ps.PASS

    with pytest.raises(AssertionError, match="marks packets"):
        ps.testing.conformance(Marks)


def test_one_and_many_jobs_give_the_same_bytes() -> None:
    schemes = [ps.Red(limit="35p"), Threshold(limit="35p"), Bernoulli(limit="35p", p=0.05)]
    texts = [ps.compare(link(ps.DropTail()), schemes, runs=3, jobs=jobs).to_json() for jobs in (1, 2)]
    assert texts[0] == texts[1]
    assert set(json.loads(texts[0])["aqms"]) == {"threshold", "py-bernoulli"}


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_exception_ends_the_run_with_the_packet_at_hand(jobs: int) -> None:
    with pytest.raises(ps.AqmError) as caught:
        ps.compare(link(ps.DropTail()), [Fails(limit="35p")], runs=2, jobs=jobs)
    text = str(caught.value)
    assert text.startswith("in on_arrival of the AQM py-fails at 1.")
    assert "about a packet of flow" in text
    assert "waiting\nTraceback (most recent call last):\n" in text
    assert 'return ps.PASS if cx.now < 1 else int("nothing")' in text
    assert text.endswith("ValueError: invalid literal for int() with base 10: 'nothing'")
    assert "penstock/runs.py" not in text


def test_a_refused_parameter_is_an_error_of_the_scenario() -> None:
    with pytest.raises(ps.ScenarioError, match=r"gain = -1.0 must not be negative"):
        ps.run(link(All(gain=-1)))
    with pytest.raises(ps.ScenarioError, match=r"bottleneck.queue.k.*whole number"):
        ps.run(link(Threshold(k=2.5)))  # type: ignore[arg-type]
    with pytest.raises(ps.ScenarioError, match=r'did you mean "k"|known here: scheme, limit, k'):
        ps.Scenario.loads(link(Threshold()).to_toml().replace("scheme =", "kk = 3\nscheme ="))


def test_the_rng_cannot_be_used_outside_of_a_call() -> None:
    generators = []

    @ps.aqm("py-keeps")
    class Keeps(ps.Aqm):
        def on_arrival(self, cx: Any, pkt: Any) -> Any:
            generators.append(cx.rng)
            return ps.PASS

    ps.run(link(Keeps(limit="35p"), duration="1s"))
    with pytest.raises(RuntimeError, match="within the call"):
        generators[0].uniform()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("def on_arival(self, cx, pkt): pass", 'unknown method on_arival; did you mean "on_arrival"'),
        ("def on_arrival(self, pkt): pass", r"on_arrival\(self, pkt\) must take \(self, cx, pkt\)"),
        ("k: int", "k needs a default"),
        ("k = 20", "k has no type: write k: int = 20"),
        ("k: int = 2.5", "the default must be of type int"),
        ("k: list = None", "the type must be int, float, bool"),
        ("limit: int = 5", "limit is a key of every queue"),
        ("wait: ps.Seconds = 'soon'", "wait = 'soon'"),
    ],
)
def test_a_class_is_checked_when_it_is_declared(body: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(f"import penstock as ps\n@ps.aqm('py-wrong')\nclass Wrong(ps.Aqm):\n    {body}\n")
    with pytest.raises(ps.PenstockError, match=message):
        python_aqm.load_aqm_file(file)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("None", "returned None, which is none of"),
        ("ps.DROP('sojourn')", "not a cause in on_arrival: expected one of early"),
    ],
)
def test_a_wrong_answer_is_told(answer: str, message: str) -> None:
    names: dict[str, Any] = {"__name__": "typed"}
    text = "import penstock as ps\n@ps.aqm('py-answer')\nclass Answer(ps.Aqm):\n    def on_arrival(self, cx, pkt):\n"
    exec(f"{text}        return {answer}\n", names)
    with pytest.raises(ps.AqmError, match=message):
        ps.run(link(names["Answer"](limit="35p")))


def test_a_built_in_name_is_taken() -> None:
    with pytest.raises(ps.PenstockError, match="there is a scheme of this name"):
        ps.aqm("red")(type("Mine", (ps.Aqm,), {}))


KEYED = """
import penstock as ps
from beside_aqms import threshold

EXTRA = 1

def enough(packets):
    return packets >= threshold() + EXTRA

@ps.aqm("py-keyed")
class Keyed(ps.Aqm):
    def on_arrival(self, cx, pkt):
        return ps.DROP if enough(cx.queue.packets) else ps.PASS

@ps.aqm("py-keyed-other")
class Other(ps.Aqm):
    k: int = 3
"""
BESIDE = "def threshold():\n    return 5\n\ndef other():\n    return 6\n"


@pytest.fixture
def key_of_aqm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], str]]:
    """The key of a scenario with the AQM `py-keyed`, whose file and the one beside it were edited."""

    def key(old: str, new: str) -> str:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        for name, text in (("aqms", KEYED), ("beside_aqms", BESIDE)):
            (folder / f"{name}.py").write_text(text.replace(old, new), encoding="utf-8")
        monkeypatch.delitem(sys.modules, "beside_aqms", raising=False)
        monkeypatch.syspath_prepend(str(folder))
        forget()
        python_aqm.load_aqm_file(folder / "aqms.py")
        cls = python_aqm.declared_class("py-keyed")
        assert cls is not None
        return link(cls(limit="35p")).key()

    def forget() -> None:
        for name in ("py-keyed", "py-keyed-other"):
            python_aqm._AQMS.pop(name, None)
            catalog._ADDED.pop(name, None)

    yield key
    forget()


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [
        ("ps.DROP if enough", "ps.MARK if enough", True),
        ("packets >= threshold", "packets > threshold", True),
        ("EXTRA = 1", "EXTRA = 2", True),
        ("return 5", "return 4", True),
        ("EXTRA = 1", "# One more.\nEXTRA = 1", True),
        ("", "", False),
    ],
)
def test_the_code_of_an_aqm_and_what_it_uses_count_in_the_key(
    key_of_aqm: Callable[[str, str], str], old: str, new: str, counts: bool
) -> None:
    assert (key_of_aqm("", "") != key_of_aqm(old, new)) == counts


def test_an_aqm_whose_file_has_changed_since_it_was_loaded_has_the_key_of_the_old_text(tmp_path: Path) -> None:
    file = tmp_path / "changing.py"
    keys = []
    for number in range(2):
        # Python takes its compiled form for up to date if time, to a second, and size are the same.
        text = THRESHOLD.replace("cli-threshold", f"py-changing-{number}") + "# longer\n" * number
        file.write_text(text, encoding="utf-8")
        python_aqm.load_aqm_file(file)
        aqm = python_aqm._AQMS[f"py-changing-{number}"]
        del sys.modules[aqm.cls.__module__]
        file.write_text("# another\n" * (number + 1), encoding="utf-8")
        keys.append(aqm.key)
        assert aqm.key == hashlib.sha256(aqm.text.encode()).hexdigest()
    assert keys[0] != keys[1]


def penstock(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "penstock", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "threshold.py").write_text(THRESHOLD)
    (tmp_path / "broken.py").write_text(BROKEN)
    link(ps.DropTail(limit="35p")).save(tmp_path / "link.toml")
    return tmp_path


def test_the_command_line_takes_a_file(folder: Path) -> None:
    process = penstock("compare", "link.toml", "--scheme", "threshold.py", "--scheme", "threshold.py:cli-threshold:k=5",
                    "--runs", "2", "--jobs", "2", "--json", "-", cwd=folder)  # fmt: skip
    assert process.returncode == 0, process.stderr
    assert {row["scheme"] for row in json.loads(process.stdout)["rows"]} == {"cli-threshold"}
    process = penstock("run", "link.toml", "--load", "threshold.py", "--set",
                    "links.bottleneck.queue.scheme=cli-threshold", "--trace", "out", cwd=folder)  # fmt: skip
    assert process.returncode == 0, process.stderr
    process = penstock("compare", "link.toml", "--scheme", "threshold.py:treshold", cwd=folder)
    assert process.returncode == 2
    assert (
        'has no AQM "treshold"; did you mean "cli-threshold"?' in process.stderr or "available: cli-" in process.stderr
    )


def test_the_command_line_tells_an_exception_and_leaves_with_1(folder: Path) -> None:
    process = penstock("compare", "link.toml", "--scheme", "broken.py", "--runs", "2", "--jobs", "2", cwd=folder)
    assert process.returncode == 1
    assert "ZeroDivisionError: division by zero" in process.stderr
    assert "of the AQM cli-broken at 1." in process.stderr


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_ends_a_run(folder: Path, jobs: str) -> None:
    command = [sys.executable, "-m", "penstock", "compare", "link.toml", "--set", "duration=100000s", "--scheme",
               "threshold.py", "--runs", "2", "--jobs", jobs]  # fmt: skip
    running = subprocess.Popen(
        command,
        cwd=folder,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        # A job in the background inherits SIGINT as ignored, and this test may run in one.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    time.sleep(4)
    os.killpg(running.pid, signal.SIGINT)
    assert running.wait(20) == 130
    with pytest.raises(ProcessLookupError):
        os.killpg(running.pid, 0)


@pytest.mark.slow
def test_the_python_template_passes_its_tests(tmp_path: Path) -> None:
    process = penstock("new", "aqm", "my-aqm", cwd=tmp_path)
    assert process.returncode == 0, process.stderr
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_my_aqm.py"]
    process = subprocess.run(tests, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert process.returncode == 0, process.stdout
    assert "exists already" in penstock("new", "aqm", "my-aqm", cwd=tmp_path).stderr
    assert 'the scheme "red" exists already' in penstock("new", "aqm", "red", cwd=tmp_path).stderr


@pytest.mark.slow
def test_the_rust_template_compiles_and_passes_the_conformance_suite(tmp_path: Path) -> None:
    import shutil

    for part in ("Cargo.toml", "Cargo.lock", "crates"):
        source = ROOT / part
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, tmp_path / part)
    process = penstock("new", "aqm", "aaa-law", "--rust", cwd=tmp_path)
    assert process.returncode == 0, process.stderr
    environment = {**os.environ, "CARGO_TARGET_DIR": os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target"))}
    for tests in (["--lib"], ["--test", "integration", "conformance"]):
        command = ["cargo", "test", "--offline", "--locked", "-q", "-p", "penstock-aqm", *tests]
        process = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=1500, check=False
        )
        assert process.returncode == 0, process.stdout[-3000:] + process.stderr[-3000:]


def test_the_key_of_a_scenario_counts_the_aqms_of_its_classes() -> None:
    scenario = {
        "links": {"a": {"queue": {"scheme": "wfq", "classes": [{"queue": {"scheme": "mine"}}, {}]}, "reverse": None}}
    }
    assert list(python_aqm.scenario_schemes(scenario)) == ["wfq", "mine"]


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("method", ["reset(self, link)", "on_arrival(self, cx, pkt)"])
def test_an_exit_in_an_aqm_is_an_error_of_the_aqm(method: str, jobs: int) -> None:
    for statement, last in (("sys.exit(0)", "SystemExit: 0"), ("raise Odd('here')", "Odd: here")):
        names: dict[str, Any] = {"__name__": "typed"}
        aqm = f"@ps.aqm('py-leaves')\nclass Leaves(ps.Aqm):\n    def {method}:\n        {statement}\n"
        exec(f"import sys\nimport penstock as ps\nclass Odd(BaseException): pass\n{aqm}", names)
        with pytest.raises(ps.AqmError, match=r"in \w+ of the AQM py-leaves") as caught:
            ps.compare(link(ps.DropTail()), [names["Leaves"](limit="35p")], runs=2, jobs=jobs)
        assert str(caught.value).endswith(last)


def test_a_file_that_exits_cannot_be_loaded(tmp_path: Path) -> None:
    (tmp_path / "leaves.py").write_text("import sys\nsys.exit(0)\n")
    with pytest.raises(ps.PenstockError, match=r"cannot be loaded(.|\n)*SystemExit: 0"):
        python_aqm.load_aqm_file(tmp_path / "leaves.py")


@pytest.mark.parametrize("second", ["First", "Second"])
def test_two_classes_of_one_name_are_refused(second: str, tmp_path: Path) -> None:
    head = "import penstock as ps\n"
    decorated = f"@ps.aqm('py-twin-{second.lower()}')\nclass "
    (tmp_path / "twins.py").write_text(
        f"{head}{decorated}First(ps.Aqm):\n    k: int = 1\n{decorated}{second}(ps.Aqm):\n    pass\n"
    )
    with pytest.raises(ps.PenstockError, match=r"class First in .*twins.py has this name already"):
        python_aqm.load_aqm_file(tmp_path / "twins.py")
    (tmp_path / "twins.py").write_text(f"{head}{decorated}First(ps.Aqm):\n    k: int = 1\n")
    assert python_aqm.load_aqm_file(tmp_path / "twins.py") == [f"py-twin-{second.lower()}"]
