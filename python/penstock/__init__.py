"""A laboratory for router queue management: simulate, compare, explain.

>>> import penstock as ps
>>> link = ps.dumbbell(rate="10Mbit", rtt="80ms", duration="5s", queue=ps.Red(limit="100p"),
...                    traffic={"bulk": ps.Tcp(count=5, flavour="newreno")})
>>> run = ps.run(link)
>>> bool(run.links["bottleneck"].utilization > 0.5)
True
"""

from importlib import import_module

TYPE_CHECKING = False  # type checkers take it as true; `typing` is slow to import
if TYPE_CHECKING:
    from penstock import model, plots, reproduce, testing
    from penstock._native import DROP, MARK, PASS
    from penstock._native import version as __version__
    from penstock.aqms.catalog import schemes
    from penstock.aqms.python_aqm import Aqm, AqmError, Seconds, aqm
    from penstock.aqms.queue import Queue
    from penstock.challenges.challenge import challenge
    from penstock.engine.run import run
    from penstock.errors import ErrorDetail, PenstockError, ScenarioError
    from penstock.evaluation.evaluate import evaluate
    from penstock.fitting.fit import Fit, fit
    from penstock.live.bench import LiveBench
    from penstock.results.estimates import Estimates
    from penstock.results.run import Metrics, Run
    from penstock.scenario._generated import *  # noqa: F403 - a class for each scheme, in its own __all__
    from penstock.scenario.elements import Cbr, Fec, Link, Poisson, Replay, Reverse, Traffic, Video
    from penstock.scenario.scenario import Scenario, dumbbell
    from penstock.scenario.traffic import Incast, OnOff, Web
    from penstock.scenario.workloads import Workload
    from penstock.schemas import json_schema
    from penstock.studies.candidate import Precision
    from penstock.studies.cluster import Cluster
    from penstock.studies.compare import compare
    from penstock.studies.runs import Runs
    from penstock.studies.store import Store
    from penstock.studies.study import Study
    from penstock.tuning.tune import tune

# The public names and their modules. A module is imported when one of its names is first used, so that the command line
# starts fast.
_HOMES = {
    "_native": ("DROP", "MARK", "PASS"),
    "challenges.challenge": ("challenge",),
    "engine.run": ("run",),
    "errors": ("ErrorDetail", "PenstockError", "ScenarioError"),
    "evaluation.evaluate": ("evaluate",),
    "aqms.catalog": ("schemes",),
    "aqms.python_aqm": ("Aqm", "AqmError", "Seconds", "aqm"),
    "aqms.queue": ("Queue",),
    "fitting.fit": ("Fit", "fit"),
    "live.bench": ("LiveBench",),
    "results.estimates": ("Estimates",),
    "results.run": ("Metrics", "Run"),
    "scenario.elements": ("Cbr", "Fec", "Link", "Poisson", "Replay", "Reverse", "Traffic", "Video"),
    "scenario.scenario": ("Scenario", "dumbbell"),
    "scenario.traffic": ("Incast", "OnOff", "Web"),
    "scenario.workloads": ("Workload",),
    "schemas": ("json_schema",),
    "studies.candidate": ("Precision",),
    "studies.cluster": ("Cluster",),
    "studies.compare": ("compare",),
    "studies.runs": ("Runs",),
    "studies.store": ("Store",),
    "studies.study": ("Study",),
    "tuning.tune": ("tune",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "DROP",
    "MARK",
    "PASS",
    "Aqm",
    "AqmError",
    "Cbr",
    "Cluster",
    "ErrorDetail",
    "Estimates",
    "Fec",
    "Fit",
    "Incast",
    "Link",
    "LiveBench",
    "Metrics",
    "OnOff",
    "PenstockError",
    "Poisson",
    "Precision",
    "Queue",
    "Replay",
    "Reverse",
    "Run",
    "Runs",
    "Scenario",
    "ScenarioError",
    "Seconds",
    "Store",
    "Study",
    "Traffic",
    "Video",
    "Web",
    "Workload",
    "__version__",
    "aqm",
    "challenge",
    "compare",
    "dumbbell",
    "evaluate",
    "fit",
    "json_schema",
    "model",
    "plots",
    "reproduce",
    "run",
    "schemes",
    "testing",
    "tune",
]


if not TYPE_CHECKING:  # else type checkers would accept misspelt names

    def __getattr__(name: str) -> object:
        if name == "__version__":
            return import_module("penstock._native").version
        if name in {"model", "plots", "reproduce", "testing"}:
            return import_module(f"penstock.{name}")
        if name.startswith("_"):
            raise AttributeError(f"module 'penstock' has no attribute {name!r}")
        home = import_module(f"penstock.{_HOME.get(name, 'scenario._generated')}")
        if name not in _HOME and name not in home.__all__:
            hint = import_module("penstock.errors").did_you_mean(name, __dir__())
            raise AttributeError(f"module 'penstock' has no attribute {name!r}{hint}")
        value = getattr(home, name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*__all__, *import_module("penstock.scenario._generated").__all__})
