"""A stack against the contract suite, as the tests of every adapter ask for it.

How an adapter begins and ends is the same for all its stacks, so it is asked for once an adapter, not once a stack.
"""

from collections.abc import Collection, Mapping, Sequence

from callbench.adapter import placement
from callbench.catalog.catalogue import Catalogue, KnownAdapter
from callbench.model.cell import Stack
from callbench.model.verify_outcome import CheckOutcome
from callbench.runner.verify import lifecycle, suite
from conftest import assert_one_sentence

_EVERY_CHECK = "*"
_OF_LIFE = {"hello", *lifecycle.ENDINGS}


def outcomes_of(known: Catalogue, *stacks: str) -> list[CheckOutcome]:
    """Make every check of these stacks. Stacks that follow each other share their processes."""
    where = placement.choose_placement()
    return list(suite.outcomes_of(known, stacks, every=False, placement=where, only=_EVERY_CHECK))


def failing(outcomes: list[CheckOutcome]) -> list[str]:
    """Return a sentence for each failed check."""
    return [outcome.sentence for outcome in outcomes if outcome.fails]


def assert_it_keeps_the_contract(known: Catalogue, stack: str, least: int = 100) -> list[CheckOutcome]:
    """No check of a stack fails, and there were more than so many. Returns the outcomes."""
    outcomes = outcomes_of(known, stack)
    assert len(outcomes) > least
    assert failing(outcomes) == []
    return outcomes


def assert_it_begins_and_ends_as_the_contract_says(adapter: KnownAdapter) -> None:
    """Its hello fits its manifest, and it ends in each of the three ways."""
    outcomes = list(lifecycle.outcomes(adapter.manifest))
    assert {outcome.check for outcome in outcomes} == _OF_LIFE
    assert failing(outcomes) == []


def assert_it_is_found_out(adapter: KnownAdapter, stacks: Sequence[Stack], says: Mapping[str, Collection[str]]) -> None:
    """Each of these checks fails, and says in one sentence what stands behind its name. No other check is made."""
    where = placement.choose_placement()
    outcomes = list(lifecycle.outcomes(adapter.manifest)) if _OF_LIFE & says.keys() else []
    for check in says.keys() - _OF_LIFE:
        outcomes += suite.outcomes(adapter, stacks, where, only=check)
    whys = {outcome.check: outcome.why for outcome in outcomes}
    for check, parts in says.items():
        assert_one_sentence(whys[check], parts)
