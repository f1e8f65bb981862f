"""Each adapter that breaks the contract is found out, in one clear sentence, and nothing of it is left running."""

from collections.abc import Callable, Sequence

import pytest

from callbench.adapter.placement import choose_placement
from callbench.catalog.catalogue import Adapter
from callbench.model.verify_outcome import Outcome
from callbench.runner.verify import suite
from conftest import assert_one_sentence

# Adapter, and for the checks that find it out: the check and what its sentence says.
FOUND_OUT: Sequence[tuple[str, str, Sequence[str]]] = [
    ("garbage", "Empty", ["wrote 'Listening on port 8080 ...' to its standard output", "not a line of the contract"]),
    ("wrong-answer", "Sum/wraps-up", ["Sum(a=2147483647, b=1) gave 2147483648, not -2147483648"]),
    ("never-ready", "hello", ["did not send hello within 1 s", "its log ends with: waiting for the licence server"]),
    ("dies-driving", "counts", ["died (exit code 3)", "its log ends with: fatal: out of cheese"]),
    ("lies", "counts", ["the client says that 100 calls of Sum were answered, but the server counted 50"]),
    ("flatters", "delay", ["took 10 ms longer for each call, as asked, and the client reports a mean of 0.1"]),
    ("stretches", "window", ["its window is 0.1", "0.1 s were requested, and it made"]),
    ("in-step", "think/rate", ["4 clients that think for 100 ms made", "they cannot make more than 9.8"]),
    ("forgets", "open/starved", ["the client's processes were stopped for 200 ms of an open loop"]),
    ("hangs-on-stop", "stop", ["still runs 5 s after the request stop, and was killed"]),
    ("hangs-on-stop", "end-of-input", ["still runs 5 s after the end of its input, and was killed"]),
    ("hangs-on-stop", "sigterm", ["still runs 5 s after SIGTERM, and was killed"]),
    ("wrong-version", "hello", ["speaks contract version 2; this Callbench speaks version 1"]),
    ("other-stacks", "hello", ["its hello alone has other-stacks/udp; its manifest alone has other-stacks/tcp"]),
    ("floods", "Empty", ["wrote a line longer than 16 MiB: 'xxxxx"]),
    ("wrong-id", "Empty", ["answered request 2, but was asked request 1"]),
    ("deaf", "counts", ["did not send done (request", "within"]),
]


@pytest.fixture(scope="session")
def outcomes_of(misbehaving: Callable[[str], Adapter]) -> Callable[[str], list[Outcome]]:
    """Return the suite's results for an adapter's TCP stack; run once for each."""
    known: dict[str, list[Outcome]] = {}

    def outcomes(name: str) -> list[Outcome]:
        if name not in known:
            adapter = misbehaving(name)
            stacks = [stack for stack in adapter.stacks if stack.channel == "tcp"]
            known[name] = list(suite.outcomes(adapter, stacks, choose_placement()))
        return known[name]

    return outcomes


# Those that are waited for in vain, each longer than ten seconds.
WAITED_FOR = {"deaf", "hangs-on-stop"}
CASES = [
    pytest.param(*case, id="-".join(case[:2]), marks=[pytest.mark.slow] if case[0] in WAITED_FOR else [])
    for case in FOUND_OUT
]


@pytest.mark.parametrize(("name", "check", "says"), CASES)
@pytest.mark.usefixtures("nothing_left")
def test_it_is_found_out(
    outcomes_of: Callable[[str], list[Outcome]], name: str, check: str, says: Sequence[str]
) -> None:
    why = next(outcome.why for outcome in outcomes_of(name) if outcome.check == check)
    assert_one_sentence(why, says)


@pytest.mark.parametrize("channel", ["inproc", "tcp"])
@pytest.mark.usefixtures("nothing_left")
def test_the_honest_one_passes(misbehaving: Callable[[str], Adapter], channel: str) -> None:
    adapter = misbehaving("honest")
    stacks = [stack for stack in adapter.stacks if stack.channel == channel]
    failing = [outcome.sentence for outcome in suite.outcomes(adapter, stacks, choose_placement()) if outcome.fails]
    assert failing == []


@pytest.mark.parametrize("name", ["lies", "flatters", "wrong-answer"])
def test_the_rest_of_it_is_as_it_should_be(outcomes_of: Callable[[str], list[Outcome]], name: str) -> None:
    """A suite that fails everything finds out nothing."""
    outcomes = outcomes_of(name)
    assert sum(outcome.passed for outcome in outcomes) > 0.9 * len(outcomes)


def test_one_that_breaks_again_and_again_is_left_alone(outcomes_of: Callable[[str], list[Outcome]]) -> None:
    last = outcomes_of("wrong-id")[-1]
    assert last.check == "suite"
    assert last.why is not None
    assert last.why.startswith("it broke 2 times: ")
