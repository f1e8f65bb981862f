"""Hosts of a study are chosen by what they have: none twice, the same ones each time."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from pydantic import TypeAdapter, ValidationError

from callbench.adapter.network.host_choice import choose
from callbench.catalog import catalogue
from callbench.catalog.study import load
from callbench.catalog.study.hosts import HostNeeds, HostsPart
from callbench.model.cell import Cell, Load, Stack
from callbench.model.errors import BadInput
from callbench.runner.machine.real_hosts import read, read_generators, refuse_idle_hosts, refuse_useless_roles, wire_of
from conftest import SMALL

if TYPE_CHECKING:
    from callbench.model.card import StackCard
    from callbench.stats.wire.link import Wires


def about(processors: int, *adapters: str, cannot: tuple[str, ...] = (), address: str = "10.0.0.1") -> dict[str, Any]:
    return {
        "address": address,
        "processors": list(range(processors)),
        "tools": {"supervisor": True, "tshark": processors > 2, "htb": None},
        "adapters": dict.fromkeys(adapters) | dict.fromkeys(cannot, "no compiler"),
    }


HOSTS = {
    "alpha": about(2, "native", "java"),
    "beta": about(8, "native", address="192.168.1.7"),
    "gamma": about(4, "native", cannot=("java",)),
}

NEEDS = TypeAdapter(HostNeeds)


def never(sender: str, receiver: str) -> float:
    raise AssertionError(f"{sender} to {receiver} is measured, and nobody asked for it")


def needs(text: str) -> HostNeeds:
    """Needs as a study has them."""
    return NEEDS.validate_python(tomllib.loads(f"needs = {text}")["needs"])


@pytest.mark.parametrize(
    ("server", "client", "chosen"),
    [
        ("gamma", HostNeeds(), ("gamma", "alpha")),
        (HostNeeds(), HostNeeds(), ("alpha", "beta")),
        (HostNeeds(processors=4), HostNeeds(), ("beta", "alpha")),
        # The only host with Java is left to the role that needs it.
        (HostNeeds(), HostNeeds(adapters=["java"]), ("beta", "alpha")),
        (HostNeeds(processors=8), HostNeeds(processors=4), ("beta", "gamma")),
        (needs('{ tools = ["supervisor", "tshark"] }'), HostNeeds(), ("beta", "alpha")),
        (HostNeeds(), needs('{ network = { within = "192.168.0.0/16" } }'), ("alpha", "beta")),
    ],
)
def test_the_first_hosts_that_fit_are_chosen(
    server: str | HostNeeds, client: str | HostNeeds, chosen: tuple[str, str]
) -> None:
    found = choose({"server": server, "client": client}, HOSTS, never)
    assert tuple(found.values()) == chosen
    assert list(found) == ["server", "client"]


def test_what_each_host_lacks_is_said() -> None:
    with pytest.raises(ValueError, match="no connected host fits") as failure:
        choose({"server": HostNeeds(processors=16), "client": "alpha"}, HOSTS, never)
    said = str(failure.value)
    assert "beta has 8 of 16 processors (for the server)" in said
    assert "alpha" not in said
    with pytest.raises(ValueError, match="gamma has 4 of 8 processors and cannot run java"):
        choose({"server": HostNeeds(processors=8, adapters=["java"]), "client": HostNeeds()}, HOSTS, never)


def test_too_few_hosts_are_said() -> None:
    with pytest.raises(ValueError, match="2 hosts are needed, and connected are: alpha"):
        choose({"server": HostNeeds(), "client": HostNeeds()}, {"alpha": HOSTS["alpha"]}, never)
    with pytest.raises(ValueError, match="alpha has no tshark, htb"):
        choose({"server": needs('{ tools = ["tshark", "htb"] }'), "client": HostNeeds()}, HOSTS, never)
    with pytest.raises(ValueError, match=r"gamma has the address 10.0.0.1, which is not in 192.168.1.0/24"):
        choose({"server": needs('{ network = { within = "192.168.1.0/24" } }'), "client": "beta"}, HOSTS, never)


def test_a_network_is_measured_where_all_else_fits_once_and_both_ways() -> None:
    """The first pair is too slow on its way back; hosts without Java are not measured."""
    asked: list[tuple[str, str]] = []
    carried = {("alpha", "beta"): 941.0, ("beta", "alpha"): 93.0, ("gamma", "alpha"): 1000.0, ("alpha", "gamma"): 940.0}

    def stream(sender: str, receiver: str) -> float:
        asked.append((sender, receiver))
        return carried[sender, receiver]

    fast = needs('{ adapters = ["java"], network = { mbit_s = 900 } }')
    assert choose({"server": fast, "client": HostNeeds()}, HOSTS, stream) == {"server": "alpha", "client": "gamma"}
    assert asked == [("alpha", "beta"), ("beta", "alpha"), ("alpha", "gamma"), ("gamma", "alpha")]
    with pytest.raises(ValueError, match=r"beta sends 93 Mbit/s to alpha, not 900 Mbit/s \(for the server\)"):
        choose({"server": fast, "client": "beta"}, HOSTS, stream)
    with pytest.raises(ValueError, match="alpha sends nothing to beta"):
        choose({"server": fast, "client": "beta"}, HOSTS, lambda *_: None)


@pytest.mark.parametrize(
    "text", ['{ network = { within = "192.168.1.1/24" } }', "{ network = { mbit_s = 0.0 } }", "{ cores = 4 }"]
)
def test_needs_that_make_no_sense(text: str) -> None:
    with pytest.raises(ValidationError):
        needs(text)


def stack(name: str, **card: Any) -> Stack:
    return Stack(name, "a", "json", "tcp", "c++", "", "", cast("StackCard", card))


@pytest.mark.parametrize(
    ("roles", "says"),
    [
        ('backend = "gamma"', "no stack of the study has a backend: remove backend"),
        ('broker = "gamma"', "no stack of the study has a broker: remove broker"),
        ('name_server = "alpha"', "no stack of the study has a name server: remove name_server"),
    ],
)
def test_a_role_of_no_use_is_refused(roles: str, says: str) -> None:
    part = HostsPart.model_validate(tomllib.loads(f'server = "alpha"\nclient = "beta"\n{roles}'))
    with pytest.raises(ValueError, match=says):
        refuse_useless_roles(part, [stack("a/plain")])


def test_a_name_server_is_where_its_server_is() -> None:
    """As the card of CORBA says."""
    corba = catalogue.load().stack("cpp/corba-omniorb")
    both = {"server": "alpha", "client": "beta"}
    refuse_useless_roles(HostsPart.model_validate({**both, "name_server": "alpha"}), [corba])
    with pytest.raises(ValueError, match="each server of cpp/corba-omniorb starts its name server beside itself"):
        refuse_useless_roles(HostsPart.model_validate({**both, "name_server": "beta"}), [corba])


def test_a_study_names_the_hosts_of_its_load(tmp_path: Path) -> None:
    """Also beside roles that a run needs. The command line goes before it."""
    file = tmp_path / "mine.toml"
    hosts = '[hosts]\nserver = "alpha"\nclient = "beta"\nload = ["gamma", "delta"]\n'
    file.write_text(SMALL.replace("[load]", f"{hosts}[load]"))
    assert read_generators(None, str(file), 50) == ("gamma", "delta")
    assert read_generators("alpha", str(file), 50) == ("alpha",)
    assert read_generators(None, None, 50) == ()
    file.write_text(SMALL)
    assert read_generators(None, str(file), 50) == ()
    file.write_text(SMALL.replace("[load]", f"{hosts.replace('delta', 'gamma')}[load]"))
    with pytest.raises(BadInput, match=r"\[hosts\] names gamma twice"):
        read_generators(None, str(file), 50)


def test_a_host_without_clients_is_refused() -> None:
    """It was started, and waited for. Some cells may have fewer clients: others have a use for it."""
    with pytest.raises(BadInput, match="3 hosts share 1 client, so b and c would have none: name fewer hosts, or give"):
        read_generators("a,b,c", None, 1)
    one, two = (Cell(str(clients), "g", "s", "Hello", {}, Load(clients, 1, 0.02), link="real") for clients in (1, 2))
    wires: Wires = {"real": {"link": None, "hosts": {"server": "alpha", "client": "beta", "client 2": "gamma"}}}
    refuse_idle_hosts(wires, [one, two, replace(one, link="loopback")])
    with pytest.raises(BadInput, match=r"2 hosts share 1 client, so gamma would have none: .* select cells with more"):
        refuse_idle_hosts(wires, [one])


def test_several_hosts_share_the_clients_of_a_run() -> None:
    """By `--hosts`, or by `load` in a study, which goes before `client`."""
    study = load("hosts")
    wire = wire_of("real", study, read("alpha, beta,gamma,delta"), [])
    assert wire["hosts"] == {"server": "alpha", "client": "beta", "client 2": "gamma", "client 3": "delta"}
    with pytest.raises(BadInput, match="a profile lies between two hosts: name one host of clients, or omit --link"):
        wire_of("real+wan20", study, ("alpha", "beta", "gamma"), [])
    assert HostsPart.model_validate({"server": "alpha", "client": "beta"}).clients == ["beta"]
    assert HostsPart.model_validate({"server": "alpha", "client": "b", "load": ["c", "d"]}).clients == ["c", "d"]
    assert HostsPart.model_validate({"server": "alpha", "load": ["c", "d"]}).clients == ["c", "d"]
    with pytest.raises(ValidationError, match="nobody makes the calls: give client a host, or load a list of them"):
        HostsPart.model_validate({"server": "alpha"})
