"""The cells of a comparison: calls of the command line, or the groups of a study."""

from collections.abc import Mapping, Sequence

from callbench.catalog.study import load
from callbench.catalog.study.calls import CALLS, faults
from callbench.catalog.study.cells import LOOPBACK
from callbench.catalog.user_json import json_or_text
from callbench.model.cell import Cell, Load
from callbench.model.errors import BadInput
from callbench.model.suggestions import allowed_names

DEFAULT = ("Sum", "GetPersons:n=250")
# The default arguments of a call. Only `Sum` needs any.
_DEFAULT_ARGUMENTS: Mapping[str, Mapping[str, object]] = {"Sum": {"a": 1, "b": 2}}


def cells_of_calls(texts: Sequence[str], clients: Sequence[int], seconds: float) -> list[Cell]:
    """Parse `CALL` and `CALL:NAME=VALUE,NAME=VALUE`.

    Returns:
        Cells without a stack.

    Raises:
        BadInput: a call or an argument does not exist.
    """
    return [
        Cell("", _name(call, arguments), "", call, arguments, Load(many, 1, seconds))
        for call, arguments in (_read(text) for text in texts)
        for many in clients or (1,)
    ]


def cells_of_study(name: str, groups: Sequence[str], clients: Sequence[int], seconds: float) -> list[Cell]:
    """Return the calls of a study's groups, whatever stacks the study uses.

    Raises:
        BadInput: the study or a group does not exist, or no group uses loopback.
    """
    study = load(name)
    names = [group.group for group in study.groups]
    for group in groups:
        if group not in names:
            raise BadInput(f'{study.path.name} has no group "{group}": {allowed_names(group, names)}')
    defaults = study.part.load
    cells = [
        Cell(
            "", group.group, "", group.call, dict(group.arguments), Load(many, 1, seconds), options=dict(group.options)
        )
        for group in study.groups
        if (not groups or group.group in groups) and (group.link or defaults.link) == LOOPBACK
        for many in clients or group.clients or defaults.clients
    ]
    if not cells:
        raise BadInput(f"{study.path.name} has nothing to compare here: these groups need a link")
    return list(
        {(cell.call, str(cell.arguments), str(cell.options), cell.load.clients): cell for cell in cells}.values()
    )


def cell_name(cell: Cell) -> str:
    """Return a cell's name without its stack."""
    return cell.group + ("" if cell.load.clients == 1 else f", {cell.load.clients} clients")


def _read(text: str) -> tuple[str, dict[str, object]]:
    """Parse one call."""
    call, colon, rest = text.partition(":")
    arguments: dict[str, object] = dict(_DEFAULT_ARGUMENTS.get(call, {})) if not colon else {}
    for part in rest.split(",") if rest else ():
        name, equals, value = part.partition("=")
        if not equals:
            raise BadInput(f"--call {text}: {part!r} is not NAME=VALUE; give for instance GetPersons:n=250")
        arguments[name] = json_or_text(value, f"--call {text}: the value of {name}")
    fault = faults(call, arguments)
    if fault:
        hint = f"; it takes {', '.join(CALLS[call])}" if CALLS.get(call) else ""
        raise BadInput(f"--call {text}: {fault[0]} {fault[1]}{hint}")
    return call, arguments


def _name(call: str, arguments: Mapping[str, object]) -> str:
    """Return a call as the command line would write it."""
    return call + (":" if arguments else "") + ",".join(f"{name}={value}" for name, value in arguments.items())
