"""The help of a verb, as plain text: a usage line, arguments, options by group, and an example."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand

from penstock.errors import did_you_mean

__all__ = ["VerbCommand", "option_text", "parameter_rows"]

EXAMPLE = "Example: "
OPTIONS = "Options"


class VerbCommand(TyperCommand):
    """A verb of the command line; its epilog is its example."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments. Refuses an option that is given twice, and lists all values that are not allowed.

        Click alone would silently use the last of repeated values, and report only the first wrong value.
        """
        values, _, params = self.make_parser(ctx).parse_args(args=list(args))
        names: set[str] = set()
        for param in params:
            name = param.name or ""
            if name in names and not param.multiple and not isinstance(param, TyperArgument):
                ctx.fail(f"{param.opts[0]} is given twice")
            names.add(name)
        if not values.get("help") and (errors := [*_value_errors(params, values, ctx)]):
            ctx.fail("\n".join(errors))
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The metavars of the arguments, then the options; a command after `--` comes last."""
        names = [_name(param) for param in self.params if isinstance(param, TyperArgument)]
        return sorted([*names, "[OPTIONS]"], key=lambda name: name.startswith("[--"))

    def get_help_option_names(self, ctx: Any) -> list[str]:
        """`-h` before `--help`; Click lists them in the random order of a set."""
        return sorted(super().get_help_option_names(ctx), key=len)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help. The example stays on one line, so that it can be copied."""
        formatter.write_usage(ctx.command_path, " ".join(self.collect_usage_pieces(ctx)))
        for paragraph in (self.help or "").split("\n\n"):
            formatter.write_paragraph()
            formatter.write_text(" ".join(paragraph.split()))
        for title, rows in parameter_rows(self.get_params(ctx)).items():
            with formatter.section(title):
                formatter.write_dl(rows, col_max=34)
        if self.epilog:
            formatter.write(f"\n{self.epilog}\n")


def parameter_rows(params: list[Any]) -> dict[str, list[tuple[str, str]]]:
    """The parameters by group: the syntax and the description of each."""
    groups: dict[str, list[tuple[str, str]]] = {"Arguments": [], OPTIONS: []}
    for param in params:
        if getattr(param, "hidden", False):
            continue
        if isinstance(param, TyperArgument):
            groups["Arguments"].append((_name(param), param.help or ""))
        else:
            group = getattr(param, "rich_help_panel", None) or OPTIONS
            groups.setdefault(group, []).append((option_text(param), _described(param)))
    return {title: rows for title, rows in groups.items() if rows}


def option_text(param: Any) -> str:
    """An option with its value: `--seed N`."""
    if isinstance(param, TyperArgument):
        return _name(param)
    names = ", ".join([*param.opts, *param.secondary_opts])
    value = "" if param.is_flag else param.metavar or "|".join(_choices(param))
    return f"{names} {value}".rstrip()


def _value_errors(params: list[Any], values: dict[str, Any], ctx: Any) -> Iterator[str]:
    """An error for each number or choice that an option does not allow."""
    for param in params:
        value, choices = values.get(param.name), [*_choices(param)]
        if not isinstance(value, str) or not (choices or param.type_descriptor.annotation in (int, float)):
            continue
        try:
            param.process_value(ctx, value)
        except typer.BadParameter:
            allowed = f"one of {', '.join(choices)}{did_you_mean(value, choices)}" if choices else _range(param)
            yield f"{param.opts[0]} {value}: must be {allowed}"


def _range(param: Any) -> str:
    """The numbers that an option allows."""
    info, kind = param.type_descriptor.parameter_info, param.type_descriptor.annotation
    number = "a whole number" if kind is int else "a number"
    if info.min is not None and info.max is not None:
        return f"{number} from {info.min} to {info.max}"
    return number if info.min is None else f"{number}, at least {info.min}"


def _choices(param: Any) -> Iterator[str]:
    for choice in param.type_descriptor.choices or ():
        yield str(choice.value if isinstance(choice, Enum) else choice)


def _name(param: Any) -> str:
    return str(param.metavar or (param.name or "").upper())


def _described(param: Any) -> str:
    text, default = param.help or "", param.default
    if default is None or isinstance(default, (bool, Callable)) or "default" in text:  # type: ignore[arg-type]
        return text
    return f"{text} Default: {default.value if isinstance(default, Enum) else default}."
