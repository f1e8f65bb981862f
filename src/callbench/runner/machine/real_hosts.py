"""Cells between real hosts: the hosts of `run --hosts`, and what lies between them."""

from collections.abc import Mapping
from typing import Any

from callbench.catalog.reach import HOSTS, REAL
from callbench.catalog.study import Study
from callbench.model.errors import BadInput

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


def wire_of(link: str, study: Study, hosts: Pair | None) -> Mapping[str, Any]:
    """Return the definition of a link of a study. Between real hosts, it has their names by side.

    Raises:
        BadInput: it lies between real hosts, and none are named.
    """
    if link != REAL:
        return study.links[link].wire
    if hosts is None:
        raise BadInput(f"{study.name} has cells between real hosts: name them with --hosts SERVER,CLIENT")
    server, client = hosts
    return {"link": None, HOSTS: {"server": server, "client": client}}
