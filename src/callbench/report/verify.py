"""What `callbench verify` prints."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from rich.console import Console

from callbench.model.verify_outcome import CheckOutcome


def show_outcome(outcome: CheckOutcome, console: Console, *, every: bool) -> None:
    """Print an outcome if it fails; with `every`, also if it does not."""
    if outcome.fails:
        console.print(f"[red]FAIL[/] {_plain(outcome.sentence)}", highlight=False, soft_wrap=True)
    elif every and outcome.not_applicable:
        console.print(_plain(f"skipped {outcome.subject}: {outcome.check}: {outcome.not_applicable}"), soft_wrap=True)
    elif every:
        shown = outcome.note if outcome.passed else outcome.why
        word, rest = "pass" if outcome.passed else "known", f": {shown}" if shown else ""
        console.print(
            f"{word:5} {_plain(f'{outcome.subject}: {outcome.check}{rest}')}", highlight=False, soft_wrap=True
        )


def show_summary(outcomes: Sequence[CheckOutcome], console: Console) -> None:
    """Print what they come to together."""
    console.print(_plain(summary(outcomes)), highlight=False, soft_wrap=True)


def summary(outcomes: Sequence[CheckOutcome]) -> str:
    """One line: how many checks of how many stacks, and their outcomes."""
    applicable = [outcome for outcome in outcomes if not outcome.not_applicable]
    stacks = len({outcome.subject for outcome in outcomes if "/" in outcome.subject})
    failed = sum(outcome.fails for outcome in outcomes)
    known = sum(not outcome.passed and not outcome.fails for outcome in outcomes)
    lacking = f", {known} known to fail" if known else ""
    verdict = f"{failed} failed" if failed else "none failed"
    left = len(outcomes) - len(applicable)
    unasked = f", {left} skipped because the stack does not support them" if left else ""
    return f"{len(applicable)} checks of {stacks} {'stack' if stacks == 1 else 'stacks'}: {verdict}{lacking}{unasked}"


def as_json(outcomes: Sequence[CheckOutcome], *, stopped: bool) -> str:
    """The same for programs, with whether a user stopped it before the last check."""
    rows = [asdict(outcome) | {"passed": outcome.passed, "fails": outcome.fails} for outcome in outcomes]
    return json.dumps(
        {"failed": sum(outcome.fails for outcome in outcomes), "stopped": stopped, "checks": rows},
        indent=1,
        ensure_ascii=False,
    )


def _plain(text: str) -> str:
    """The text with rich's markup taken literally."""
    return text.replace("[", "\\[")
