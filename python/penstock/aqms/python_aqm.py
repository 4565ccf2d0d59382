"""AQMs written in Python: declared with `@ps.aqm("name")`, then used like any other scheme.

>>> import penstock as ps
>>> @ps.aqm("every-other")
... class EveryOther(ps.Aqm):
...     '''Drop every other arrival while `k` packets or more are waiting.'''
...     k: int = 20
...     def reset(self, link):
...         self.odd = False
...     def on_arrival(self, cx, pkt):
...         self.odd = not self.odd
...         return ps.DROP if self.odd and cx.queue.packets >= self.k else ps.PASS
>>> EveryOther(k=5, limit="35p").tree()
{'scheme': 'every-other', 'limit': '35p', 'k': 5}
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.util
import inspect
import re
import sys
import traceback
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, dataclass_transform, get_args, get_origin, get_type_hints

from penstock import _native
from penstock.aqms import catalog
from penstock.aqms.catalog import Param, Scheme
from penstock.aqms.queue import Queue
from penstock.code_key import code_key
from penstock.errors import PenstockError, did_you_mean
from penstock.files import MAX_TEXT_BYTES, open_regular
from penstock.units import UnitError, parse_time

__all__ = [
    "Aqm",
    "AqmError",
    "LinkFacts",
    "Seconds",
    "aqm",
    "aqm_constructors",
    "code_keys",
    "declared_class",
    "declared_names",
    "load_aqm_file",
]

Seconds = Annotated[Any, "time"]
"""The type of a parameter that is a time: written as text such as "5ms", passed to the AQM in seconds."""


class AqmError(PenstockError):
    """An AQM in Python raised an exception; the message names the point in the run and ends with the traceback."""

    exit_code = 1


@dataclass(frozen=True, kw_only=True)
class LinkFacts:
    """The link behind the queue, as an AQM sees it.

    Attributes:
        rate: bits per second.
        limit: capacity of the queue in `limit_unit`; infinite without a limit.
        limit_unit: "packets" or "bytes".
        mean_packet: typical size of a packet in bytes.
        mtu: largest packet in bytes.
        rtt: round-trip time without queueing in seconds, if the scenario states or implies one.
        flows: number of flows, if the scenario states or implies one.

    """

    rate: int
    limit: float
    limit_unit: str
    mean_packet: int
    mtu: int
    rtt: float | None = None
    flows: int | None = None


@dataclass(frozen=True, kw_only=True)
class Aqm(Queue):
    """The base class of AQMs in Python. Every method is optional.

    The annotated fields of an AQM are its parameters: `int`, `float`, `bool`, a `Literal` of words, or `ps.Seconds`,
    each with a default. An AQM keeps its state in attributes set by `reset`, and draws random numbers only from
    `cx.rng`. `cx` and `pkt` are the same objects in every call: read their values, but do not store the objects.
    """

    def reset(self, link: LinkFacts) -> None:
        """Initialize the state before a run. A `ValueError` refuses the parameters."""

    def on_arrival(self, cx: _native.Cx, pkt: _native.Packet) -> _native.Verdict:
        """Judge an arriving packet; `cx.queue` does not count it yet."""
        return _native.PASS

    def on_enqueued(self, cx: _native.Cx, pkt: _native.Packet) -> None:
        """The packet was queued; `cx.queue` counts it."""

    def on_overflow(self, cx: _native.Cx, pkt: _native.Packet) -> None:
        """The queue was full and the packet was dropped."""

    def on_departure(self, cx: _native.Cx, pkt: _native.Packet) -> _native.Verdict:
        """Judge the packet at the head, which waited `pkt.sojourn` seconds; `cx.queue` no longer counts it."""
        return _native.PASS

    def on_evicted(self, cx: _native.Cx, pkt: _native.Packet) -> None:
        """A queued packet was removed to make room."""

    def on_idle(self, now: float) -> None:
        """`dequeue` found the queue empty; `now` is in seconds."""

    def on_link(self, link: LinkFacts) -> None:
        """The link behind the queue has changed."""

    def next_timeout(self) -> float | None:
        """The time of the next `on_timeout` in seconds; read at the start, after `on_timeout` and after `on_idle`."""
        return None

    def on_timeout(self, cx: _native.Cx) -> None:
        """The time returned by `next_timeout` has been reached."""

    def gauges(self) -> Mapping[str, float]:
        """The state for probes, under the names of the literature; the method must not change the state."""
        return {}

    def drop_function(self, average: float) -> float | None:
        """The drop probability at a constant average queue of `average` packets, if the AQM has such a function."""
        return None

    def _methods(self) -> dict[str, Any]:
        """The methods that the AQM overrides."""
        return {name: getattr(self, name) for name in _HOOKS if getattr(type(self), name) is not getattr(Aqm, name)}


_HOOKS = {name: function for name, function in vars(Aqm).items() if inspect.isfunction(function) and name[0] != "_"}
_HOOKS = {name: function for name, function in _HOOKS.items() if name not in ("tree", "keys")}


@dataclass(frozen=True)
class _DeclaredAqm:
    """A declared AQM: its class, the class of its working objects, and the text of its file when it was declared."""

    cls: type[Aqm]
    running_class: type[Aqm]
    params: tuple[Param, ...]
    text: str

    @cached_property
    def key(self) -> str:
        """A key for its code, and for the functions and constants that it uses from its folder.

        If the file has changed since, or a part has no source, the key is that of the text at the time of the
        declaration.
        """
        try:
            if _text(self.cls) == self.text:
                return code_key(self.cls)
        except PenstockError:
            pass
        return hashlib.sha256(self.text.encode()).hexdigest()

    def make(self, settings: Mapping[str, Any], link: LinkFacts) -> Aqm:
        """An AQM at work in a run: parameters as plain values, state as set by `reset`."""
        aqm = object.__new__(self.running_class)
        for item in dataclasses.fields(Queue):
            setattr(aqm, item.name, item.default)
        for param in self.params:
            setattr(aqm, param.name, _value(param, settings))
        try:
            aqm.reset(link)
        except (ValueError, KeyboardInterrupt):
            raise
        except BaseException as error:
            error.penstock_note = f"in reset of the AQM {self.cls.scheme}"  # type: ignore[attr-defined]
            raise
        return aqm


class _RefusedError(ValueError):
    """A parameter that is refused."""

    def __init__(self, parameter: str, message: str) -> None:
        super().__init__(message)
        self.parameter = parameter


def _value(param: Param, settings: Mapping[str, Any]) -> Any:
    if param.name not in settings:
        return param.default["ns"] / 1e9 if param.kind == "time" else param.default
    value = settings[param.name]
    if param.kind != "integer":
        return value
    if value != int(value):
        raise _RefusedError(param.name, "must be a whole number")
    return int(value)


_AQMS: dict[str, _DeclaredAqm] = {}

_AQM_MODULE = "penstock_law_"
"""Prefix of the names of modules that `load_aqm_file` creates from files."""

A = TypeVar("A", bound=Aqm)


@dataclass_transform(kw_only_default=True, frozen_default=True)
def aqm(name: str) -> Callable[[type[A]], type[A]]:
    """Declare a class as the AQM `name`, in lower case with hyphens. Raises `PenstockError` with every error."""

    def declare(cls: type[A]) -> type[A]:
        if not (inspect.isclass(cls) and issubclass(cls, Aqm)):
            raise PenstockError(f'@aqm("{name}") must decorate a class derived from ps.Aqm')
        errors = [*_name_errors(name, cls), *_method_errors(cls), *_attribute_errors(cls)]
        params: list[Param] = []
        if not errors:
            dataclass(frozen=True, kw_only=True, repr=False)(cls)
            params, errors = _params(cls)
        if errors:
            raise PenstockError("\n".join(f"AQM {name}, class {cls.__name__}: {error}" for error in errors))
        cls.scheme = name
        members = {"__setattr__": object.__setattr__, "__delattr__": object.__delattr__, "__module__": cls.__module__}
        live = type(cls.__name__, (cls,), members)
        _AQMS[name] = _DeclaredAqm(cls, live, tuple(params), _text(cls))
        text = inspect.cleandoc(cls.__dict__.get("__doc__") or "")
        catalog.add_scheme(
            Scheme(
                name=name,
                aliases=(),
                family="Python",
                title=text.partition("\n")[0] or cls.__name__,
                source=_file(cls) or "an AQM in Python",
                doc=text,
                ecn=any(param.name == "ecn" for param in params),
                good="",
                bad="",
                params=tuple(params),
            )
        )
        return cls

    return declare


def _name_errors(name: str, cls: type[Aqm]) -> Iterator[str]:
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        yield "the name must consist of lower-case letters, digits and hyphens, such as my-red"
        return
    registered = _AQMS.get(name)
    if registered is None:
        if name in catalog.scheme_names():
            yield "there is a scheme of this name; choose another"
    elif not _redefines(registered.cls, cls):
        file = _file(registered.cls)
        yield f"class {registered.cls.__qualname__}{file and f' in {file}'} has this name already; choose another name"


def _redefines(old: type[Aqm], new: type[Aqm]) -> bool:
    """Whether `new` redefines `old`, in a cell of a notebook or by a second import of its file."""
    if old.__qualname__ != new.__qualname__:
        return False
    if old.__module__ != new.__module__:
        return _file(old) == _file(new)
    # A file of AQMs is executed once per module object, so a class that it already contains is a different class.
    module = sys.modules.get(old.__module__)
    return not (old.__module__.startswith(_AQM_MODULE) and getattr(module, old.__qualname__, None) is old)


def _method_errors(cls: type[Aqm]) -> Iterator[str]:
    for name, member in vars(cls).items():
        if not inspect.isfunction(member) or name.startswith("_"):
            continue
        if name not in _HOOKS:
            if name.startswith("on_") or get_close_matches(name, _HOOKS, cutoff=0.8):
                yield f"unknown method {name}{did_you_mean(name, _HOOKS)}; available: {', '.join(_HOOKS)}"
            continue
        parameters = list(inspect.signature(_HOOKS[name]).parameters)
        try:
            inspect.signature(member).bind(*parameters)
        except TypeError:
            yield f"{name}{inspect.signature(member)} must take ({', '.join(parameters)})"


def _attribute_errors(cls: type[Aqm]) -> Iterator[str]:
    notes = inspect.get_annotations(cls)
    own = set(vars(cls)) | set(notes)
    for name in sorted(own & {"limit", "share", "scheme"}):
        yield f"{name} is a key of every queue and cannot be a parameter"
    for name in sorted(set(notes) & set(_HOOKS)):
        yield f"{name} is a method, not a parameter"
    for name, member in vars(cls).items():
        plain = isinstance(member, (bool, int, float, str))
        if plain and name not in notes and not name.startswith("_") and not name.isupper():
            kind = type(member).__name__
            field = f"{name}: {kind} = {member!r}"
            yield f"{name} has no type: write {field} for a parameter, {name.upper()} for a constant"


def _params(cls: type[Aqm]) -> tuple[list[Param], list[str]]:
    """The parameters of a class, and their errors."""
    inherited = {item.name for item in dataclasses.fields(Queue)}
    try:
        hints = get_type_hints(cls, include_extras=True)
    except NameError as error:
        return [], [f"the type of a field cannot be read: {error}"]
    params, errors = [], []
    for item in dataclasses.fields(cls):
        if item.name in inherited:
            continue
        if item.default is dataclasses.MISSING:
            errors.append(f"{item.name} needs a default, such as {item.name}: int = 20")
            continue
        try:
            params.append(_param(item.name, hints[item.name], item.default))
        except UnitError as error:
            errors.append(f"{item.name} = {item.default!r}: {error}")
    return params, errors


def _param(name: str, hint: Any, default: Any) -> Param:
    if hint == Seconds:
        return Param(name, "", "s", "time", {"ns": parse_time(default)})
    if get_origin(hint) is Literal and all(isinstance(word, str) for word in get_args(hint)):
        words = get_args(hint)
        if default not in words:
            raise UnitError(f"the default must be one of {', '.join(words)}")
        return Param(name, "", "", "choice", default, words)
    kinds: dict[Any, tuple[str, tuple[type, ...]]] = {
        bool: ("flag", (bool,)),
        int: ("integer", (int,)),
        float: ("number", (int, float)),
    }
    if hint not in kinds:
        raise UnitError("the type must be int, float, bool, ps.Seconds or a Literal of words")
    kind, allowed = kinds[hint]
    if type(default) not in allowed:
        raise UnitError(f"the default must be of type {hint.__name__}")
    return Param(name, "", "", kind, float(default) if kind == "number" else default)


def _file(cls: type) -> str:
    """The file that defines a class; empty for a class entered in an interpreter."""
    try:
        return inspect.getsourcefile(cls) or ""
    except (OSError, TypeError):
        return ""


def _text(cls: type) -> str:
    """The text that defines an AQM: the whole file, else the source of the class, else the byte code."""
    try:
        return Path(_file(cls)).read_text(encoding="utf-8")
    except (OSError, ValueError):
        pass
    try:
        return inspect.getsource(cls)
    except (OSError, TypeError):
        code = [(name, member.__code__) for name, member in vars(cls).items() if isinstance(member, types.FunctionType)]
        return repr([(name, c.co_code.hex(), [str(x) for x in c.co_consts], c.co_names) for name, c in code])


def declared_names() -> list[str]:
    """The names of the declared AQMs."""
    return list(_AQMS)


def declared_class(name: str) -> type[Aqm] | None:
    """The class of the AQM of this name."""
    declared = _AQMS.get(name)
    return declared.cls if declared else None


def aqm_constructors(texts: Iterable[str]) -> dict[str, Callable[[Any, Any], Any]]:
    """Constructors of the Python AQMs that these canonical scenarios use, by name, for the native module."""
    if not _AQMS:
        return {}
    texts = list(texts)
    marks = {name: f'"scheme":"{name}"' for name in _AQMS}
    return {name: _AQMS[name].make for name, mark in marks.items() if any(mark in text for text in texts)}


def code_keys(names: Iterable[str]) -> dict[str, str]:
    """Keys for the code of the Python AQMs among these schemes; they are part of the key of a scenario."""
    if not _AQMS:
        return {}
    return {name: _AQMS[name].key for name in sorted({*names} & {*_AQMS})}


def scenario_schemes(scenario: Mapping[str, Any]) -> Iterator[str]:
    """The schemes of a resolved scenario, including those of its classes."""
    for link in scenario["links"].values():
        for direction in (link, link.get("reverse") or {}):
            yield from _schemes_of(direction)


def _schemes_of(holder: Mapping[str, Any]) -> Iterator[str]:
    """The schemes of the queue of a link direction or class, and of its classes."""
    queue = holder.get("queue")
    if isinstance(queue, Mapping):
        yield queue["scheme"]
        for inner in queue.get("classes", ()):
            yield from _schemes_of(inner)


def load_aqm_file(path: str | Path) -> list[str]:
    """Run a Python file that declares AQMs, once, and return their names."""
    file = Path(path).resolve()
    module = f"{_AQM_MODULE}{hashlib.sha256(str(file).encode()).hexdigest()[:12]}"
    if module not in sys.modules:
        _execute(module, file, path)
    return [name for name, aqm in _AQMS.items() if aqm.cls.__module__ == module]


def _execute(module: str, file: Path, path: str | Path) -> None:
    if not file.exists():
        close = (
            did_you_mean(file.name, [item.name for item in file.parent.glob("*.py")]) if file.parent.is_dir() else ""
        )
        raise PenstockError(f"{path}: no such file{close}")
    try:
        open_regular(file, MAX_TEXT_BYTES).close()
    except OSError as error:
        raise PenstockError(f"{path}: cannot be read: {error.strerror}") from None
    spec = importlib.util.spec_from_file_location(module, file)
    if spec is None or spec.loader is None:
        raise PenstockError(f"{path}: not a Python file; its name must end in .py")
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[module] = loaded
    try:
        spec.loader.exec_module(loaded)
    except PenstockError as error:
        del sys.modules[module]
        raise PenstockError(f"{path}: {error}") from None
    except KeyboardInterrupt:
        del sys.modules[module]
        raise
    except BaseException as error:
        del sys.modules[module]
        raise PenstockError(f"{path} cannot be loaded\n{_traceback(error)}") from None


@contextmanager
def raise_aqm_errors() -> Iterator[None]:
    """Turn any exception of an AQM, `sys.exit` included, into an `AqmError`; Ctrl-C still interrupts."""
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        note = getattr(error, "penstock_note", None)
        if note is None:
            raise
        raise AqmError(f"{note}\n{_traceback(error)}") from None


def _traceback(error: BaseException) -> str:
    """The traceback as Python prints it, starting at the first frame of the user's code."""
    inner = error.__traceback__
    own = (str(Path(__file__).parents[1]), "<frozen importlib")
    while inner is not None and inner.tb_frame.f_code.co_filename.startswith(own):
        inner = inner.tb_next
    return "".join(traceback.format_exception(type(error), error, inner)).rstrip()
