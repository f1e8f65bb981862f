"""Findings of a soak, an overload or a torture test; the last sentence and the exit code follow from them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from callbench.analysis.wording.words import counted
from callbench.model.errors import BadInput
from callbench.model.suggestions import allowed_names
from callbench.stats.decide.decision import Outcome, together
from callbench.store.record import Record

# What each command can find, and which of these make it fail by default. A server that is slower during a torture test
# has still survived it.
KINDS: Mapping[str, Sequence[str]] = {
    "soak": ("died", "errors", "growth", "slower"),
    "overload": ("died", "collapsed", "not-recovered"),
    "torture": ("died", "hung", "refused", "degraded", "not-recovered"),
}
FAILING: Mapping[str, Sequence[str]] = {**KINDS, "torture": ("died", "hung", "not-recovered")}
NONE = "none"
# The finding of an unfinished record.
UNFINISHED = "unfinished"


@dataclass(frozen=True)
class Finding:
    """One finding.

    Attributes:
        kind: one of `KINDS`, or `unfinished`.
        outcome: `failed` if it is shown, `undecided` if the data cannot decide.
        text: a phrase without a full stop or a semicolon, which stands between two.
    """

    kind: str
    outcome: Outcome
    text: str


def failing_kinds(command: str, text: str | None) -> tuple[str, ...]:
    """Parse `--fail-on`.

    Args:
        command: one of `KINDS`.
        text: `NAME,NAME`, `none`, or None for the default.

    Raises:
        BadInput: a name does not exist.
    """
    if text is None:
        return tuple(FAILING[command])
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if names == (NONE,):
        return ()
    for name in names:
        if name not in KINDS[command]:
            raise BadInput(
                f'--fail-on "{name}": {command} does not find that; {allowed_names(name, (*KINDS[command], NONE))}'
            )
    return names


def outcome(findings: Sequence[Finding], kinds: Sequence[str]) -> Outcome:
    """Return the outcome of the chosen kinds; with none of them, passed."""
    if not kinds:
        return Outcome.PASSED
    return together(
        [Outcome.PASSED, *(finding.outcome for finding in findings if finding.kind in (*kinds, UNFINISHED))]
    )


def unfinished(run: Record) -> Iterator[Finding]:
    """Yield a finding if the record is unfinished."""
    if run.state != "finished":
        yield Finding(UNFINISHED, Outcome.UNDECIDED, f"it {run.state_in_words}, not finished")


def closing_sentence(findings: Sequence[Finding], work: str, kinds: Sequence[str]) -> str:
    """Return the last sentence, which sums up all findings.

    Args:
        findings: all findings.
        work: what was done, for the case without problems.
        kinds: the kinds of findings that fail it. Others are named and change nothing.
    """
    deciding = [finding for finding in findings if finding.kind in (*kinds, UNFINISHED)]
    wrong = [finding.text for finding in deciding if finding.outcome is Outcome.FAILED]
    if wrong:
        return f"Failed: {'; '.join(wrong)}."
    unknown = [finding.text for finding in deciding if finding.outcome is Outcome.UNDECIDED]
    if unknown:
        return f"Undecided: {'; '.join(unknown)}."
    noted = [finding.text for finding in findings if finding not in deciding and finding.outcome is Outcome.FAILED]
    return f"Passed: {work}." + (f" Also found, which does not fail it: {'; '.join(noted)}." if noted else "")


def title(findings: Sequence[Finding], well: str, kinds: Sequence[str]) -> str:
    """Return the closing sentence in a few words: the first thing that decides it, and how many more.

    Args:
        findings: as for `closing_sentence`.
        well: what is said where nothing was wrong.
        kinds: as for `closing_sentence`.
    """
    deciding = [finding for finding in findings if finding.kind in (*kinds, UNFINISHED)]
    for outcome_, name in ((Outcome.FAILED, "Failed"), (Outcome.UNDECIDED, "Undecided")):
        texts = [finding.text for finding in deciding if finding.outcome is outcome_]
        if texts:
            rest = f"; {counted(len(texts) - 1, 'more finding')}" if len(texts) > 1 else ""
            return f"{name}: {texts[0]}{rest}"
    return f"Passed: {well}"


def record(findings: Sequence[Finding]) -> list[dict[str, str]]:
    """Return the findings as JSON objects."""
    return [{"kind": finding.kind, "outcome": str(finding.outcome), "text": finding.text} for finding in findings]
