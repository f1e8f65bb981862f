"""Cells between real hosts: the hosts of `run --hosts`, and what lies between them."""

from collections.abc import Mapping

from callbench.adapter.network import creation
from callbench.adapter.network.host_choice import choose
from callbench.adapter.network.pair import LinkFailure
from callbench.catalog.reach import REAL
from callbench.catalog.study import Study
from callbench.catalog.study.hosts import HostNeeds
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


def read_generators(text: str | None) -> tuple[str, ...]:
    """Read the hosts of many clients; none without the option.

    Raises:
        BadInput: a name is empty or there twice.
    """
    names = tuple(name.strip() for name in text.split(",")) if text is not None else ()
    if not all(names) or len(set(names)) < len(names):
        raise BadInput(f"--hosts {text}: give different names of hosts: --hosts alpha,beta")
    return names


def wire_of(link: str, study: Study, hosts: Pair | None) -> Wire:
    """Return the definition of a link of a study. Between real hosts, it has their names by side.

    Raises:
        BadInput: it lies between real hosts, and none are named, or none are connected that fit.
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
    roles: dict[str, str | HostNeeds] = {"server": part.server, "client": part.client}
    return {"link": None, "hosts": _chosen(study, roles)}


def _chosen(study: Study, roles: Mapping[str, str | HostNeeds]) -> Mapping[str, str]:
    """Return the host of each role of a study.

    Raises:
        BadInput: two roles have the same name, or no connected hosts fit.
    """
    names = [want for want in roles.values() if isinstance(want, str)]
    if len(set(names)) < len(names):
        raise BadInput(f"{study.path}: [hosts] names {names[0]} twice: give each role a host of its own")
    if len(names) == len(roles):
        return dict(zip(roles, names, strict=True))
    try:
        return choose(roles, creation.about_connected_hosts())
    except (LinkFailure, ValueError) as failure:
        raise BadInput(f"{study.path}: [hosts]: {failure}; `callbench hosts check` shows what each has") from failure
