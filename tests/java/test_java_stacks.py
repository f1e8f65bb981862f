"""Every Java stack against the contract suite."""

import pytest

from callbench.catalog import catalogue
from conftest import ROOT
from contract_suite import assert_it_begins_and_ends_as_the_contract_says, assert_it_keeps_the_contract

ADAPTER = catalogue.load([ROOT / "adapters" / "java"]).adapter("java")
STACKS = [stack.id for stack in ADAPTER.stacks]
AS_MEASURED = "java/json+http"

pytestmark = pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not))


def test_it_begins_and_ends_as_the_contract_says() -> None:
    assert_it_begins_and_ends_as_the_contract_says(ADAPTER)


@pytest.mark.slow
@pytest.mark.parametrize("stack", STACKS)
def test_it_keeps_the_contract(stack: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a stack sends and answers is its library's, whichever compiler of the JVM made its code.

    The one that optimises takes half of such a test's processor time, so one stack alone has it, as it is measured.
    """
    if stack != AS_MEASURED:
        monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")
    assert_it_keeps_the_contract(catalogue.load([ROOT / "adapters" / "java"]), stack)
