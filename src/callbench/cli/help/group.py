"""A group of commands whose modules are loaded when a command is needed, shown by purpose."""

from collections import UserDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import SequenceMatcher
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer
from typer._click.exceptions import NoSuchOption
from typer.core import TyperGroup
from typer.main import get_command, get_group

from callbench.cli.help.command_table import SECTIONS, CommandEntry, CommandSection, epilog
from callbench.cli.help.sections import SectionedCommand
from callbench.store import stopping

if TYPE_CHECKING:
    from typer._click import Command, Context, HelpFormatter

# How alike a suggested option is, by its letters.
_NEAR = 0.6


class LoadedCommands(UserDict[str, "Command"]):
    """Commands by name, in the order of their sections. A command's module is imported when it is looked up."""

    def __init__(self, sections: Sequence[CommandSection]) -> None:
        """Takes what there is."""
        super().__init__()
        self._entries = {entry.name: entry for section in sections for entry in section.entries}

    def __getitem__(self, name: str) -> "Command":
        """The command of that name."""
        if name not in self.data:
            self.data[name] = _loaded(self._entries[name])
        return self.data[name]

    def __contains__(self, name: object) -> bool:
        """Whether there is such a command, loaded or not."""
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        """The names; nothing is loaded."""
        return iter(self._entries)

    def __len__(self) -> int:
        """How many there are, loaded or not."""
        return len(self._entries)


class CommandsByPurpose(TyperGroup):
    """The program's commands."""

    def __init__(self, **attributes: Any) -> None:  # noqa: ANN401 - TyperGroup's
        """Takes what Typer gives a group."""
        super().__init__(**attributes)
        self.commands = LoadedCommands(SECTIONS)

    def list_commands(self, ctx: "Context") -> list[str]:
        """The names in their order."""
        del ctx
        return list(self.commands)

    def parse_args(self, ctx: "Context", args: list[str]) -> list[str]:
        """Read the program's own options."""
        with only_near_options():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: "Context") -> Any:  # noqa: ANN401 - Typer's
        """Run a command. Where it does not say itself how it ends when a user stops it, one word does.

        Raises:
            Stopped: Ctrl-C or SIGTERM ended it.
        """
        with stopping.stoppable(), only_near_options():
            try:
                return super().invoke(ctx)
            except (KeyboardInterrupt, stopping.Sigterm) as stop:
                raise stopping.as_error(stop, "stopped") from None

    def format_commands(self, ctx: "Context", formatter: "HelpFormatter") -> None:
        """Write the list of commands for `--help`, a section for each purpose."""
        width = max(map(len, self.list_commands(ctx)))
        for section in SECTIONS:
            with formatter.section(section.title):
                formatter.write_dl([(f"{entry.name:{width}}", entry.summary) for entry in section.entries])


def _loaded(entry: CommandEntry) -> "Command":
    command = import_module(entry.module).command
    if isinstance(command, typer.Typer):
        return get_group(command)
    # What an application has in common with the others stands in `cli/__init__.py`; here it is made for one command.
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(entry.name, cls=SectionedCommand, epilog=epilog(entry.examples))(command)
    return get_command(app)


@contextmanager
def only_near_options() -> Iterator[None]:
    """Leave out of a refused option's suggestions what is not near it by its letters.

    Raises:
        NoSuchOption: as the block did, with fewer suggestions.
    """
    try:
        yield
    except NoSuchOption as refused:
        refused.possibilities = [name for name in refused.possibilities or () if _are_near(refused.option_name, name)]
        raise


def _are_near(wrong: str, name: str) -> bool:
    letters = wrong.lstrip("-"), name.lstrip("-")
    return SequenceMatcher(None, *letters).ratio() >= _NEAR
