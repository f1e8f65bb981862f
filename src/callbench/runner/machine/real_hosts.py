"""Cells between real hosts: the hosts of `run --hosts`, and what lies between them."""

from collections.abc import Iterable, Mapping, Sequence

from callbench.adapter.network import creation
from callbench.adapter.network.host_choice import choose
from callbench.adapter.network.lab_process import LinkFailure
from callbench.analysis.wording.words import counted, listed
from callbench.catalog.reach import LOOPBACK, PAIR, between_hosts, on_real_hosts, profile_of
from callbench.catalog.study import Study, load
from callbench.catalog.study.hosts import HostsPart, HostWanted
from callbench.model.cell import Cell, Stack
from callbench.model.errors import BadInput
from callbench.stats.wire.link import Wire, client_sides

# The names of the server's host, and of one or more hosts of clients.
Names = tuple[str, ...]


def read(text: str) -> Names:
    """Read the hosts of the server and of the clients.

    Raises:
        BadInput: there are not two or more different ones.
    """
    names = tuple(name.strip() for name in text.split(","))
    if len(names) < 2 or not all(names) or len(set(names)) < len(names):
        raise BadInput(
            f"--hosts {text}: give different names, that of the server's host first, then one or more of clients:"
            " --hosts alpha,beta"
        )
    return names


def read_generators(text: str | None, study: str | None, clients: int) -> tuple[str, ...]:
    """Return the hosts of many clients: those of the option, else those that `[hosts]` of a study has for a load.

    Args:
        text: the option; None: it was not given.
        study: a name or a file; None: there is none.
        clients: the most that they share.

    Raises:
        BadInput: a name is empty or there twice, no connected hosts fit, or some would have no clients.
    """
    if text is None and study is not None:
        names = _generators_of(load(study))
    else:
        names = tuple(name.strip() for name in text.split(",")) if text is not None else ()
        if not all(names) or len(set(names)) < len(names):
            raise BadInput(f"--hosts {text}: give different names of hosts: --hosts alpha,beta")
    _refuse_idle(names, clients, "give more --clients")
    return names


def _refuse_idle(hosts: Sequence[str], clients: int, remedy: str) -> None:
    """Refuse hosts of clients that would have none: they would be started, and waited for, in vain.

    Raises:
        BadInput: there are some; `remedy` is another one than fewer hosts.
    """
    if idle := hosts[clients:]:
        raise BadInput(
            f"{len(hosts)} hosts share {counted(clients, 'client')}, so {listed(idle)} would have none: name fewer"
            f" hosts, or {remedy}"
        )


def refuse_idle_hosts(wires: Mapping[str, Wire], cells: Iterable[Cell]) -> None:
    """Refuse hosts of clients that no cell of a run has a client for. Cells with fewer clients are no reason.

    Raises:
        BadInput: there is one.
    """
    most: dict[str, int] = {}
    for cell in cells:
        most[cell.link] = max(cell.load.clients, most.get(cell.link, 0))
    for link, clients in most.items():
        sides = wires.get(link, {}).get("hosts", {})
        named = [host for side, host in sides.items() if side.startswith("client")]
        _refuse_idle(named, clients, "select cells with more clients")


def _generators_of(study: Study) -> tuple[str, ...]:
    wanted = study.part.hosts.load if study.part.hosts is not None else None
    if wanted is None:
        return ()
    return tuple(_chosen(study, {f"load {number}": want for number, want in enumerate(wanted, 1)}).values())


def over(hosts: Names | None, link: str | None) -> str | None:
    """Return the link of every cell of a run with these options; None: as its study says.

    Raises:
        BadInput: real hosts cannot have the link.
    """
    if hosts is None or link is None:
        return link
    if link in {LOOPBACK, PAIR}:
        raise BadInput(f"--hosts and --link {link}: real hosts have a network of their own; omit one of them")
    return link if between_hosts(link) else on_real_hosts(link)


def wire_of(link: str, study: Study, hosts: Names | None, stacks: Iterable[Stack]) -> Wire:
    """Return the definition of a link of a study. Between real hosts, it has their names by side.

    Args:
        link: its name.
        study: that has it.
        hosts: of the command line; None: those of the study.
        stacks: of the study.

    Raises:
        BadInput: it lies between real hosts, and none are named, none are connected that fit, a role is of no use, a
            profile is to lie between more than two, or the study's calls are those of a service of the user's own.
    """
    profile = profile_of(link)
    if not between_hosts(link):
        return study.links[link].wire
    if study.service is not None:
        raise BadInput(
            f"{study.path}: its calls are compiled on this machine, and agents start only what is installed: measure it"
            " without hosts"
        )
    laid: Wire = {"link": None} if profile is None else study.links[profile].wire
    if hosts is not None:
        named = dict(zip(["server", *client_sides(len(hosts) - 1)], hosts, strict=True))
        if profile is not None and len(named) > 2:
            raise BadInput(
                f"--hosts {','.join(hosts)}: a profile lies between two hosts: name one host of clients, or omit --link"
            )
        return {**laid, "hosts": named}
    part = study.part.hosts
    if part is None:
        raise BadInput(
            f"{study.name} has cells between real hosts: name them with --hosts SERVER,CLIENT, or in its [hosts]"
        )
    try:
        refuse_useless_roles(part, list(stacks))
    except ValueError as failure:
        raise BadInput(f"{study.path}: [hosts]: {failure}") from None
    roles: dict[str, HostWanted] = {"server": part.server}
    roles |= dict(zip(client_sides(len(part.clients)), part.clients, strict=True))
    if part.backend is not None:
        roles["backend"] = part.backend
    if len(roles) > 2 and profile is not None:
        raise BadInput(
            f"{study.path}: [hosts]: a profile lies between two hosts: remove backend and load, or take the link real"
        )
    return {**laid, "hosts": _chosen(study, roles)}


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
