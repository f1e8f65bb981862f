"""Options that several commands share: a dataclass of them is declared once, and is one parameter of each command."""

import dataclasses
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from typer.models import OptionInfo

from callbench.cli.options import names
from callbench.cli.options.parameters import AsJson, Commit, DryRun, Undecided


@dataclasses.dataclass(frozen=True)
class StabilityOptions:
    """What `soak`, `overload` and `torture` have in common."""

    call: Annotated[
        str | None,
        typer.Option("--call", metavar="CALL[:NAME=VALUE,...]", help="Call of the service to make. Default: Hello."),
    ] = None
    any_host: Annotated[
        bool, typer.Option("--any-host", help="Allow a URL of another machine. Only test servers that are yours.")
    ] = False
    link: Annotated[
        str,
        typer.Option(
            "--link",
            metavar="LINK",
            autocompletion=names.links,
            help="Network link between client and server: a name of `callbench list links`.",
        ),
    ] = "loopback"
    resume: Annotated[bool, typer.Option("--resume", help="Continue the test in the folder of --out.")] = False
    fail_on: Annotated[
        str | None,
        typer.Option(
            "--fail-on",
            metavar="NAME,NAME,...|none",
            help="Findings that end with exit code 1, such as died,errors. Default: all but refused and degraded.",
        ),
    ] = None
    undecided: Undecided = None
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Folder for the result. Default: runs/COMMAND-TIME."),
    ] = None
    commit: Commit = None
    dry_run: DryRun = False
    as_json: AsJson = False


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command as the command line is to see it: each parameter that is a dataclass is its fields instead.

    Args:
        command: with parameters that Typer knows, and dataclasses whose fields are such.
    """
    signature = inspect.signature(command, eval_str=True)
    groups = {
        parameter.name: parameter.annotation
        for parameter in signature.parameters.values()
        if _is_group(parameter.annotation)
    }
    spread: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        spread += (
            _fields(groups[parameter.name])
            if parameter.name in groups
            else [parameter.replace(kind=parameter.KEYWORD_ONLY)]
        )

    def called(**values: Any) -> None:  # noqa: ANN401 - of all types
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in dataclasses.fields(group)})
        command(**values)

    called.__name__, called.__doc__ = command.__name__, command.__doc__
    # As inspect looks for it, and Typer with it.
    setattr(called, "__signature__", signature.replace(parameters=spread))  # noqa: B010 - mypy knows none
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in spread}
    return called


def typed(options: object) -> tuple[str, ...]:
    """The names, as `--path`, of the options of a group that have another value than when they are left out."""
    hints = get_type_hints(type(options), include_extras=True)
    assert dataclasses.is_dataclass(options)  # noqa: S101 - who calls has one
    fields = dataclasses.fields(options)
    return tuple(
        str(_info(hints[field.name]).default) for field in fields if getattr(options, field.name) != field.default
    )


def _info(hint: Any) -> OptionInfo:  # noqa: ANN401 - a type
    return next(option for option in hint.__metadata__ if isinstance(option, OptionInfo))


def _is_group(annotation: object) -> bool:
    return isinstance(annotation, type) and dataclasses.is_dataclass(annotation)


def _fields(group: type) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    title = getattr(group, "TITLE", None)
    for field in dataclasses.fields(group) if title else ():
        _info(hints[field.name]).rich_help_panel = title
    return [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
        )
        for field in dataclasses.fields(group)
    ]
