"""Every native stack against the contract suite, and the product that gives the stacks."""

import pytest

from callbench.adapter import placement
from callbench.catalog import catalogue
from callbench.runner.verify import suite
from conftest import native_stacks

CHANNELS = dict.fromkeys(name.partition("+")[2] for name in native_stacks())


def test_every_message_goes_over_every_channel() -> None:
    stacks = {stack.id: stack for stack in catalogue.load().adapter("native").stacks}
    assert list(stacks) == native_stacks()
    assert {id_: stack.why_not for id_, stack in stacks.items() if not stack.available} == {}


@pytest.mark.slow
@pytest.mark.parametrize("channel", CHANNELS)
def test_it_keeps_the_contract(channel: str) -> None:
    outcomes = list(
        suite.outcomes_of(
            catalogue.load(), [f"native/*+{channel}"], every=False, placement=placement.choose_placement()
        )
    )
    assert {name for name in native_stacks() if name.endswith(f"+{channel}")} <= {one.subject for one in outcomes}
    assert [outcome.sentence for outcome in outcomes if outcome.fails] == []
