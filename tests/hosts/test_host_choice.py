"""Hosts of a study are chosen by what they have: none twice, the same ones each time."""

from typing import Any

import pytest

from callbench.adapter.network.host_choice import choose
from callbench.catalog.study.hosts import HostNeeds


def about(processors: int, *adapters: str, cannot: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "processors": list(range(processors)),
        "adapters": dict.fromkeys(adapters) | dict.fromkeys(cannot, "no compiler"),
    }


HOSTS = {
    "alpha": about(2, "native", "java"),
    "beta": about(8, "native"),
    "gamma": about(4, "native", cannot=("java",)),
}


@pytest.mark.parametrize(
    ("server", "client", "chosen"),
    [
        ("gamma", HostNeeds(), ("gamma", "alpha")),
        (HostNeeds(), HostNeeds(), ("alpha", "beta")),
        (HostNeeds(processors=4), HostNeeds(), ("beta", "alpha")),
        # The only host with Java is left to the role that needs it.
        (HostNeeds(), HostNeeds(adapters=["java"]), ("beta", "alpha")),
        (HostNeeds(processors=8), HostNeeds(processors=4), ("beta", "gamma")),
    ],
)
def test_the_first_hosts_that_fit_are_chosen(
    server: str | HostNeeds, client: str | HostNeeds, chosen: tuple[str, str]
) -> None:
    found = choose({"server": server, "client": client}, HOSTS)
    assert tuple(found.values()) == chosen
    assert list(found) == ["server", "client"]


def test_what_each_host_lacks_is_said() -> None:
    with pytest.raises(ValueError, match="no connected host fits") as failure:
        choose({"server": HostNeeds(processors=16), "client": "alpha"}, HOSTS)
    said = str(failure.value)
    assert "beta has 8 of 16 processors (for the server)" in said
    assert "alpha" not in said
    with pytest.raises(ValueError, match="gamma has 4 of 8 processors and cannot run java"):
        choose({"server": HostNeeds(processors=8, adapters=["java"]), "client": HostNeeds()}, HOSTS)


def test_too_few_hosts_are_said() -> None:
    with pytest.raises(ValueError, match="2 hosts are needed, and connected are: alpha"):
        choose({"server": HostNeeds(), "client": HostNeeds()}, {"alpha": HOSTS["alpha"]})
