"""Arithmetic of Tcl's `expr` with numbers: whole numbers stay whole, so that 5/2 is 2."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from penstock.dialects.conversion import DialectError, one_line
from penstock.dialects.kinds import plain

__all__ = ["computed"]

_LONGEST = 200
_FUNCTIONS: dict[str, Callable[[float], float]] = {"int": int, "round": round, "double": float, "wide": int}


def computed(text: str) -> str:
    """The value of an expression without variables. Raises `DialectError` for anything but arithmetic.

    >>> computed("3 * (100/8 + 1)"), computed("0.5*5"), computed("int(7/2.0)")
    ('39', '2.5', '3')
    """
    shown = f"[expr {one_line(text[:60])}]"
    if len(text) > _LONGEST or not re.fullmatch(r"(?:[\d.\s*/+()-]|\de[+-]?\d|int|round|double|wide)+", text):
        raise DialectError(f"{shown}: only arithmetic with numbers is read")
    try:
        return plain(float(_value(ast.parse(text.strip(), mode="eval").body)))
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        raise DialectError(f"{shown}: only arithmetic with numbers is read") from None


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
