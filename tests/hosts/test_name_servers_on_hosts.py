"""Stacks that find their server by a name, between two hosts: RMI by its registry, CORBA by a name server."""

import json
from contextlib import ExitStack
from pathlib import Path

import pytest
from two_hosts import NO_WARM_UP, TwoHosts, journal, rounds

STACKS = ("java/rmi", "cpp/corba-omniorb")
STUDY = f"""
title = "Names"
about = "A registry and a name server on the server's host."
[hosts]
server = "alpha"
client = "beta"
name_server = "alpha"
[load]
link = "real"
clients = [2]
calls = 10
seconds = 0.02
rounds = 2
[[cells]]
group = "Sum"
stacks = {json.dumps(STACKS)}
call = "Sum"
arguments = {{ a = 1, b = 2 }}
"""


@pytest.mark.slow
@pytest.mark.languages
@pytest.mark.engine
@pytest.mark.usefixtures("lab", "nothing_left")
def test_names_lead_from_one_host_to_the_other(tmp_path: Path) -> None:
    """An endpoint without an address is checked by connecting alone: it must not lead to the client's own host."""
    (tmp_path / "names.toml").write_text(STUDY)
    with ExitStack() as stack:
        two = TwoHosts(tmp_path, stack)
        ended = two.run("run", "names.toml", "--forks", 1, *NO_WARM_UP, "--out", "run", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    plan = json.loads((tmp_path / "run" / "plan.json").read_text())
    cells = {cell["id"]: cell["stack"] for cell in plan["cells"]}
    driven = [seen for line in rounds(journal(tmp_path / "run")) for seen in line["slices"]]
    assert {cells[seen["cell"]] for seen in driven} == set(STACKS)
    for seen in driven:
        assert seen["agree"], seen
        assert not seen["done"]["errors"]
