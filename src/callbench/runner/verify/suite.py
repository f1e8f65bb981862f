"""Run the contract suite on stacks."""

import fnmatch
import functools
from collections.abc import Callable, Generator, Iterator, Sequence

from callbench.adapter import oracle
from callbench.adapter.placement import Placement
from callbench.catalog import mixed
from callbench.catalog.catalogue import Catalogue, KnownAdapter
from callbench.catalog.manifest import Programs
from callbench.model.cell import Stack, sides_of
from callbench.model.errors import OF_THE_ADAPTER, AdapterFailure, BadInput
from callbench.model.request import only_call
from callbench.model.verify_outcome import CheckOutcome
from callbench.runner.verify import (
    accuracy,
    calls,
    last_field,
    lifecycle,
    lost_server,
    request_handling,
    stopped_generator,
)
from callbench.runner.verify.calls import CallCheck
from callbench.runner.verify.session import NotApplicable, VerifySession

Check = Callable[[VerifySession], str | None]
# An adapter that dies in every check would otherwise be started a hundred times.
MOST_BREAKS = 2


@functools.cache
def checks() -> tuple[tuple[str, Check], ...]:
    """Return each check with its name, in order. Checks with the same arrangement follow each other."""
    answered = tuple((each.name, functools.partial(_check_answer, each)) for each in calls.checks())
    beside = (("open/starved", stopped_generator.check),)
    return (
        *answered,
        *request_handling.checks(),
        *accuracy.checks(),
        *beside,
        *last_field.checks(),
        *lost_server.checks(),
    )


@functools.cache
def _calls() -> dict[str, str]:
    """Return the call of each check that needs a certain call, by the check's name."""
    return {each.name: each.call for each in calls.checks()} | dict.fromkeys(accuracy.FAULT_CHECKS, "GetPersons")


@functools.cache
def _refusals() -> frozenset[str]:
    """Return the names of the checks of refused calls."""
    return frozenset(each.name for each in calls.refusals())


def _check_answer(check: CallCheck, session: VerifySession) -> str | None:
    return oracle.error_in(check.call, check.arguments, session.client().call(check.call, check.arguments))


def outcomes(
    adapter: KnownAdapter, stacks: Sequence[Stack], placement: Placement, only: str | None = None
) -> Iterator[CheckOutcome]:
    """Check the adapter's lifecycle, then each stack. Consecutive stacks share their processes.

    Args:
        adapter: whose stacks they are.
        stacks: the stacks to check.
        placement: the processors of the sides.
        only: a glob of check names; None: all.

    Raises:
        BadInput: the installation is damaged.
    """
    if adapter.why_not:
        yield CheckOutcome(adapter.name, "hello", adapter.why_not)
        return
    said_hello = True
    for outcome in lifecycle.outcomes(adapter.manifest) if only is None else ():
        said_hello = said_hello and (outcome.passed or outcome.check != "hello")
        yield outcome
    if not said_hello:
        return
    yield from _stack_outcomes(adapter.manifest.both, stacks, placement, only)


def _stack_outcomes(
    programs: Programs, stacks: Sequence[Stack], placement: Placement, only: str | None
) -> Iterator[CheckOutcome]:
    selected = [each for each in checks() if only is None or _fits(each[0], only)]
    session = VerifySession(programs, placement)
    try:
        for stack in stacks:
            session.use_stack(stack)
            yield from _one_stack_outcomes(session, stack, selected)
    finally:
        session.close()


