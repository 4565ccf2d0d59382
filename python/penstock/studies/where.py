"""The condition of a study: an expression of the values of its axes, such as `flows <= 50 and scheme != "red"`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from types import CodeType
from typing import Any

from penstock.errors import PenstockError, nearest

__all__ = ["condition"]

_ALLOWED = (
    ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.BinOp, ast.Add, ast.Sub, ast.Mult,
    ast.Div, ast.Mod, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn, ast.Name,
    ast.Load, ast.Constant, ast.Tuple, ast.List,
)  # fmt: skip


def condition(text: str, axes: Collection[str]) -> Callable[..., bool]:
    """The function of the values by name that the text describes.

    It may compare values with `== != < <= > >= in`, combine with `and or not`, and compute with `+ - * / %`. Raises
    `ValueError` with the reason for anything else, and for a name that is no axis.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError('is no condition, such as "flows <= 50 and buffer > 20"') from None
    for node in ast.walk(tree):
        if not isinstance(node, _ALLOWED):
            raise ValueError(f"may not contain {ast.unparse(node)}: only comparisons, and, or, not, + - * / %")
        if isinstance(node, ast.Name) and node.id not in axes:
            raise ValueError(f'names no axis "{node.id}"{nearest(node.id, axes)}; there are: {", ".join(axes)}')
    return _Condition(text, compile(tree, "where", "eval"))


class _Condition:
    def __init__(self, text: str, code: CodeType) -> None:
        self._text, self._code = text, code

    def __call__(self, **values: Any) -> bool:
        try:
            return bool(eval(self._code, {"__builtins__": {}}, values))
        except (TypeError, ArithmeticError) as error:
            raise PenstockError(f'where = "{self._text}": {error}, with {values}') from None
