"""The documents on two computers: every cell of their studies is placed on hosts, or said never to leave one."""

import pytest

from callbench.adapter.network import creation
from callbench.catalog import catalogue
from callbench.catalog.reach import HOST, REACH, REAL, why_not_measured, why_not_over
from callbench.model.cell import Cell, Load
from callbench.model.errors import BadInput
from callbench.runner.run.launch import RunRequest, plan_run, preview

DOCUMENTS = ("remobjects", "thesis-overhead", "thesis-time", "datasnap", "nominet")
HOSTS = ("alpha", "beta")


@pytest.fixture(scope="module")
def known() -> catalogue.Catalogue:
    return catalogue.load()


@pytest.fixture(autouse=True)
def _no_hosts_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(creation, "why_not", lambda _: None)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_stack_of_a_document_is_placed(document: str, known: catalogue.Catalogue) -> None:
    """Its processes are those of adapters that an agent finds by name, server and clients each on their host."""
    planned = plan_run(RunRequest(document, hosts=HOSTS), known)
    assert {cell.link for cell in planned.plan.cells} == {REAL}
    assert planned.plan.wires == {REAL: {"link": None, "hosts": dict(zip(("server", "client"), HOSTS, strict=True))}}
    assert {table.link for table in planned.study.part.tables} <= {REAL}
    for stack in planned.plan.stacks:
        if why_not_over(stack, REAL):
            assert stack.in_process or stack.card.get(REACH) == HOST, stack.id
            continue
        programs = known.programs(stack)
        sides = [programs.client, programs.server, *([programs.backend[0]] if programs.backend else [])]
        assert [known.adapter(side.name).manifest for side in sides] == sides, stack.id


def test_stacks_of_one_host_are_said_before_the_run(known: catalogue.Catalogue) -> None:
    """They are not on two hosts, which is no failure of theirs."""
    shown = preview(RunRequest("remobjects", quick=True, hosts=HOSTS, select=["channel=[is]*", "group=Sum"]), known)
    never = next(stacks for why, stacks in shown.left_out.items() if "never leaves the host" in why)
    assert {stack.partition("+")[2] for stack in never} == {"inproc", "shm", "shm-spin"}
    assert {stack.partition("+")[2] for stack in shown.measured} == {"supertcp"}


def test_a_request_stands_for_one_call(known: catalogue.Catalogue) -> None:
    """A gateway was started for Hello on its host, and its clients then said 404."""
    stack = known.stack("load/http1:gateway/json")
    hello, find = (Cell("c", "g", stack.id, call, {}, Load(1, 1, 0.02), link=REAL) for call in ("Hello", "FindItems"))
    assert why_not_measured(stack, find) is None
    assert "its one request stands for FindItems" in str(why_not_measured(stack, hello))
    plain = known.stack("native/bin+supertcp")
    assert why_not_measured(plain, hello) is None


def test_a_profile_lies_between_the_hosts(known: catalogue.Catalogue) -> None:
    planned = plan_run(RunRequest("nominet", quick=True, hosts=HOSTS, link="wan50"), known)
    assert {cell.link for cell in planned.plan.cells} == {"real+wan50"}
    wire = planned.plan.wires["real+wan50"]
    assert wire["hosts"] == {"server": "alpha", "client": "beta"}
    assert wire["link"]


def test_the_study_of_hosts_keeps_its_own_links(known: catalogue.Catalogue) -> None:
    """As docs/guide/hosts.md has it: emulated pairs on the core, and the hosts that are named."""
    planned = plan_run(RunRequest("hosts", quick=True, hosts=HOSTS), known).plan
    between = {link for link, wire in planned.wires.items() if "hosts" in wire}
    assert between == {"real", "real+lan100", "real+wan20"}
    assert planned.wires.keys() - between == {"pair", "lan100", "wan20"}
    with pytest.raises(BadInput, match="name them with --hosts"):
        plan_run(RunRequest("hosts", quick=True), known)
