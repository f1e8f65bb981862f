"""Every .NET stack against the contract suite, but those of WCF, which test_wcf_stacks.py has."""

import pytest

from callbench.adapter import placement
from callbench.catalog import catalogue
from callbench.runner.verify import suite
from conftest import ROOT

ADAPTER = catalogue.load([ROOT / "adapters" / "dotnet"]).adapter("dotnet")
STACKS = [stack.id for stack in ADAPTER.stacks if not stack.id.startswith("dotnet/wcf-")]

pytestmark = pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not))


@pytest.mark.slow
@pytest.mark.parametrize("stack", STACKS)
def test_it_keeps_the_contract(stack: str) -> None:
    known = catalogue.load([ROOT / "adapters" / "dotnet"])
    outcomes = list(suite.outcomes_of(known, [stack], every=False, placement=placement.choose_placement()))
    assert len(outcomes) > 100
    assert [outcome.sentence for outcome in outcomes if outcome.fails] == []
