"""The help of a verb, as plain text: a usage line, arguments, options by group, and an example."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

from typer.core import TyperArgument, TyperCommand

__all__ = ["Verb", "option_text", "parameter_rows"]

EXAMPLE = "Example: "
OPTIONS = "Options"


class Verb(TyperCommand):
    """A verb of the command line; its epilog is its example."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments and refuse an option that is given twice; Click would silently use its last value."""
        _, _, params = self.make_parser(ctx).parse_args(args=list(args))
        names: set[str] = set()
        for param in params:
            name = param.name or ""
            if name in names and not param.multiple and not isinstance(param, TyperArgument):
                ctx.fail(f"{param.opts[0]} is given twice")
            names.add(name)
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The metavars of the arguments, then the options; a command after `--` comes last."""
        names = [_name(param) for param in self.params if isinstance(param, TyperArgument)]
        return sorted([*names, "[OPTIONS]"], key=lambda name: name.startswith("[--"))

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