def _one_stack_outcomes(
    session: VerifySession, stack: Stack, selected: Sequence[tuple[str, Check]]
) -> Iterator[CheckOutcome]:
    try:
        unavailable = session.started().unavailable(stack)
    except AdapterFailure as failure:
        yield CheckOutcome(stack.id, "hello", str(failure))
        return
    if unavailable:
        yield CheckOutcome(
            stack.id, "available", f"it is unavailable: {unavailable}", lack="this machine cannot run it"
        )
        return
    unknown = [lack for lack in stack.lacks if not any(_fits(name, lack) for name, _ in checks())]
    if unknown:
        yield CheckOutcome(
            stack.id, "lacks", f"its manifest lists checks that do not exist: {', '.join(sorted(unknown))}"
        )
    for place, (name, check) in enumerate(selected):
        try:
            why = _why(session, stack, name, check)
        except NotApplicable as reason:
            yield CheckOutcome(stack.id, name, None, not_applicable=str(reason))
            continue
        yield CheckOutcome(stack.id, name, why, _lack(stack, name, failed=why is not None), session.take_note())
        if why is not None and name == only_call(stack):
            left = len(selected) - place - 1
            yield CheckOutcome(stack.id, "suite", f"its only call fails: {left} checks were skipped")
            return
        session.note_break()
        if session.breaks >= MOST_BREAKS:
            left = len(selected) - place - 1
            if left:
                yield CheckOutcome(stack.id, "suite", f"it broke {MOST_BREAKS} times: {left} checks were skipped")
            return


def _lack(stack: Stack, check: str, *, failed: bool) -> str | None:
    """Return why a check is a known failure. A mixed stack may pass where one of its sides fails alone."""
    if stack.mixed and not failed:
        return None
    return next((why for lack, why in stack.lacks.items() if _fits(check, lack)), None)


def _fits(check: str, lack: str) -> bool:
    """Return whether a name or glob in `lacks` means this check. Brackets are part of names, not of globs."""
    return fnmatch.fnmatchcase(check, lack.replace("[", "[[]"))


def _why(session: VerifySession, stack: Stack, name: str, check: Check) -> str | None:
    only = only_call(stack)
    if only is not None and name in _calls() and _calls()[name] != only:
        raise NotApplicable(f"the server answers only {only}")
    if only is not None and name in _refusals():
        raise NotApplicable("external servers refuse in their own way")
    try:
        return check(session)
    except AdapterFailure as failure:
        if only is not None and failure.kind == "unsupported":
            raise NotApplicable(str(failure)) from None
        said_by_adapter = failure.kind not in OF_THE_ADAPTER
        return f"{failure.kind}: {failure}" if said_by_adapter else str(failure)


def outcomes_of(
    catalogue: Catalogue, names: Sequence[str], *, every: bool, placement: Placement, only: str | None = None
) -> Generator[CheckOutcome, None, None]:
    """Check the named stacks (or globs), or all that can run here except instruments.

    Args:
        catalogue: what there is.
        names: names of the stacks.
        every: whether to check all stacks instead.
        placement: the processors of the sides.
        only: a glob of check names; None: all.

    Raises:
        BadInput: no stack is named, a name is unknown, or the installation is damaged.
    """
    if only is not None and not any(_fits(name, only) for name, _ in checks()):
        raise BadInput(f"no check fits {only!r}: `callbench verify STACK --verbose` names them")
    selected = _selected_ids(catalogue, names, every=every)
    sides = {side.partition("/")[0] for stack in selected for side in sides_of(stack)}
    for adapter in catalogue.adapters:
        mine = [stack for stack in adapter.stacks if stack.id in selected]
        # An adapter with one side only is checked in mixed stacks, but its lifecycle is checked here.
        if mine or (adapter.name in sides and all(stack.half for stack in adapter.stacks)):
            yield from outcomes(adapter, mine, placement, only)
    for stack in catalogue.every:
        if stack.mixed and stack.id in selected:
            yield from _mixed_outcomes(catalogue, stack, placement, only)


def _mixed_outcomes(
    catalogue: Catalogue, stack: Stack, placement: Placement, only: str | None
) -> Iterator[CheckOutcome]:
    """Check a client with another adapter's server. The lifecycles are checked with their own stacks."""
    if stack.why_not:
        yield CheckOutcome(stack.id, "hello", stack.why_not)
        return
    yield from _stack_outcomes(catalogue.programs(stack), [stack], placement, only)


def _selected_ids(catalogue: Catalogue, names: Sequence[str], *, every: bool) -> set[str]:
    if every:
        return {stack.id for stack in catalogue.every if stack.available and not stack.instrument}
    if not names:
        raise BadInput("say what to verify: a stack of `callbench list stacks`, or --all")
    selected: set[str] = set()
    for name in names:
        found = {stack.id for stack in catalogue.every if mixed.fits(stack.id, name)}
        selected |= found or {catalogue.stack(name).id}
    return selected
