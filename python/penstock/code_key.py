"""Keys for code: a function or class is known by its source and by everything of its own that it uses.

Its own are the functions, classes and constants that its code names, and that their code names, in its module, in other
modules of the same folder, and in its package. Libraries count by name: their versions are not part of a key.
"""

from __future__ import annotations

import ast
import dis
import enum
import functools
import hashlib
import importlib.util
import inspect
import re
import sys
import textwrap
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from penstock.errors import PenstockError

__all__ = ["code_key"]

_PLAIN = (bool, int, float, complex, str, bytes)
_CONSTANT = (*_PLAIN, tuple, list, dict, set, frozenset)


def code_key(code: Any) -> str:
    """A key for a function, method, partial function or class.

    Equal for equal source, defaults, values of the closure, and functions, classes and constants that it uses: an edit
    of one of these changes the key, an edit elsewhere in the module does not. Raises `PenstockError` if a part has no
    source in a file, or if a value is neither plain nor made of plain values.
    """
    return hashlib.sha256(_Parts(code).text().encode()).hexdigest()


class _Home:
    """The place of some code: its module, the folder of the module's file, and its package."""

    def __init__(self, root: Any) -> None:
        self._module, file = _module_of(root)
        self._folder = Path(file).resolve().parent if file else None
        self._package = getattr(sys.modules.get(self._module), "__package__", None) or self._module

    def owns(self, thing: Any) -> bool:
        """Whether a function, class or module is from here."""
        module, file = _module_of(thing)
        return self._contains(module) or (file is not None and Path(file).resolve().parent == self._folder)

    def finds(self, module: str) -> types.ModuleType | None:
        """The module of this name if it is from here."""
        top = module.partition(".")[0]
        beside = self._folder is not None and any((self._folder / name).exists() for name in (f"{top}.py", top))
        return importlib.import_module(module) if beside or self._contains(module) else None

    def _contains(self, module: str) -> bool:
        return f"{module}.".startswith(f"{self._package}.")


class _Parts:
    """The functions, classes and modules that belong to some code, numbered in the order in which it reaches them."""

    def __init__(self, code: Any) -> None:
        root = code
        while not isinstance(root, (types.FunctionType, type)) or hasattr(root, "__wrapped__"):
            inner = [getattr(root, name, None) for name in ("__wrapped__", "func", "__func__")]
            root = next((item for item in inner if item is not None), None)
            if root is None:
                raise PenstockError(f"{_name(code)} is no function in Python; define one with def")
        self._home = _Home(root)
        self._found: dict[int, Any] = {}
        self._root = code

    def text(self) -> str:
        """Everything that makes a difference, as a text."""
        lines = [self._value(self._root, _name(self._root))]
        described = 0
        while described < len(self._found):
            part = list(self._found.values())[described]
            lines += [f"#{described}", *self._description(part)]
            described += 1
        return "\n".join(lines)

    def _reference(self, part: Any) -> str:
        """The number of a part, which is described later."""
        self._found.setdefault(id(part), part)
        return f"#{list(self._found).index(id(part))}"

    def _value(self, value: Any, user: str) -> str:
        """A value as text; parts by number. `user` names what uses it, for messages."""
        if isinstance(value, enum.Enum):
            return f"{self._value(type(value), user)}.{value.name} = {self._value(value.value, user)}"
        if value is None or isinstance(value, _PLAIN):
            return repr(value)
        if isinstance(value, (tuple, list)):
            return f"{type(value).__name__}[{', '.join(self._value(item, user) for item in value)}]"
        if isinstance(value, (set, frozenset)):
            items = sorted(value, key=lambda item: getattr(item, "__qualname__", "") or repr(item))
            return f"{{{', '.join(self._value(item, user) for item in items)}}}"
        if isinstance(value, Mapping):
            return f"{{{', '.join(f'{self._value(k, user)}: {self._value(v, user)}' for k, v in value.items())}}}"
        if isinstance(value, functools.partial):
            return f"partial({self._value((value.func, value.args, value.keywords), user)})"
        if isinstance(value, (types.FunctionType, type, types.ModuleType)):
            return self._reference(value) if self._home.owns(value) else self._of_library(value, user)
        if isinstance(value, types.MethodType):
            return f"{self._value(value.__func__, user)} of {self._value(value.__self__, user)}"
        if isinstance(value, (types.BuiltinFunctionType, types.MethodDescriptorType)) or hasattr(value, "__wrapped__"):
            return self._of_library(value, user)
        return self._object(value, user)

    def _of_library(self, value: Any, user: str) -> str:
        """A library's function, class or module by name; with a function that it wraps."""
        name = f"{getattr(value, '__module__', '')}.{_name(value)}"
        return f"{name}({self._value(value.__wrapped__, user)})" if hasattr(value, "__wrapped__") else name

    def _object(self, value: Any, user: str) -> str:
        """An object by its class and attributes, or by a representation that does not name its place in memory."""
        kind = type(value)
        if self._home.owns(kind) and hasattr(value, "__dict__"):
            return f"{self._reference(kind)}{self._value(vars(value), user)}"
        if hasattr(value, "dtype") and hasattr(value, "tobytes"):
            return f"{value.dtype}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
        shown = repr(value)
        if re.search(r"\bat 0x[0-9a-f]+", shown):
            raise PenstockError(f"{user} uses a {kind.__name__}, which has no plain value")
        return f"{kind.__module__}.{kind.__qualname__} {shown}"

    def _description(self, part: Any) -> Iterator[str]:
        if isinstance(part, types.ModuleType):
            yield Path(part.__file__ or "").read_text(encoding="utf-8")
        elif isinstance(part, types.FunctionType):
            yield from self._function(part)
        else:
            yield from self._class(part)

    def _function(self, function: types.FunctionType) -> Iterator[str]:
        name = _name(function)
        yield _source(function.__code__, name)
        yield f"defaults {self._value((function.__defaults__, function.__kwdefaults__), name)}"
        for variable, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            try:
                yield f"{variable} = {self._value(cell.cell_contents, name)}"
            except ValueError:  # the variable has no value yet
                continue
        for used, value in sorted(_used(function, self._home).items()):
            yield f"{used} = {self._value(value, name)}"

    def _class(self, cls: type) -> Iterator[str]:
        if not issubclass(cls, (enum.Enum, tuple)):  # these may be made by a call
            yield _source(cls, cls.__qualname__)
        yield f"bases {self._value(cls.__bases__, cls.__qualname__)}"
        for name, member in sorted(vars(cls).items()):
            inner = [getattr(member, part, None) for part in ("__func__", "fget", "fset", "func", "__wrapped__")]
            for value in (member, *inner):
                if _has_source(value) or (not name.startswith("__") and isinstance(value, _CONSTANT)):
                    yield f"{name} = {self._value(value, cls.__qualname__)}"


