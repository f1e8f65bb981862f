"""WCF's stacks against the contract suite, side by side: where Mono's dispatcher sleeps, a suite is mostly waiting."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from callbench.catalog import catalogue
from conftest import ROOT
from contract_suite import outcomes_of

ADAPTER = catalogue.load([ROOT / "adapters" / "dotnet"]).adapter("dotnet")
STACKS = [stack.id for stack in ADAPTER.stacks if stack.id.startswith("dotnet/wcf-")]

pytestmark = pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not))


def _failing(stack: str) -> list[str]:
    outcomes = outcomes_of(catalogue.load([ROOT / "adapters" / "dotnet"]), stack)
    few = [] if len(outcomes) > 100 else [f"{stack} had only {len(outcomes)} checks"]
    return few + [outcome.sentence for outcome in outcomes if outcome.fails]


@pytest.mark.slow
def test_they_keep_the_contract() -> None:
    assert len(STACKS) == 4
    with ThreadPoolExecutor(len(STACKS)) as run_in_parallel:
        assert [sentence for failing in run_in_parallel.map(_failing, STACKS) for sentence in failing] == []
