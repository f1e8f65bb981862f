"""Every native stack against the contract suite, and the product that gives the stacks."""

import itertools

import pytest

from callbench.adapter import placement
from callbench.catalog import catalogue
from callbench.runner.verify import suite

MESSAGES = ("soap", "xmlrpc", "bin", "bincomp", "json", "msgpack", "protobuf")
CHANNELS = ("inproc", "library", "shm", "shm-spin", "mqueue", "pipe", "unix", "tcp", "http", "http-keepalive")


def test_every_message_goes_over_every_channel() -> None:
    stacks = {stack.id: stack for stack in catalogue.load().adapter("native").stacks}
    assert set(stacks) == {f"native/{message}+{channel}" for message, channel in itertools.product(MESSAGES, CHANNELS)}
    assert {id_: stack.why_not for id_, stack in stacks.items() if not stack.available} == {}


@pytest.mark.slow
@pytest.mark.parametrize("channel", CHANNELS)
def test_it_keeps_the_contract(channel: str) -> None:
    outcomes = list(suite.of(catalogue.load(), [f"native/*+{channel}"], every=False, placement=placement.placed()))
    assert len({outcome.subject for outcome in outcomes}) >= len(MESSAGES)
    assert [outcome.sentence for outcome in outcomes if outcome.fails] == []
