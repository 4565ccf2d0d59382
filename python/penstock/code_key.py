"""Keys for Python code, for reusing stored results of the same code: hashes of the user's source files.

A key covers the file that defines the function or class, and the modules that this file imports, directly or
indirectly. Installed packages and the standard library are excluded. Every edit to these files changes the key, even an
edit to a comment; the versions of libraries do not change it.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import inspect
import re
import sys
import sysconfig
import types
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from penstock.errors import PenstockError

__all__ = ["code_key"]

_INSTALLED = {"site-packages", "dist-packages"}
_NOT_OWN = (Path(__file__).resolve().parent, Path(sysconfig.get_path("stdlib")).resolve())


def code_key(code: Any) -> str:
    """A key for a function, method, partial function or class.

    The key depends on the source files, the values of the closure, and the arguments of a partial function. A notebook
    has no source file; there, the key depends on the source of the function and on the functions, classes and values
    that this source names.

    Raises `PenstockError` if there is no source, or if a value of the closure or an argument is neither plain nor made
    of plain values.
    """
    root = code
    while not isinstance(root, (types.FunctionType, type)):
        root = next(filter(None, (getattr(root, name, None) for name in ("__wrapped__", "func", "__func__"))), None)
        if root is None:
            raise PenstockError(f"{_name(code)} is no function in Python; define one with def")
    key = _Key(root)
    return hashlib.sha256("\0".join([key.text(code), *sorted(key.texts.values())]).encode()).hexdigest()


class _Key:
    """Collects the source texts and values that determine a key.

    Attributes:
        texts: the user's source texts by file.

    """

    def __init__(self, root: types.FunctionType | type) -> None:
        self.texts: dict[str, str] = {}
        self._name = _name(root)
        self._folder = Path(_file(root)).resolve().parent
        self._visited: set[int] = set()

    def text(self, value: Any) -> str:
        """A value as text. Functions and classes appear by name; sources of the user's code are added to `texts`."""
        if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
            return repr(value)
        if isinstance(value, (tuple, list)):
            return f"{type(value).__name__}[{self._each(value)}]"
        if isinstance(value, (set, frozenset)):
            return f"{{{', '.join(sorted(map(self.text, value)))}}}"
        if isinstance(value, Mapping):
            return f"{{{self._each(value.items())}}}"
        if isinstance(value, functools.partial):
            return f"partial({self._each((value.func, value.args, value.keywords))})"
        if isinstance(value, types.MethodType):
            return f"method({self._each((value.__func__, value.__self__))})"
        if isinstance(value, (types.FunctionType, type)):
            return f"{_name(value)}({self._each(self._parts(value))})"
        if hasattr(value, "__wrapped__"):
            return f"{_name(value)}({self.text(value.__wrapped__)})"
        if isinstance(value, (types.BuiltinFunctionType, types.ModuleType)):
            return _name(value)
        if hasattr(value, "dtype") and hasattr(value, "tobytes"):
            return f"{value.dtype}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
        if self._owns(type(value)) and hasattr(value, "__dict__"):
            return f"{self.text(type(value))}{self.text(vars(value))}"
        if re.search(r"\bat 0x[0-9a-f]+", repr(value)):
            raise PenstockError(f"{self._name} uses a {type(value).__name__}, which has no plain value")
        return repr(value)

    def _each(self, values: Iterable[Any]) -> str:
        return ", ".join(map(self.text, values))

    def _owns(self, code: types.FunctionType | type) -> bool:
        return code.__module__ != "builtins" and _is_own(Path(_file(code)).resolve(), self._folder)

    def _parts(self, code: types.FunctionType | type) -> Iterator[Any]:
        """The position of a function in its file, and the values that are not in its source."""
        if id(code) in self._visited or not self._owns(code):
            return
        self._visited.add(id(code))
        self.texts |= _sources(code, self._folder)
        if isinstance(code, type):
            return
        yield min((line, column) for line, _, column, _ in code.__code__.co_positions() if line and column)
        for name, cell in zip(code.__code__.co_freevars, code.__closure__ or (), strict=True):
            try:
                yield name, cell.cell_contents
            except ValueError:  # the variable has no value yet
                continue
        if "__file__" not in code.__globals__:
            yield sorted(inspect.getclosurevars(code).globals.items())


def _name(code: Any) -> str:
    return getattr(code, "__qualname__", None) or getattr(code, "__name__", None) or type(code).__name__


def _file(code: types.FunctionType | type) -> str:
    try:
        return inspect.getsourcefile(code) or ""
    except TypeError:  # a class without a file
        return ""


def _sources(code: types.FunctionType | type, folder: Path) -> dict[str, str]:
    """The source texts by file: the module of a function or class, and the user's modules that it imports."""
    try:
        file, lines = _file(code), inspect.findsource(code)[0]
    except (OSError, TypeError):
        raise PenstockError(f"{_name(code)} has no source; define it in a file") from None
    texts = {file: "".join(lines)}
    module = sys.modules.get(code.__module__)
    waiting = [(texts[file], getattr(module, "__package__", None) or "")]
    while waiting:
        for name in _imports(*waiting.pop()):
            spec = _spec(name)
            origin = Path(spec.origin or "") if spec and spec.has_location else Path()
            if origin.suffix == ".py" and str(origin) not in texts and _is_own(origin.resolve(), folder):
                texts[str(origin)] = origin.read_text(encoding="utf-8")
                waiting.append((texts[str(origin)], spec.parent or "" if spec else ""))
    return texts


def _is_own(file: Path, folder: Path) -> bool:
    """Whether a file is in the folder of the code, or outside of installed packages, Python and penstock."""
    is_library = _INSTALLED & set(file.parts) or any(file.is_relative_to(other) for other in _NOT_OWN)
    return file.parent == folder or not is_library


@functools.cache
def _imports(text: str, package: str) -> frozenset[str]:
    """The names of all modules that a source text may import, and of their parent packages."""
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            base = importlib.util.resolve_name(base, package) if node.level else base
            names |= {f"{base}.{alias.name}" for alias in node.names}
    return frozenset(".".join(name.split(".")[:depth]) for name in names for depth in range(1, name.count(".") + 2))


def _spec(name: str) -> Any:
    try:
        return importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):  # a name inside a plain module, or a script
        return None
