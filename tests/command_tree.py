"""The commands of the program as its command line has them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import typer

from callbench import cli


@dataclass(frozen=True)
class One:
    """A command, or the program itself.

    Attributes:
        path: its words, as `callbench link try`.
        command: Typer's.
        context: to ask it with.
        group: whether it only holds others.
    """

    path: str
    command: Any
    context: Any
    group: bool

    @property
    def parameters(self) -> list[Any]:
        """Arguments and options, `--help` among them."""
        found: list[Any] = self.command.get_params(self.context)
        return found

    @property
    def options(self) -> set[str]:
        """The options' names, but for those that are only taken to be refused with a remedy."""
        shown = [one for one in self.parameters if not getattr(one, "hidden", False)]
        return {name for one in shown for name in one.opts if name.startswith("-")}


def every() -> list[One]:
    """The program, its groups and its commands."""
    return list(_from("callbench", typer.main.get_command(cli.app), None))


def _from(name: str, command: Any, parent: Any) -> Iterator[One]:
    context = typer.Context(command, parent=parent, info_name=name)
    inner = getattr(command, "commands", {})
    yield One(context.command_path, command, context, bool(inner))
    for each in inner:
        yield from _from(each, inner[each], context)
