"""What both sides are asked to do: calls of the command line, or the groups of a study."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from callbench.catalog.study import load
from callbench.catalog.study.calls import CALLS, faults
from callbench.catalog.study.cells import LOOPBACK
from callbench.catalog.study.near import allowed
from callbench.model.cell import Cell, Load
from callbench.model.errors import BadInput

DEFAULT = ("Sum", "GetPersons:n=250")
# What a call is given where the command line gives it nothing: the arguments that `Sum` alone cannot do without.
_PLAIN: Mapping[str, Mapping[str, Any]] = {"Sum": {"a": 1, "b": 2}}


def of_calls(texts: Sequence[str], clients: Sequence[int], seconds: float) -> list[Cell]:
    """Read `CALL` and `CALL:NAME=VALUE,NAME=VALUE`.

    Returns:
        Cells without a stack.

    Raises:
        BadInput: a call that the service does not have, or arguments that it does not take.
    """
    return [
        Cell("", _name(call, arguments), "", call, arguments, Load(many, 1, seconds))
        for call, arguments in (_read(text) for text in texts)
        for many in clients or (1,)
    ]


def of_study(name: str, groups: Sequence[str], clients: Sequence[int], seconds: float) -> list[Cell]:
    """Take the calls of a study's groups, whatever stacks it measures them with.

    Raises:
        BadInput: no such study or group, or none of its groups goes over loopback.
    """
    study = load(name)
    names = [one.group for one in study.groups]
    for group in groups:
        if group not in names:
            raise BadInput(f'{study.path.name} has no group "{group}": {allowed(group, names)}')
    defaults = study.part.load
    found = [
        Cell("", one.group, "", one.call, dict(one.arguments), Load(many, 1, seconds), options=dict(one.options))
        for one in study.groups
        if (not groups or one.group in groups) and (one.link or defaults.link) == LOOPBACK
        for many in clients or one.clients or defaults.clients
    ]
    if not found:
        raise BadInput(f"{study.path.name} has nothing to compare here: these groups need a link")
    return list({(one.call, str(one.arguments), str(one.options), one.load.clients): one for one in found}.values())


def named(cell: Cell) -> str:
    """Name a cell without its stack."""
    return cell.group + ("" if cell.load.clients == 1 else f", {cell.load.clients} clients")


def _read(text: str) -> tuple[str, dict[str, Any]]:
    """Read one call."""
    call, colon, rest = text.partition(":")
    arguments: dict[str, Any] = dict(_PLAIN.get(call, {})) if not colon else {}
    for part in rest.split(",") if rest else ():
        name, equals, value = part.partition("=")
        if not equals:
            raise BadInput(f"--call {text}: {part!r} is not NAME=VALUE; give for instance GetPersons:n=250")
        arguments[name] = _value(value)
    fault = faults(call, arguments)
    if fault:
        hint = f"; it takes {', '.join(CALLS[call])}" if CALLS.get(call) else ""
        raise BadInput(f"--call {text}: {fault[0]} {fault[1]}{hint}")
    return call, arguments


def _value(text: str) -> Any:  # noqa: ANN401 - JSON
    """Read a value as JSON where it is JSON, else as the text it is."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _name(call: str, arguments: Mapping[str, Any]) -> str:
    """Name a call as the command line would."""
    return call + (":" if arguments else "") + ",".join(f"{name}={value}" for name, value in arguments.items())
