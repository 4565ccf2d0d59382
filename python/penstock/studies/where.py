"""The condition of a study: an expression of the values of its axes, such as `flows <= 50 and scheme != "red"`."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Mapping
from typing import Any

from penstock.errors import PenstockError, did_you_mean

__all__ = ["parse_condition"]

MAX_LENGTH = 2000
"""Maximum number of characters of a condition."""

_ALLOWED = (
    ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.BinOp, ast.Add, ast.Sub, ast.Mult,
    ast.Div, ast.Mod, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn, ast.Name,
    ast.Load, ast.Constant, ast.Tuple, ast.List,
)  # fmt: skip

_COMPUTED: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}  # fmt: skip

_COMPARED: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda item, items: item in items,
    ast.NotIn: lambda item, items: item not in items,
}  # fmt: skip


def parse_condition(text: str, axes: Collection[str]) -> Callable[..., bool]:
    """The condition as a function, called with the value of each axis as keyword argument.

    It may compare values with `== != < <= > >= in`, combine with `and or not`, and compute numbers with `+ - * / %`.
    Raises `ValueError` with the reason for anything else, and for a name that is not an axis.
    """
    if len(text) > MAX_LENGTH:
        raise ValueError(f"has {len(text)} characters: a condition has at most {MAX_LENGTH}")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError('is no condition, such as "flows <= 50 and buffer > 20"') from None
    for node in ast.walk(tree):
        if not isinstance(node, _ALLOWED):
            raise ValueError(f"may not contain {ast.unparse(node)}: only comparisons, and, or, not, + - * / %")
        if isinstance(node, ast.Name) and node.id not in axes:
            raise ValueError(f'names no axis "{node.id}"{did_you_mean(node.id, axes)}; available: {", ".join(axes)}')
    return _Condition(text, tree)


class _Condition:
    def __init__(self, text: str, tree: ast.Expression) -> None:
        self._text, self._tree = text, tree

    def __call__(self, **values: Any) -> bool:
        try:
            return bool(_value(self._tree.body, values))
        except (TypeError, ArithmeticError, RecursionError) as error:
            raise PenstockError(f'where = "{self._text}": {error}, with {values}') from None


def _value(node: ast.expr, values: Mapping[str, Any]) -> Any:
    """The value of an expression. Raises `TypeError` and `ArithmeticError`."""
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            return values[node.id]
        case ast.Tuple() | ast.List():
            return [_value(item, values) for item in node.elts]
        case ast.UnaryOp(op=ast.Not()):
            return not _value(node.operand, values)
        case ast.UnaryOp():
            return -_number(_value(node.operand, values))
        case ast.BinOp():
            # Applied to texts and lists, * and % could exhaust the memory.
            left, right = (_number(_value(side, values)) for side in (node.left, node.right))
            return _COMPUTED[type(node.op)](left, right)
        case ast.BoolOp():
            parts = (_value(part, values) for part in node.values)
            return all(parts) if isinstance(node.op, ast.And) else any(parts)
        case ast.Compare():
            return _compared(node, values)
    raise AssertionError(f"{type(node).__name__} is not among the allowed nodes")


def _compared(node: ast.Compare, values: Mapping[str, Any]) -> bool:
    left = _value(node.left, values)
    for comparison, side in zip(node.ops, node.comparators, strict=True):
        right = _value(side, values)
        if not _COMPARED[type(comparison)](left, right):
            return False
        left = right
    return True


def _number(value: Any) -> int | float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{value!r} is not a number")
    return value
