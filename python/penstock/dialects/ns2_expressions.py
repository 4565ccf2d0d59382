"""Arithmetic of Tcl's `expr` with numbers. Integers divide to an integer: 5/2 is 2, but 5.0/2 is 2.5."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable

from penstock.dialects.conversion import DialectError, escape_line_breaks

__all__ = ["evaluate_expression"]

_LONGEST = 200


def _round(value: float) -> int:
    """To the nearest integer; halves are rounded away from 0, as in Tcl."""
    return int(math.copysign(math.floor(abs(value) + 0.5), value))


_FUNCTIONS: dict[str, Callable[[float], float]] = {"int": int, "round": _round, "double": float, "wide": int}


def evaluate_expression(text: str) -> str:
    """The value of an expression without variables. Raises `DialectError` for anything but arithmetic.

    A value that is not an integer has a point or an exponent, so that it is divided as such in further expressions.

    >>> evaluate_expression("3 * (100/8 + 1)"), evaluate_expression("0.5*4"), evaluate_expression("int(7/2.0)")
    ('39', '2.0', '3')
    """
    shown = f"[expr {escape_line_breaks(text[:60])}]"
    if len(text) > _LONGEST or not re.fullmatch(r"(?:[\d.\s*/+()-]|\de[+-]?\d|int|round|double|wide)+", text):
        raise DialectError(f"{shown}: only arithmetic with numbers is read")
    try:
        value = _value(ast.parse(text.strip(), mode="eval").body)
        if math.isfinite(value):
            return repr(value)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        raise DialectError(f"{shown}: only arithmetic with numbers is read") from None
    raise DialectError(f"{shown}: the value is too large")


def _value(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.BinOp(left=left, op=op, right=right):
            return _combined(_value(left), op, _value(right))
        case ast.Call(func=ast.Name(id=name), args=[argument]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](_value(argument))
    raise ValueError("not arithmetic")


def _combined(left: float, op: ast.operator, right: float) -> float:
    match op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div() if isinstance(left, int) and isinstance(right, int):
            return left // right
        case ast.Div():
            return left / right
    raise ValueError("not arithmetic")
