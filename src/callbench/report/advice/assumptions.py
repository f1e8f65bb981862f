"""What an advice on a service of one's own assumes of answers, payloads, mix and server, and on what it depends."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from callbench.analysis.advice.advice import Advice
from callbench.analysis.wording.words import some
from callbench.catalog.own.stored import keeps_assumptions, stored_assumptions
from callbench.report.advice.calling import assumed as assumed_of_callers


def assumptions(advice: Advice, folder: Path) -> Sequence[str]:
    """Say what is assumed, the most important first.

    Args:
        advice: what was computed.
        folder: of the run, which has the service with what its import had to invent.
    """
    return [*_unmarked(folder), *_invented(folder), *_mix(advice), *_server(advice), *assumed_of_callers(advice)]


def _unmarked(folder: Path) -> Iterator[str]:
    if not keeps_assumptions(folder):
        yield (
            "This service was imported before Callbench kept which answers were given: import it again, or take answers"
            " as unknown."
        )


def _invented(folder: Path) -> Iterator[str]:
    unanswered, generated = stored_assumptions(folder)
    if unanswered:
        yield (
            f"Nobody gave an answer of {some(sorted(unanswered))}, so the server sends the request back. Give an"
            " answer with --answer, or pairs of request and answer."
        )
    only_generated = sorted(generated - unanswered)
    if only_generated:
        yield (
            f"The payloads of {some(only_generated)} are made from the schema. Give samples of your own for their real"
            " sizes."
        )


def _mix(advice: Advice) -> Iterator[str]:
    if len(advice.groups) > 1 and not advice.situation.groups:
        yield f"All {len(advice.groups)} calls are made equally often. The situation can give their shares."


def _server(advice: Advice) -> Iterator[str]:
    if advice.goals:
        yield "The server does no work of its own. What yours does is added to every candidate alike."
