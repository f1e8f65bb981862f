"""Runners behind the host: the honest one keeps the contract, and each that breaks its protocol is found out."""

import subprocess
from collections.abc import Mapping, Sequence

import pytest

from callbench.adapter.placement import choose_placement
from callbench.catalog import catalogue
from callbench.catalog.catalogue import KnownAdapter
from callbench.model.verify_outcome import CheckOutcome
from callbench.runner.verify import suite
from conftest import MISBEHAVING
from contract_suite import assert_it_is_found_out

# By runner, what each check that finds it out says.
FOUND_OUT: Mapping[str, Mapping[str, Sequence[str]]] = {
    "dies-driving": {
        "counts": [
            "the client, ended: the runner of dies-driving died (exit code 3)",
            "its log ends with: fatal: out of cheese",
        ],
    },
    "crashes-serving": {
        "Empty": ["the server, ended: the runner of crashes-serving died (killed by SIGABRT)"],
    },
    "garbage": {
        "Empty": ["wrote 'Listening on port 8080 ...' to its standard output", "no line of the runner protocol"],
    },
    "never-ready": {
        "hello": ["did not send hello within 2 s", "its log ends with: waiting for the licence server"],
    },
    "wrong-version": {
        "hello": ["speaks version 2 of the runner protocol; this host speaks version 1: rebuild it"],
    },
    "other-stacks": {
        "hello": ["its hello alone has other-stacks/udp; its manifest alone has other-stacks/tcp"],
    },
    "too-few": {
        "counts": ["ended a drive after 50 of 100 calls and did not give up"],
    },
    "too-short": {
        "drive": ["ended a drive of 0.25 s after 0.", "and did not give up"],
    },
    "disagrees": {
        "counts": ["says that 101 calls were answered, but its latency has 100 of them"],
    },
    "wrong-id": {
        "Empty": ["answered request 0, but was asked request 1"],
    },
    "careless": {
        "drive/GetPersons-last-field": ["20 of 20 answers of GetPersons counted as right", "is not looked at"],
        "drive/EchoString-last-field": ["20 of 20 answers of EchoString counted as right"],
    },
    "deaf": {
        "counts": ["did not send done (request", "within"],
    },
    "hangs-on-stop": {
        "stop": ["exit code 1 after the request stop", "the runner of hangs-on-stop still ran 3.5 s after"],
        "end-of-input": ["exit code 1 after the end of its input", "and was killed"],
        "sigterm": ["exit code 1 after SIGTERM", "and was killed"],
    },
}


def _runner(name: str) -> KnownAdapter:
    """Return a runner of contract/misbehaving/runners."""
    known = catalogue.load([MISBEHAVING / "runners"])
    assert not known.broken
    return known.adapter(name)


def _outcomes(name: str, only: str | None = None) -> list[CheckOutcome]:
    adapter = _runner(name)
    return list(suite.outcomes(adapter, adapter.stacks, choose_placement(), only))


@pytest.mark.usefixtures("nothing_left")
def test_the_honest_one_passes() -> None:
    outcomes = _outcomes("honest")
    assert [outcome.sentence for outcome in outcomes if outcome.fails] == []
    assert sum(outcome.passed for outcome in outcomes) > 100


@pytest.mark.usefixtures("nothing_left")
def test_who_looks_at_lengths_alone_is_found_out_by_nothing_else() -> None:
    failing = [outcome.check for outcome in _outcomes("careless") if outcome.fails]
    assert failing == [f"drive/{call}-last-field" for call in ("GetPersons", "GetBinaryData", "EchoString")]


@pytest.mark.usefixtures("nothing_left")
def test_the_suite_goes_on_behind_what_dies_in_a_drive() -> None:
    """Once it broke twice, the rest is skipped, and that is said."""
    outcomes = _outcomes("dies-driving")
    assert not next(outcome for outcome in outcomes if outcome.check == "counts").passed
    assert outcomes[-1].check == "suite"
    assert "checks were skipped" in str(outcomes[-1].why)


# Its answer to a drive is waited for.
NAMES = [pytest.param(name, marks=[pytest.mark.slow] if name == "deaf" else []) for name in FOUND_OUT]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("nothing_left")
def test_it_is_found_out(name: str) -> None:
    adapter = _runner(name)
    assert_it_is_found_out(adapter, adapter.stacks, FOUND_OUT[name])


def test_pairs_need_a_host_that_was_compiled_for_their_service() -> None:
    """They stand behind the last `--`; what stands before it is the runner's."""
    command = [*_runner("honest").manifest.program, "--", "Place=/nowhere"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 1
    assert ended.stderr == "callbench-host: this program was not built with the call Place\n"
