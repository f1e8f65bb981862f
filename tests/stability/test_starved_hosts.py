"""A host of clients that was starved: what it measured is no fault of the server."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from callbench.analysis.stability.findings import FAILING, Finding, outcome
from callbench.analysis.stability.overload_result import overload_findings, read
from callbench.stats.decide.decision import Outcome

if TYPE_CHECKING:
    from callbench.store.record import Record

RECORD = Path(__file__).parent.parent / "records" / "overload"


def findings_of(changed: str, **members: Any) -> list[Finding]:
    """The findings of the stored overload, whose lines of a kind, and of a named phase, have other members."""

    def is_changed(line: dict[str, Any]) -> bool:
        return line["kind"] == changed and line.get("phase") == members.get("phase", line.get("phase"))

    lines = [json.loads(line) for line in (RECORD / "journal.jsonl").read_text().splitlines()]
    run = SimpleNamespace(
        lines=lambda: (line | members if is_changed(line) else line for line in lines),
        state="finished",
        request={},
        journal_file=RECORD / "journal.jsonl",
        requested=lambda _: SimpleNamespace(objective="p99 under 50 ms"),
    )
    return overload_findings(read(cast("Record", run)))


@pytest.mark.parametrize(
    ("changed", "members", "kind"),
    [
        # An overload of which hardly anything was answered.
        ("over", {"window": [1.0, 1_000_000_000, 0]}, "collapsed"),
        # Nothing was answered afterwards.
        ("slice", {"calls": 0, "errors": {"timeout": 9}, "phase": "after"}, "not-recovered"),
    ],
)
def test_a_starved_host_is_named_and_no_server_is_blamed(changed: str, members: dict[str, Any], kind: str) -> None:
    blamed = findings_of(changed, **members)
    assert outcome(blamed, FAILING["overload"]) is Outcome.FAILED
    assert Outcome.FAILED in {found.outcome for found in blamed if found.kind == kind}
    starved = findings_of(changed, **members, starved=["g3"])
    assert outcome(starved, FAILING["overload"]) is Outcome.UNDECIDED
    [named] = [found for found in starved if "g3" in found.text]
    assert named.text.startswith("host g3 was starved in ")


def test_a_starved_host_leaves_undecided_what_passed() -> None:
    assert outcome(findings_of("none"), FAILING["overload"]) is Outcome.PASSED
    lines = [json.loads(line) for line in (RECORD / "journal.jsonl").read_text().splitlines()]
    slices = sum(line["kind"] == "slice" for line in lines)
    found = findings_of("slice", starved=["g2"])
    assert outcome(found, FAILING["overload"]) is Outcome.UNDECIDED
    assert f"host g2 was starved in {slices} of {slices + 1} slices" in found[-1].text
