"""Cells between real hosts: the hosts of `run --hosts`, and what lies between them."""

from collections.abc import Iterable, Mapping, Sequence

from callbench.adapter.network import creation
from callbench.adapter.network.host_choice import choose
from callbench.adapter.network.pair import LinkFailure
from callbench.catalog.reach import REAL
from callbench.catalog.study import Study, load
from callbench.catalog.study.hosts import HostsPart, HostWanted
from callbench.model.cell import Stack
from callbench.model.errors import BadInput
from callbench.stats.wire.link import Wire

# The names of the server's host and of the clients' host.
Pair = tuple[str, str]


def read(text: str) -> Pair:
    """Read the hosts of the server and of the clients.

    Raises:
        BadInput: there are not two different ones.
    """
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise BadInput(f"--hosts {text}: give two different names, that of the server's host first: --hosts alpha,beta")
    return names[0], names[1]


def read_generators(text: str | None, study: str | None = None) -> tuple[str, ...]:
    """Return the hosts of many clients: those of the option, else those that `[hosts]` of a study has for a load.

    Args:
        text: the option; None: it was not given.
        study: a name or a file; None: there is none.

    Raises:
        BadInput: a name is empty or there twice, or no connected hosts fit.
    """
    if text is None and study is not None:
        return _generators_of(load(study))
    names = tuple(name.strip() for name in text.split(",")) if text is not None else ()
    if not all(names) or len(set(names)) < len(names):
        raise BadInput(f"--hosts {text}: give different names of hosts: --hosts alpha,beta")
    return names


def _generators_of(study: Study) -> tuple[str, ...]:
    wanted = study.part.hosts.load if study.part.hosts is not None else None
    if wanted is None:
        return ()
    return tuple(_chosen(study, {f"load {number}": want for number, want in enumerate(wanted, 1)}).values())


def wire_of(link: str, study: Study, hosts: Pair | None, stacks: Iterable[Stack]) -> Wire:
    """Return the definition of a link of a study. Between real hosts, it has their names by side.

    Args:
        link: its name.
        study: that has it.
        hosts: of the command line; None: those of the study.
        stacks: of the study.

    Raises:
        BadInput: it lies between real hosts, and none are named, or none are connected that fit, or a role is of no
            use.
    """
    if link != REAL:
        return study.links[link].wire
    if hosts is not None:
        return {"link": None, "hosts": dict(zip(("server", "client"), hosts, strict=True))}
    part = study.part.hosts
    if part is None:
        raise BadInput(
            f"{study.name} has cells between real hosts: name them with --hosts SERVER,CLIENT, or in its [hosts]"
        )
    try:
        refuse_useless_roles(part, list(stacks))
    except ValueError as failure:
        raise BadInput(f"{study.path}: [hosts]: {failure}") from None
    roles: dict[str, HostWanted] = {"server": part.server, "client": part.client}
    if part.backend is not None:
        roles["backend"] = part.backend
    return {"link": None, "hosts": _chosen(study, roles)}


def refuse_useless_roles(part: HostsPart, stacks: Sequence[Stack]) -> None:
    """Refuse roles that no stack uses, and those that cannot be placed.

    Raises:
        ValueError: there is one; the text says which and why.
    """
    if part.backend is not None and not any(stack.card.get("backend") for stack in stacks):
        raise ValueError("no stack of the study has a backend: remove backend")
    if part.broker is not None:
        raise ValueError("no stack of the study has a broker: remove broker")
    if part.name_server is None:
        return
    own = next((stack.id for stack in stacks if stack.card.get("name_server")), None)
    if own is None:
        raise ValueError("no stack of the study has a name server: remove name_server")
    if part.name_server != part.server:
        raise ValueError(
            f"each server of {own} starts its name server beside itself: give name_server the host of server,"
            " or remove it"
        )


def _chosen(study: Study, roles: Mapping[str, HostWanted]) -> Mapping[str, str]:
    """Return the host of each role of a study.

    Raises:
        BadInput: two roles have the same name, or no connected hosts fit.
    """
    names = [want for want in roles.values() if isinstance(want, str)]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise BadInput(f"{study.path}: [hosts] names {twice} twice: give each role a host of its own")
    if len(names) == len(roles):
        return dict(zip(roles, names, strict=True))
    try:
        return choose(roles, creation.about_connected_hosts(), creation.stream_between)
    except (LinkFailure, ValueError) as failure:
        raise BadInput(f"{study.path}: [hosts]: {failure}; `callbench hosts check` shows what each has") from failure
