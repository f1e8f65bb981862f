"""Where the processes of a stack with a backend are started."""

from dataclasses import dataclass, field

import pytest

from callbench.adapter.network.host import Host, Hosts
from callbench.adapter.placement import Placement
from callbench.adapter.stack import sides
from callbench.catalog import catalogue
from callbench.catalog.manifest import Manifest

ALPHA, BETA, GAMMA = Host("10.0.0.1"), Host("10.0.0.2"), Host("10.0.0.3")
STACK = "load/http1:gateway/json"


@dataclass
class Started:
    """An adapter that was started, and what it was asked to serve."""

    manifest: Manifest
    part: str
    processors: object
    host: Host
    request: object = None
    served: dict[str, object] = field(default_factory=dict)

    def serve(self, stack: str, address: str, options: dict[str, object]) -> str:
        self.served = {"stack": stack, "address": address, **options}
        return f"http://{address}:1/"

    def kill(self) -> None:
        """Nothing runs."""


@pytest.mark.parametrize(
    ("hosts", "client", "server", "backend"),
    [
        (Hosts(ALPHA, BETA), ALPHA, ALPHA, BETA),
        (Hosts(ALPHA, BETA, backend=GAMMA), ALPHA, BETA, GAMMA),
    ],
)
def test_a_backend_can_have_a_host_of_its_own(
    monkeypatch: pytest.MonkeyPatch, hosts: Hosts, client: Host, server: Host, backend: Host
) -> None:
    """Else the link lies before it, and the server is beside its clients."""
    started: dict[str, Started] = {}

    def start(manifest: Manifest, part: str, processors: object, host: Host, request: object = None) -> Started:
        started[part] = Started(manifest, part, processors, host, request)
        return started[part]

    monkeypatch.setattr(sides, "Adapter", start)
    known = catalogue.load()
    stack = known.stack(STACK)
    made = sides.Sides(known.programs(stack), Placement((), ()), in_process=False, hosts=hosts, greet=False)
    assert {part: each.host for part, each in started.items()} == {
        "the client": client,
        "the server": server,
        "the backend": backend,
    }
    assert made.serve(stack) == f"http://{server.address}:1/"
    assert started["the backend"].served["address"] == backend.address
    assert started["the server"].served["backend"] == f"http://{backend.address}:1/"
