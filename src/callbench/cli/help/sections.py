"""A command's help with its own options first, and those that it shares with others below, under a title."""

from typing import TYPE_CHECKING

from typer.core import TyperCommand, TyperOption

if TYPE_CHECKING:
    from typer._click import Command, Context, HelpFormatter

_ARGUMENTS, _OPTIONS = "Arguments", "Options"


def sections(command: "Command", context: "Context") -> dict[str, list[tuple[str, str]]]:
    """What `--help` says of each parameter: its name and its text, by section, in their order."""
    found: dict[str, list[tuple[str, str]]] = {_ARGUMENTS: [], _OPTIONS: []}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            shared = getattr(parameter, "rich_help_panel", None)
            own = _OPTIONS if isinstance(parameter, TyperOption) else _ARGUMENTS
            found.setdefault(shared or own, []).append(record)
    return {title: records for title, records in found.items() if records}


class SectionedCommand(TyperCommand):
    """A command that shows its parameters in these sections."""

    def format_options(self, ctx: "Context", formatter: "HelpFormatter") -> None:
        """Write the parameters for `--help`."""
        for title, records in sections(self, ctx).items():
            with formatter.section(title):
                formatter.write_dl(records)
