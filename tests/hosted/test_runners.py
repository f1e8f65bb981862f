"""Runners behind the host: the honest one keeps the contract, and each that breaks its protocol is found out."""

import subprocess
from collections.abc import Callable, Sequence

import pytest

from callbench.adapter.placement import choose_placement
from callbench.catalog import catalogue
from callbench.catalog.catalogue import Adapter
from callbench.model.verify_outcome import Outcome
from callbench.runner.verify import suite
from conftest import MISBEHAVING, assert_one_sentence

# Runner, and for the checks that find it out: the check and what its sentence says.
FOUND_OUT: Sequence[tuple[str, str, Sequence[str]]] = [
    (
        "dies-driving",
        "counts",
        ["the client, ended: the runner of dies-driving died (exit code 3)", "its log ends with: fatal: out of cheese"],
    ),
    ("crashes-serving", "Empty", ["the server, ended: the runner of crashes-serving died (killed by SIGABRT)"]),
    (
        "garbage",
        "Empty",
        ["wrote 'Listening on port 8080 ...' to its standard output", "no line of the runner protocol"],
    ),
    ("never-ready", "hello", ["did not send hello within 1 s", "its log ends with: waiting for the licence server"]),
    ("wrong-version", "hello", ["speaks version 2 of the runner protocol; this host speaks version 1: rebuild it"]),
    ("other-stacks", "hello", ["its hello alone has other-stacks/udp; its manifest alone has other-stacks/tcp"]),
    ("too-few", "counts", ["ended a drive after 50 of 100 calls and did not give up"]),
    ("too-short", "drive", ["ended a drive of 0.25 s after 0.", "and did not give up"]),
    ("disagrees", "counts", ["says that 101 calls were answered, but its latency has 100 of them"]),
    ("wrong-id", "Empty", ["answered request 0, but was asked request 1"]),
    (
        "careless",
        "drive/GetPersons-last-field",
        ["20 of 20 answers of GetPersons counted as right", "is not looked at"],
    ),
    ("careless", "drive/EchoString-last-field", ["20 of 20 answers of EchoString counted as right"]),
    ("deaf", "counts", ["did not send done (request", "within"]),
    (
        "hangs-on-stop",
        "stop",
        ["exit code 1 after the request stop", "the runner of hangs-on-stop still ran 3.5 s after"],
    ),
    ("hangs-on-stop", "end-of-input", ["exit code 1 after the end of its input", "and was killed"]),
    ("hangs-on-stop", "sigterm", ["exit code 1 after SIGTERM", "and was killed"]),
]


@pytest.fixture(scope="session")
def runner() -> Callable[[str], Adapter]:
    """A runner of contract/misbehaving/runners by its name."""
    known = catalogue.load([MISBEHAVING / "runners"])
    assert not known.broken
    return known.adapter


@pytest.fixture(scope="session")
def outcomes_of(runner: Callable[[str], Adapter]) -> Callable[[str], list[Outcome]]:
    """Return the suite's results for a runner; run once for each."""
    known: dict[str, list[Outcome]] = {}

    def outcomes(name: str) -> list[Outcome]:
        if name not in known:
            known[name] = list(suite.outcomes(runner(name), runner(name).stacks, choose_placement()))
        return known[name]

    return outcomes


@pytest.mark.usefixtures("nothing_left")
def test_the_honest_one_passes(outcomes_of: Callable[[str], list[Outcome]]) -> None:
    outcomes = outcomes_of("honest")
    assert [outcome.sentence for outcome in outcomes if outcome.fails] == []
    assert sum(outcome.passed for outcome in outcomes) > 100


def test_who_looks_at_lengths_alone_is_found_out_by_nothing_else(
    outcomes_of: Callable[[str], list[Outcome]],
) -> None:
    failing = [outcome.check for outcome in outcomes_of("careless") if outcome.fails]
    assert failing == [f"drive/{call}-last-field" for call in ("GetPersons", "GetBinaryData", "EchoString")]


@pytest.mark.parametrize(("name", "check", "says"), FOUND_OUT, ids=[f"{name}-{check}" for name, check, _ in FOUND_OUT])
@pytest.mark.usefixtures("nothing_left")
def test_it_is_found_out(
    outcomes_of: Callable[[str], list[Outcome]], name: str, check: str, says: Sequence[str]
) -> None:
    why = next(outcome.why for outcome in outcomes_of(name) if outcome.check == check)
    assert_one_sentence(why, says)


def test_pairs_need_a_host_that_was_compiled_for_their_service(runner: Callable[[str], Adapter]) -> None:
    """They stand behind the last `--`; what stands before it is the runner's."""
    command = [*runner("honest").manifest.program, "--", "Place=/nowhere"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 1
    assert ended.stderr == "callbench-host: this program was not built with the call Place\n"
