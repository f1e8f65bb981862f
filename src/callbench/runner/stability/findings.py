"""What a soak, an overload or a torture found wrong, or could not tell: the last sentence and the exit code follow."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from callbench.catalog.study.near import allowed
from callbench.model.errors import BadInput
from callbench.stats.decision import Outcome, together

# What each command can find, and of that what fails it unless `--fail-on` says otherwise: a server that is slower while
# thousands misbehave has survived, as far as servers do.
KINDS: Mapping[str, Sequence[str]] = {
    "soak": ("died", "errors", "growth", "slower"),
    "overload": ("died", "not-recovered"),
    "torture": ("died", "hung", "refused", "degraded", "not-recovered"),
}
FAILING: Mapping[str, Sequence[str]] = {**KINDS, "torture": ("died", "hung", "not-recovered")}
NONE = "none"
# Of a record that is not whole: whatever is asked, it is not known.
UNFINISHED = "unfinished"


@dataclass(frozen=True)
class Finding:
    """One thing found, or not told.

    Attributes:
        kind: one of `KINDS`, or `unfinished`.
        outcome: `failed` where it is shown, `undecided` where it cannot be told.
        text: a phrase, without a point.
    """

    kind: str
    outcome: Outcome
    text: str


def chosen(command: str, text: str | None) -> tuple[str, ...]:
    """Read `--fail-on`.

    Args:
        command: one of `KINDS`.
        text: `NAME,NAME`, `none`, or None: as usual.

    Raises:
        BadInput: a name that there is not.
    """
    if text is None:
        return tuple(FAILING[command])
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if names == (NONE,):
        return ()
    for name in names:
        if name not in KINDS[command]:
            raise BadInput(
                f'--fail-on "{name}": {command} does not find that; {allowed(name, (*KINDS[command], NONE))}'
            )
    return names


def outcome(findings: Sequence[Finding], kinds: Sequence[str]) -> Outcome:
    """Give the outcome of the kinds that were chosen; of none of them, passed."""
    if not kinds:
        return Outcome.PASSED
    return together([Outcome.PASSED, *(one.outcome for one in findings if one.kind in (*kinds, UNFINISHED))])


def unfinished(info: Mapping[str, Any]) -> Iterator[Finding]:
    """Say of a record that it is not whole."""
    if info["state"] != "finished":
        yield Finding(UNFINISHED, Outcome.UNDECIDED, f"it is {info['state']}, not finished")


def closing(findings: Sequence[Finding], work: str) -> str:
    """Say in the last sentence what follows from all of it.

    Args:
        findings: whatever was found or could not be told.
        work: what was done, for where all was well.
    """
    wrong = [one.text for one in findings if one.outcome is Outcome.FAILED]
    if wrong:
        return f"Failed: {'; '.join(wrong)}."
    unknown = [one.text for one in findings if one.outcome is Outcome.UNDECIDED]
    if unknown:
        return f"Undecided: {'; '.join(unknown)}."
    return f"Passed: {work}."


def record(findings: Sequence[Finding]) -> list[dict[str, str]]:
    """Write them out for programs."""
    return [{"kind": one.kind, "outcome": str(one.outcome), "text": one.text} for one in findings]
