"""The channels of Windows, in Wine, against the contract suite."""

import pytest

from callbench import catalogue, placement
from callbench.verify import suite
from conftest import ROOT

ADAPTER = catalogue.load([ROOT / "adapters" / "windows"]).adapter("windows")

pytestmark = pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not))


# Each channel with one message and each message with one channel: what is shared is tested natively.
@pytest.mark.slow
@pytest.mark.parametrize(
    "stack",
    ["windows/bin+winmsg", "windows/bincomp+namedpipe", "windows/soap+dll", "windows/xmlrpc+winmsg", "windows/com"],
)
def test_it_keeps_the_contract(stack: str) -> None:
    known = catalogue.load([ROOT / "adapters" / "windows"])
    outcomes = list(suite.of(known, [stack], every=False, placement=placement.placed()))
    assert len(outcomes) > 100
    assert [outcome.sentence for outcome in outcomes if outcome.fails] == []
