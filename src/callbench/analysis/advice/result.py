"""An advice with the records that it rests on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from callbench.analysis.advice import stored
from callbench.analysis.advice.advice import Advice, advise
from callbench.analysis.advice.assumed import Invented
from callbench.analysis.run.subject import Subject, subject
from callbench.catalog.own.stored import stored_assumptions
from callbench.model.situation import Situation
from callbench.store.record import Record


@dataclass(frozen=True)
class AdviceResult:
    """An advice with what it rests on.

    Attributes:
        held_back: records of cells over links.
        sizes: the record of the main call with payloads of several sizes, if they were measured.
    """

    subject: Subject
    held_back: Sequence[Subject]
    advice: Advice
    sizes: Subject | None = None


def from_record(run: Record, situation: Situation) -> AdviceResult:
    """Compute an advice from what was measured already.

    Raises:
        BadInput: the run is damaged, or the situation names what it does not have.
    """
    of_sizes = stored.sizes(run)
    held_back = [subject(held) for held in stored.measured(run)]
    return advised(subject(run), situation, held_back, None if of_sizes is None else subject(of_sizes))


def advised(
    measured: Subject, situation: Situation, held_back: Sequence[Subject], of_sizes: Subject | None
) -> AdviceResult:
    """Compute an advice from records that were read."""
    run = measured.run
    advice = advise(measured, situation, held_back, of_sizes, Invented(*stored_assumptions(run.path)))
    left_out = [*advice.left_out, *stored.not_measured(run)]
    return AdviceResult(measured, held_back, replace(advice, left_out=left_out), of_sizes)
