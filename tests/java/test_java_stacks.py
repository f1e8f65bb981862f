"""Every Java stack against the contract suite."""

import pytest

from callbench.adapter import placement
from callbench.catalog import catalogue
from callbench.runner.verify import suite
from conftest import ROOT

ADAPTER = catalogue.load([ROOT / "adapters" / "java"]).adapter("java")
STACKS = [stack.id for stack in ADAPTER.stacks]

pytestmark = pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not))


@pytest.mark.slow
@pytest.mark.parametrize("stack", STACKS)
def test_it_keeps_the_contract(stack: str) -> None:
    known = catalogue.load([ROOT / "adapters" / "java"])
    outcomes = list(suite.outcomes_of(known, [stack], every=False, placement=placement.choose_placement()))
    assert len(outcomes) > 100
    assert [outcome.sentence for outcome in outcomes if outcome.fails] == []