def _name(code: Any) -> str:
    return getattr(code, "__qualname__", None) or getattr(code, "__name__", None) or type(code).__name__


def _module_of(thing: Any) -> tuple[str, str | None]:
    """The name and the file of the module that defines a function or class, or of a module itself."""
    if isinstance(thing, types.FunctionType):
        return thing.__globals__.get("__name__", ""), thing.__globals__.get("__file__")
    name = thing.__name__ if isinstance(thing, types.ModuleType) else thing.__module__
    module = thing if isinstance(thing, types.ModuleType) else sys.modules.get(name)
    return name, getattr(module, "__file__", None)


def _has_source(member: Any) -> bool:
    """Whether a member of a class is code with a source of its own; methods of dataclasses, for example, have none."""
    if isinstance(member, types.FunctionType):
        return not getattr(inspect.unwrap(member), "__code__", member.__code__).co_filename.startswith("<string")
    return isinstance(member, type)


def _used(function: types.FunctionType, home: _Home) -> dict[str, Any]:
    """The values of the global names in the code of a function, and of functions in it; attributes of own modules."""
    found: dict[str, Any] = {}
    for code in _codes(function.__code__):
        steps = list(dis.get_instructions(code))
        for number, step in enumerate(steps):
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME") and step.argval in function.__globals__:
                name, value = _attribute(step.argval, function.__globals__[step.argval], steps[number + 1 :], home)
                found[name] = value
            elif step.opname == "IMPORT_NAME":
                found |= _imported(function, step.argval, steps[number - 2].argval, steps[number - 1].argval, home)
    return found


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _attribute(name: str, value: Any, steps: list[dis.Instruction], home: _Home) -> tuple[str, Any]:
    """The attribute that the next steps take of an own module, instead of the module with everything in it."""
    for step in steps:
        own = isinstance(value, types.ModuleType) and home.owns(value)
        if not own or step.opname not in ("LOAD_ATTR", "LOAD_METHOD") or not hasattr(value, step.argval):
            break
        name, value = f"{name}.{step.argval}", getattr(value, step.argval)
    return name, value


def _imported(
    function: types.FunctionType, module: str, level: int, names: tuple[str, ...] | None, home: _Home
) -> dict[str, Any]:
    """What an import in a function brings from an own module."""
    package = function.__globals__.get("__package__") or ""
    whole = importlib.util.resolve_name("." * level + module, package) if level else module
    found = home.finds(whole)
    if found is None:
        return {}
    return {f"{whole}.{name}": getattr(found, name, found) for name in names} if names else {whole: found}


def _source(code: types.CodeType | type, name: str) -> str:
    try:
        if name.endswith("<lambda>") and isinstance(code, types.CodeType):
            return _lambda(code)
        return textwrap.dedent(inspect.getsource(code))
    except (OSError, TypeError, SyntaxError):
        raise PenstockError(f"{name} has no source; define it in a file") from None


def _lambda(code: types.CodeType) -> str:
    """The source of a lambda without the rest of its statement."""
    text = "".join(inspect.findsource(code)[0])
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    found = {
        ast.get_source_segment(text, node) or ""
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Lambda)
        and node.lineno == code.co_firstlineno
        and tuple(each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)) == parameters
    }
    if len(found) != 1:
        raise PenstockError(f"line {code.co_firstlineno} has several lambdas; define the function with def")
    return found.pop()
