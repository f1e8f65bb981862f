"""Every .NET stack against the contract suite, but those of WCF, which test_wcf_stacks.py has."""

import pytest

from callbench.catalog import catalogue
from conftest import ROOT
from contract_suite import assert_it_begins_and_ends_as_the_contract_says, assert_it_keeps_the_contract

ADAPTER = catalogue.load([ROOT / "adapters" / "dotnet"]).adapter("dotnet")
STACKS = [stack.id for stack in ADAPTER.stacks if not stack.id.startswith("dotnet/wcf-")]

pytestmark = pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not))


def test_it_begins_and_ends_as_the_contract_says() -> None:
    assert_it_begins_and_ends_as_the_contract_says(ADAPTER)


@pytest.mark.slow
@pytest.mark.parametrize("stack", STACKS)
def test_it_keeps_the_contract(stack: str) -> None:
    assert_it_keeps_the_contract(catalogue.load([ROOT / "adapters" / "dotnet"]), stack)
