"""Checks the calls of an imported service: each pair comes back field by field, and the load loop looks at answers."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import groupby
from pathlib import Path

from callbench.adapter import oracle, own_answers
from callbench.adapter.placement import Placement
from callbench.catalog.catalogue import Catalogue
from callbench.catalog.study import load
from callbench.model.cell import Stack
from callbench.model.errors import AdapterFailure
from callbench.model.service.imported import Imported
from callbench.model.verify_outcome import CheckOutcome
from callbench.runner.plan import own_service
from callbench.runner.verify.last_field import last_field
from callbench.runner.verify.session import NotApplicable, VerifySession

_MOST_PAIRS = 1000


def of(
    known: Catalogue, folder: Path, *, placement: Placement, only: str | None = None, languages: Sequence[str] = ()
) -> Generator[CheckOutcome, None, None]:
    """Checks every stack of a service's study that carries the service's calls.

    Args:
        known: what there is.
        folder: the service's.
        placement: which processors the sides run on.
        only: a glob of the checks to be made; None: all of them.
        languages: if the folder has no study.toml: the languages to check besides Rust.

    Raises:
        BadInput: the folder is wrong, or a language's tools are missing.
        CallbenchError: the code cannot be compiled.
    """
    study, there = load(folder, languages=languages), own_service.for_service(known).every
    cells = study.cells(there, quick=False)
    names = {cell.stack for cell in cells}
    known = own_service.added(known, folder, [stack for stack in there if stack.id in names])
    checked = [stack for stack in known.every if stack.id in names and _carries(known, stack)]
    service = known.adapter(own_service.NATIVE).manifest.service
    assert service is not None  # noqa: S101 - it was added above
    calls = list(dict.fromkeys(cell.call for cell in cells if own_answers.has(service, cell.call)))
    for _, stacks in groupby(checked, lambda stack: stack.adapter):
        yield from _of_adapter(known, list(stacks), service, calls, placement, only)


def _carries(known: Catalogue, stack: Stack) -> bool:
    """Whether both sides have the service's calls."""
    programs = known.programs(stack)
    return programs.client.service is not None and programs.server.service is not None


def _of_adapter(  # noqa: PLR0913, PLR0917 - what a check needs
    known: Catalogue, stacks: list[Stack], service: Imported, calls: list[str], placement: Placement, only: str | None
) -> Iterator[CheckOutcome]:
    """Checks stacks whose sides are those of the same adapters, so that they share two processes."""
    here = [stack for stack in stacks if stack.why_not is None]
    for stack in stacks:
        if stack.why_not is not None:
            yield CheckOutcome(stack.id, "available", f"it is unavailable: {stack.why_not}", lack="it cannot run here")
    if not here:
        return
    session = VerifySession(known.programs(here[0]), placement)
    try:
        for stack in here:
            session.use_stack(stack)
            yield from _of_stack(session, stack, service, calls, only)
    finally:
        session.close()


def _of_stack(
    session: VerifySession, stack: Stack, service: Imported, calls: list[str], only: str | None
) -> Iterator[CheckOutcome]:
    unavailable = session.started().unavailable(stack)
    if unavailable:
        yield CheckOutcome(
            stack.id, "available", f"it is unavailable: {unavailable}", lack="this machine cannot run it"
        )
        return
    for call in calls:
        carried = only is not None
        for arguments in own_answers.some(service, call, {}, _MOST_PAIRS):
            name = f"{call}/pair-{arguments[own_answers.PAIR]}"
            if only is None or fnmatchcase(name, only):
                outcome = _outcome(session, stack, name, call, arguments)
                carried = carried or outcome.passed
                yield outcome
        name = f"{call}/last-field"
        if not carried:
            yield CheckOutcome(stack.id, name, None, not_applicable="it carries no pair of the call")
        elif only is None or fnmatchcase(name, only):
            yield _outcome(session, stack, name, call, None)
        session.note_break()


def _outcome(
    session: VerifySession, stack: Stack, name: str, call: str, arguments: Mapping[str, object] | None
) -> CheckOutcome:
    """One check: a pair's answer or, without a pair, whether the load loop checks the last field."""
    try:
        if arguments is None:
            return CheckOutcome(stack.id, name, last_field(call, {own_answers.PAIR: 1}, session))
        client = session.client()
        return CheckOutcome(
            stack.id, name, oracle.error_in(call, arguments, client.call(call, arguments), client.service)
        )
    except NotApplicable as reason:
        return CheckOutcome(stack.id, name, None, not_applicable=str(reason))
    except AdapterFailure as failure:
        # A message that cannot hold the value says so: that is known, and no mistake.
        lack = str(failure) if failure.kind == "cannot-carry" else None
        if failure.kind == "bad-request" and "no field" in str(failure):
            return CheckOutcome(stack.id, name, None, not_applicable=str(failure))
        return CheckOutcome(stack.id, name, f"{failure.kind}: {failure}", lack)
