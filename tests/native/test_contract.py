"""Every native stack against the contract suite, and the product that gives the stacks."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from callbench.catalog import catalogue
from conftest import native_stacks
from contract_suite import assert_it_begins_and_ends_as_the_contract_says, failing, outcomes_of

PARTS = 3
CHANNELS = dict.fromkeys(name.partition("+")[2] for name in native_stacks())


def test_every_message_goes_over_every_channel() -> None:
    stacks = {stack.id: stack for stack in catalogue.load().adapter("native").stacks}
    assert list(stacks) == native_stacks()
    assert {id_: stack.why_not for id_, stack in stacks.items() if not stack.available} == {}


def test_it_begins_and_ends_as_the_contract_says() -> None:
    assert_it_begins_and_ends_as_the_contract_says(catalogue.load().adapter("native"))


@pytest.mark.slow
@pytest.mark.parametrize("channel", CHANNELS)
def test_it_keeps_the_contract(channel: str) -> None:
    """Nine tenths of the time are waits of the checks, so parts of the stacks wait beside each other."""
    stacks = [name for name in native_stacks() if name.endswith(f"+{channel}")]
    # Those that spin would take the processors from each other, and a user may have few message queues at once.
    alone = channel == "mqueue" or str(catalogue.load().stack(stacks[0]).card["waits"]).startswith("spins")
    count = 1 if alone else PARTS
    parts = [part for part in (stacks[first::count] for first in range(count)) if part]
    with ThreadPoolExecutor(len(parts)) as beside:
        made = beside.map(lambda part: outcomes_of(catalogue.load(), *part), parts)
        outcomes = [outcome for part in made for outcome in part]
    assert {outcome.subject for outcome in outcomes} == set(stacks)
    assert len(outcomes) > 100 * len(stacks)
    assert failing(outcomes) == []
