"""Each adapter that breaks the contract is found out, in one clear sentence, and nothing of it is left running."""

from collections.abc import Callable, Mapping, Sequence

import pytest

from callbench.adapter.placement import choose_placement
from callbench.catalog.catalogue import KnownAdapter
from callbench.model.cell import Stack
from callbench.runner.verify import suite
from contract_suite import assert_it_is_found_out

# By adapter, what each check that finds it out says.
FOUND_OUT: Mapping[str, Mapping[str, Sequence[str]]] = {
    "garbage": {"Empty": ["wrote 'Listening on port 8080 ...' to its standard output", "not a line of the contract"]},
    "wrong-answer": {"Sum/wraps-up": ["Sum(a=2147483647, b=1) gave 2147483648, not -2147483648"]},
    "never-ready": {"hello": ["did not send hello within 2 s", "its log ends with: waiting for the licence server"]},
    "dies-driving": {"counts": ["died (exit code 3)", "its log ends with: fatal: out of cheese"]},
    "lies": {"counts": ["the client says that 100 calls of Sum were answered, but the server counted 50"]},
    "flatters": {"delay": ["took 10 ms longer for each call, as asked, and the client reports a mean of 0."]},
    "stretches": {"window": ["its window is 0.", "0.1 s were requested, and it made"]},
    "in-step": {"think/rate": ["4 clients that think for 100 ms made", "they cannot make more than 9.8"]},
    "forgets": {"open/starved": ["the client's processes were stopped for 200 ms of an open loop"]},
    "hangs-on-stop": {
        "stop": ["still runs 5 s after the request stop, and was killed"],
        "end-of-input": ["still runs 5 s after the end of its input, and was killed"],
        "sigterm": ["still runs 5 s after SIGTERM, and was killed"],
    },
    "wrong-version": {"hello": ["speaks contract version 2; this Callbench speaks version 1"]},
    "other-stacks": {"hello": ["its hello alone has other-stacks/udp; its manifest alone has other-stacks/tcp"]},
    "floods": {"Empty": ["wrote a line longer than 16 MiB: 'xxxxx"]},
    "wrong-id": {"Empty": ["answered request 2, but was asked request 1"]},
    "deaf": {"counts": ["did not send done (request", "within"]},
}


def _over_tcp(adapter: KnownAdapter) -> list[Stack]:
    return [stack for stack in adapter.stacks if stack.channel == "tcp"]


# Those that are waited for in vain, each longer than ten seconds.
WAITED_FOR = {"deaf", "hangs-on-stop"}
NAMES = [pytest.param(name, marks=[pytest.mark.slow] if name in WAITED_FOR else []) for name in FOUND_OUT]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("nothing_left")
def test_it_is_found_out(misbehaving: Callable[[str], KnownAdapter], name: str) -> None:
    adapter = misbehaving(name)
    assert_it_is_found_out(adapter, _over_tcp(adapter), FOUND_OUT[name])


@pytest.mark.parametrize("channel", ["inproc", "tcp"])
@pytest.mark.usefixtures("nothing_left")
def test_the_honest_one_passes(misbehaving: Callable[[str], KnownAdapter], channel: str) -> None:
    adapter = misbehaving("honest")
    stacks = [stack for stack in adapter.stacks if stack.channel == channel]
    failing = [outcome.sentence for outcome in suite.outcomes(adapter, stacks, choose_placement()) if outcome.fails]
    assert failing == []


@pytest.mark.parametrize("name", ["lies", "flatters", "wrong-answer"])
def test_the_rest_of_it_is_as_it_should_be(misbehaving: Callable[[str], KnownAdapter], name: str) -> None:
    """A suite that fails everything finds out nothing."""
    adapter = misbehaving(name)
    outcomes = list(suite.outcomes(adapter, _over_tcp(adapter), choose_placement()))
    assert sum(outcome.passed for outcome in outcomes) > 0.9 * len(outcomes)


def test_one_that_breaks_again_and_again_is_left_alone(misbehaving: Callable[[str], KnownAdapter]) -> None:
    adapter = misbehaving("wrong-id")
    *_, last = suite.outcomes(adapter, _over_tcp(adapter), choose_placement())
    assert last.check == "suite"
    assert last.why is not None
    assert last.why.startswith("it broke 2 times: ")
