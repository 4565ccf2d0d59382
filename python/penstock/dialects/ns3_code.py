"""The parts of ns-3 programs in C++ that set queues: comments, literals, variables and calls that set attributes.

A value becomes the text of ns-3's attribute strings, such as "5ms", "25p" or "true".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from penstock.dialects.conversion import DialectError, escape_line_breaks
from penstock.dialects.keys import refuse_misspelt
from penstock.dialects.ns3_tokens import DEPTH, Tokens, split_statements, tokenize
from penstock.dialects.value_kinds import format_number

__all__ = ["QueueSettings", "read_code"]

_NUMBER = re.compile(r"(?:0|[1-9]\d{0,30}|(?=\.))(?:\.\d{0,30})?(?:[eE][+-]?\d{1,3})?|\d{1,30}\.\d{0,30}")
_UNITS = {"Days": "d", "Hours": "h", "Minutes": "min", "Seconds": "s", "MilliSeconds": "ms", "MicroSeconds": "us",
          "NanoSeconds": "ns", "PicoSeconds": "ps", "FemtoSeconds": "fs"}  # fmt: skip
_SIZES = {"PACKETS": "p", "BYTES": "B"}
_WRAPPERS = ("Time", "QueueSize", "DataRate", "to_string", "string", "TypeId")
_METHODS = ("SetDefault", "SetAttribute", "SetRootQueueDisc", "CreateObject", "AddChildQueueDisc", "SetTypeId",
            "SetMaxSize", "SetQueue", "SetQuantum", "SetDeviceAttribute")  # fmt: skip
_QUEUE_METHODS = ("SetMaxSize", "SetTh", "SetQueueLimit", "SetMode")
"""Methods that only queues have: calls for objects of unknown class are listed."""

Value = str | float | bool


@dataclass
class QueueSettings:
    """The queue discs, defaults and rate that a program sets.

    Attributes:
        defaults: attributes of each class of queue, by `Config::SetDefault` and similar calls.
        objects: classes of the queues that it creates, each with attributes of its own.
        others: settings of other classes, with values.
        unattributed_settings: settings of objects of unknown class, and settings by methods that are not read.
        rate: text of the link's rate, if one is set.
        notes: remarks on the order of settings, and on conditions.

    """

    defaults: dict[str, dict[str, str]] = field(default_factory=dict)
    objects: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    unattributed_settings: list[str] = field(default_factory=list)
    rate: str | None = None
    notes: list[str] = field(default_factory=list)


def _is_queue(name: str) -> bool:
    return name.endswith("QueueDisc") or re.sub(r"<.*>", "", name) in ("DropTailQueue", "Queue", "QueueBase")


def _class_of(name: str) -> str:
    return re.sub(r"\s|<.*>", "", name).removeprefix("ns3::")


def read_code(text: str) -> QueueSettings:
    """The settings of queues in a program. Raises `DialectError` for a value that cannot be computed."""
    reader = _Reader()
    # In Python the names have the prefixes of modules.
    bare = re.sub(r"\bns\.(?:[a-z_]+\.)?(?=[A-Z])", "", text)
    tokens, reader.setup.notes = tokenize(bare)
    for statement in split_statements(tokens):
        reader.read(statement)
    return reader.setup


class _Reader:
    """Reads statements in order; `variables` are the variables with known values."""

    def __init__(self) -> None:
        self.setup = QueueSettings()
        self.variables: dict[str, Value | None] = {}
        self.classes: dict[str, dict[str, str]] = {}

    def read(self, tokens: Tokens) -> None:
        """Process a statement: an assignment to a variable, and the calls in it."""
        for place, (kind, name) in enumerate(tokens):
            after = "".join(text for kind_, text in tokens[place + 1 : place + 3] if kind_ == "mark")
            before = "".join(text for _, text in tokens[max(0, place - 2) : place])
            if kind == "name" and (after in ("++", "--", "+=", "-=", "*=", "/=") or before in ("++", "--")):
                self.variables[name] = None
            elif kind == "name" and after.startswith("=") and after != "==":
                try:
                    self.variables[name] = _Expression(tokens[place + 2 :], self.variables).evaluate_all()
                except DialectError:
                    self.variables[name] = None
        for place, (kind, name) in enumerate(tokens):
            if kind == "name" and place + 1 < len(tokens):
                self._call(tokens, place, name)

    def _call(self, tokens: Tokens, place: int, name: str) -> None:
        method = name.rpartition("::")[2]
        if method in _METHODS:
            _check_neighbours(tokens, place)
        start = place + 1
        template = None
        if tokens[start] == ("mark", "<") and len(tokens) > start + 3:
            close = next((at for at in range(start, len(tokens)) if tokens[at] == ("mark", ">")), start)
            template, start = "".join(text for _, text in tokens[start + 1 : close]), close + 1
        if start >= len(tokens) or tokens[start] != ("mark", "("):
            return
        arguments = _arguments(tokens, start)
        owner = tokens[place - 2][1] if place >= 2 and tokens[place - 1][1] in (".", "->") else ""
        match method:
            case "SetDefault" | "SetDefaultFailSafe" if len(arguments) == 2:
                self._default(self._text(arguments[0], method), arguments[1])
            case "Set" | "SetFailSafe" if name.startswith(("Config::", "ns3::Config::")) and len(arguments) == 2:
                self._path(self._text(arguments[0], method), arguments[1])
            case "SetRootQueueDisc" | "SetQueue" | "SetTypeId" | "AddChildQueueDisc" | "AddChildQueueDiscs":
                self._typed(arguments[1:] if method.startswith("AddChild") else arguments, owner)
            case "CreateObject" | "CreateObjectWithAttributes" if template and _is_queue(_class_of(template)):
                self._created(tokens, place, _class_of(template), arguments)
            case "SetAttribute" | "SetAttributeFailSafe" | "Set" if owner in self.classes and len(arguments) == 2:
                self._put(self.classes[owner], self._text(arguments[0], method), arguments[1])
            case "SetAttribute" | "SetAttributeFailSafe" if len(arguments) == 2:
                self.setup.unattributed_settings.append(
                    f"{_words(arguments[0])}: SetAttribute of an object of unknown class"
                )
            case "Set" if owner and arguments[0][:1] and arguments[0][0][0] == "string":
                self.setup.unattributed_settings.append(f"{_words(arguments[0])}: Set of an object of unknown class")
            case "SetMaxSize" if owner in self.classes and len(arguments) == 1:
                self._put(self.classes[owner], "MaxSize", arguments[0])
            case "SetQuantum" if len(arguments) == 1:
                into = self.classes.get(owner) or self.setup.defaults.setdefault("", {})
                into["Quantum"] = _text_of(_Expression(arguments[0], self.variables).evaluate_all())
            case "SetDeviceAttribute" if len(arguments) == 2 and self._text(arguments[0], method) == "DataRate":
                self.setup.rate = _text_of(_Expression(arguments[1], self.variables).evaluate_all())
            case "SetChannelAttribute" if len(arguments) == 2:
                value = _text_of(_Expression(arguments[1], self.variables).evaluate_all())
                self.setup.others.append(f"{self._text(arguments[0], method)} = {value} of the channel")
            case _ if (method.startswith("Set") and owner in self.classes) or (owner and method in _QUEUE_METHODS):
                self.setup.unattributed_settings.append(f"{owner} {method}: a method that is not read")
            case _:
                refuse_misspelt(method, _METHODS, "ns-3")

    def _text(self, tokens: Tokens, where: str) -> str:
        value = _Expression(tokens, self.variables).evaluate_all()
        if not isinstance(value, str):
            raise DialectError(f"{where}: expected a text, not {value}")
        return value

    def _put(self, into: dict[str, str], name: str, tokens: Tokens) -> None:
        try:
            value = _text_of(_Expression(tokens, self.variables).evaluate_all())
        except DialectError as error:
            raise DialectError(f"{name}: {error}") from None
        if into.get(name, value) != value:
            self.setup.notes.append(f"{name} is set more than once: the last value is used")
        into[name] = value

    def _default(self, path: str, tokens: Tokens) -> None:
        owner, _, name = path.rpartition("::")
        owner = _class_of(owner)
        if _is_queue(owner):
            self._put(self.setup.defaults.setdefault(owner, {}), name, tokens)
        elif name == "DataRate":
            self.setup.rate = _text_of(_Expression(tokens, self.variables).evaluate_all())
        else:
            self.setup.others.append(path)

    def _path(self, path: str, tokens: Tokens) -> None:
        """`/NodeList/0/$ns3::TrafficControlLayer/RootQueueDiscList/0/$ns3::RedQueueDisc/MinTh`."""
        owner = re.search(r"\$ns3::(\w+QueueDisc)/(\w+)$", path)
        if owner is None:
            self.setup.others.append(path)
        else:
            self._put(self.setup.defaults.setdefault(owner[1], {}), owner[2], tokens)

    def _typed(self, arguments: list[Tokens], owner: str) -> None:
        if not arguments:
            return
        name = _class_of(self._text(arguments[0], "the type of a queue"))
        head, bracket, inside = name.partition("[")
        if not _is_queue(head):
            return
        settings: dict[str, str] = {}
        if bracket:
            for item in inside.rstrip("]").split("|"):
                key, _, value = item.partition("=")
                settings[key] = value
        self._pairs(settings, arguments[1:])
        self.setup.objects.append((head, settings))
        if owner:
            self.classes[owner] = settings

    def _created(self, tokens: Tokens, place: int, name: str, arguments: list[Tokens]) -> None:
        settings: dict[str, str] = {}
        self._pairs(settings, arguments)
        self.setup.objects.append((name, settings))
        if place >= 2 and tokens[place - 1] == ("mark", "="):
            self.classes[tokens[place - 2][1]] = settings

    def _pairs(self, settings: dict[str, str], arguments: list[Tokens]) -> None:
        if len(arguments) % 2:
            raise DialectError("attributes are pairs of a name and a value")
        for name, value in zip(arguments[::2], arguments[1::2], strict=True):
            self._put(settings, self._text(name, "the name of an attribute"), value)


def _check_neighbours(tokens: Tokens, place: int) -> None:
    """Raise `DialectError` for a word between a call and what belongs to it, which no compiler accepts."""
    before, after = tokens[place - 1 : place], tokens[place + 1 : place + 2]
    is_declared = place > 3 and tokens[place - 4 : place - 3] == [("mark", ">")] and tokens[place - 1] == ("mark", "=")
    is_named_twice = is_declared and [kind for kind, _ in tokens[place - 3 : place - 1]] == ["name", "name"]
    is_after_name = bool(before) and before[0][0] == "name" and before[0][1] not in ("return", "else", "do")
    if is_named_twice or is_after_name or (after and after[0][0] in ("name", "string", "number")):
        words = _words(tokens[max(0, place - 3) : place + 3])
        raise DialectError(f"{words}: a word too many near {tokens[place][1]}")


def _arguments(tokens: Tokens, start: int) -> list[Tokens]:
    """The arguments of a call, whose parenthesis opens at `start`."""
    arguments: list[Tokens] = [[]]
    depth = 0
    for place, token in enumerate(tokens[start:]):
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(token[1], 0) if token[0] == "mark" else 0
        if depth == 0:
            return arguments if arguments != [[]] else []
        if depth == 1 and token == ("mark", ","):
            arguments.append([])
        elif place:
            arguments[-1].append(token)
    raise DialectError(f"a parenthesis without an end after {tokens[start - 1][1]}")


def _words(tokens: Tokens) -> str:
    return "".join(text.strip('"') if kind == "string" else text for kind, text in tokens[:12])


def _text_of(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else f"{'-' if value < 0 else ''}{format_number(abs(value))}"


class _Expression:
    """A value: literals, variables, sums, products, and the constructors of ns-3's types."""

    def __init__(self, tokens: Tokens, variables: dict[str, Value | None], depth: int = 0) -> None:
        self.tokens, self.variables, self.at, self.depth = tokens, variables, 0, depth
        if depth > DEPTH:
            raise DialectError("too deeply nested")

    def evaluate_all(self) -> Value:
        """The value of the expression that all tokens form. Raises `DialectError`."""
        value = self._sum()
        if self.at < len(self.tokens):
            raise self._fault()
        return value

    def _fault(self) -> DialectError:
        return DialectError(f"cannot compute {' '.join(text for _, text in self.tokens[:12])}")

    def _peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) and self.tokens[self.at][0] == "mark" else ""

    def _sum(self) -> Value:
        value = self._product()
        while self._peek() in ("+", "-"):
            sign = self._peek()
            self.at += 1
            other = self._product()
            if isinstance(value, str) and isinstance(other, str) and sign == "+":
                value += other
            elif isinstance(value, str) or isinstance(other, str):
                raise self._fault()
            else:
                value = value + other if sign == "+" else value - other
        return value

    def _product(self) -> Value:
        value = self._unary()
        while self._peek() in ("*", "/"):
            sign = self._peek()
            self.at += 1
            other = self._unary()
            if isinstance(value, str) or isinstance(other, str) or (sign == "/" and other == 0):
                raise self._fault()
            whole = sign == "/" and isinstance(value, int) and isinstance(other, int)
            value = value * other if sign == "*" else value // other if whole else value / other
        return value

    def _unary(self) -> Value:
        if self._peek() in ("-", "+"):
            sign = self._peek()
            self.at += 1
            value = self._primary()
            if isinstance(value, str):
                raise self._fault()
            return -value if sign == "-" else value
        return self._primary()

    def _primary(self) -> Value:
        if self.at >= len(self.tokens):
            raise self._fault()
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "string":
            return text[1:-1]
        if kind == "number":
            digits = text.rstrip("uUlLfF")
            if not _NUMBER.fullmatch(digits):
                raise DialectError(f"{escape_line_breaks(text[:40])}: expected a decimal number")
            return float(digits) if re.search(r"[.eE]", digits) else int(digits)
        if kind == "name" and self._peek() in ("(", "{"):
            return self._constructed(text)
        if kind == "name":
            return self._named(text)
        if text == "(":
            self.at -= 1
            return self._inner()[0]
        raise self._fault()

    def _inner(self) -> list[Value]:
        arguments = _arguments(self.tokens, self.at)
        depth = 0
        for place in range(self.at, len(self.tokens)):
            kind, text = self.tokens[place]
            depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(text, 0) if kind == "mark" else 0
            if depth == 0:
                self.at = place + 1
                break
        values = [_Expression(argument, self.variables, self.depth + 1).evaluate_all() for argument in arguments]
        if not values:
            raise self._fault()
        return values

    def _named(self, name: str) -> Value:
        if name in ("true", "false"):
            return name == "true"
        if "::" in name:
            return name.rpartition("::")[2]
        value = self.variables.get(name)
        if value is None:
            raise DialectError(f"the value of {name} is not a constant of this text")
        return value

    def _constructed(self, name: str) -> Value:
        method = name.rpartition("::")[2]
        if method == "Max" and name.endswith("Time::Max"):
            self.at += 2
            return "max"
        values = self._inner()
        if method in _UNITS and len(values) == 1 and not isinstance(values[0], str):
            return f"{_text_of(values[0])}{_UNITS[method]}"
        if method == "QueueSize" and len(values) == 2 and values[0] in _SIZES:
            return f"{_text_of(values[1])}{_SIZES[str(values[0])]}"
        if len(values) == 1 and (method.endswith("Value") or method in _WRAPPERS):
            return _wrapped(method, values[0])
        raise DialectError(f"cannot compute {name}(...)")


def _wrapped(method: str, value: Value) -> Value:
    """The value of a constructor with one argument: a bare number is in the unit of its type."""
    if isinstance(value, (str, bool)):
        return value
    return f"{_text_of(value)}{ {'Time': 'ns', 'DataRate': 'bps'}.get(method, '') }" if method in _WRAPPERS else value
