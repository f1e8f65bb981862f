"""Client and server that share processors: by the placement on this machine, or as the gateway on the clients' host."""

import json
from pathlib import Path

import pytest

from callbench.analysis.run.subject import subject
from callbench.report.text.summary import cautions
from callbench.store.record import Record
from report.synthetic import write

GATEWAY, PLAIN = "native/soap+supertcp", "native/bin+supertcp"
PLACED, BESIDE = "Client and server shared a processor", f"{GATEWAY} ran on host beta beside the clients"


@pytest.mark.parametrize(
    ("hosts", "shares"),
    [
        (None, {GATEWAY: PLACED, PLAIN: PLACED}),
        ({"server": "alpha", "client": "beta"}, {GATEWAY: BESIDE}),
        ({"server": "alpha", "client": "beta", "backend": "gamma"}, {}),
    ],
)
def test_who_shares_processors_is_said_and_known_to_the_verdict(
    tmp_path: Path, hosts: dict[str, str] | None, shares: dict[str, str]
) -> None:
    """On two hosts, the link lies between gateway and backend. Where the core places sides says nothing of them."""
    folder = tmp_path / "run"
    write(folder, only=(GATEWAY, PLAIN))
    plan, environment = (json.loads((folder / f"{name}.json").read_text()) for name in ("plan", "environment"))
    for stack in plan["stacks"]:
        stack["card"] = {**stack["card"], **({"backend": "x/y"} if stack["id"] == GATEWAY else {})}
    wire = {"link": None} if hosts is None else {"link": None, "hosts": hosts}
    plan["links"] = {cell["link"]: wire for cell in plan["cells"]}
    environment["placement"] = {"client": [0], "server": [0]}
    (folder / "plan.json").write_text(json.dumps(plan))
    (folder / "environment.json").write_text(json.dumps(environment))
    found = subject(Record(folder))
    for cell in found.results.cells:
        assert found.results.validity.cells[cell.id].evidence.together == (cell.attributes["stack"] in shares)
    said = " ".join(cautions(found))
    assert {text for text in (PLACED, BESIDE) if text in said} == set(shares.values())
