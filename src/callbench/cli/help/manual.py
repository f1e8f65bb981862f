"""The manual page: the help of every command, as man(7) and groff_man(7) have it."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import typer
from typer.core import TyperGroup

from callbench.cli.help.command_table import SECTIONS
from callbench.cli.help.sections import sections
from callbench.model.version import VERSION

if TYPE_CHECKING:
    from typer._click import Command, Context

_EXIT_CODES = (
    ("0", "Done; a decision was reached and passed."),
    ("1", "Done, but failed: a call, a check, a cell or a comparison."),
    ("2", "The input is wrong. One sentence on stderr says what, where, and what to do."),
    ("3", "Undecided: nothing wrong was found, but the measurement cannot exclude it."),
    ("130", "Stopped with Ctrl-C. The last sentence says how to continue."),
)
_ENVIRONMENT = (
    ("CALLBENCH_ADAPTERS", "More folders with an adapter.toml, separated by colons."),
    ("CALLBENCH_LIBRARY", "Another shared library for the channel library."),
    ("CALLBENCH_TURN", "File by which commands that measure know of each other. Default: one of this user."),
    ("CALLBENCH_WARM_UP", "Default of the option --warm-up of run."),
)


def page(root: "Context") -> str:
    """Write the manual page.

    Args:
        root: the context of the program's own group.
    """
    group = root.command
    assert isinstance(group, TyperGroup)  # noqa: S101 - the program is one
    purpose = (group.help or "").partition("\n")[0]
    lines = [
        f'.TH CALLBENCH 1 "" "callbench {VERSION}" "User Commands"',
        ".SH NAME",
        _escaped(f"callbench - {purpose[:1].lower()}{purpose[1:].rstrip('.')}"),
        ".SH SYNOPSIS",
        r".B callbench",
        _escaped("[OPTIONS] COMMAND [ARGS]..."),
        ".SH DESCRIPTION",
        *_paragraphs(group.help),
        ".SH OPTIONS",
        *_table(sections(group, root)["Options"]),
    ]
    for section in SECTIONS:
        lines.append(f'.SH "COMMANDS: {section.title.upper()}"')
        for entry in section.entries:
            lines += _command(entry.name, group.commands[entry.name], root)
    lines += [".SH EXIT STATUS", *_table(_EXIT_CODES), ".SH ENVIRONMENT", *_table(_ENVIRONMENT)]
    return "\n".join(lines) + "\n"


def _command(name: str, command: "Command", parent: "Context") -> Iterator[str]:
    """Write a command, and those inside it."""
    context = typer.Context(command, parent=parent, info_name=name)
    yield f'.SS "{_escaped(context.command_path)}"'
    yield _escaped(" ".join([context.command_path, *command.collect_usage_pieces(context)]))
    yield ".PP"
    yield from _paragraphs(command.help)
    if isinstance(command, TyperGroup):
        for inner, subcommand in command.commands.items():
            yield from _command(inner, subcommand, context)
        return
    for title, records in sections(command, context).items():
        if title not in ("Arguments", "Options"):
            yield from (".PP", f"{title}:")
        yield from _table(record for record in records if record[0] != "--help")
    examples = [line.strip() for line in (command.epilog or "").splitlines() if line.startswith("  ")]
    yield ".PP"
    yield "Examples:"
    yield ".PP"
    yield ".nf"
    yield from (_escaped(f"    {line}") for line in examples)
    yield ".fi"


def _table(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Write terms, each with its explanation below it."""
    for term, text in rows:
        yield ".TP"
        yield rf"\fB{_escaped(term)}\fR"
        yield _escaped(" ".join(text.split()))


def _paragraphs(text: str | None) -> Iterator[str]:
    for place, paragraph in enumerate((text or "").split("\n\n")):
        if place:
            yield ".PP"
        yield _escaped(" ".join(paragraph.split()))


def _escaped(text: str) -> str:
    """A text as roff prints it unchanged: its escape sign, its hyphens, and what begins a request."""
    plain = text.replace("\\", r"\e").replace("-", r"\-").replace('"', r"\(dq")
    return rf"\&{plain}" if plain.startswith((".", "'")) else plain
