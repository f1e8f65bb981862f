"""Runs the contract suite against stacks."""

import fnmatch
import functools
from collections.abc import Callable, Iterator, Sequence

from callbench.adapter import oracle
from callbench.adapter.placement import Placement
from callbench.catalog import mixed
from callbench.catalog.catalogue import Adapter, Catalogue
from callbench.catalog.manifest import Programs
from callbench.model.cell import Stack, sides_of
from callbench.model.errors import AdapterFailure, BadInput
from callbench.model.request import only_call
from callbench.runner.verify import calls, honesty, last_field, lifecycle, lost, manners, starved
from callbench.runner.verify.calls import CallCheck
from callbench.runner.verify.outcome import Outcome
from callbench.runner.verify.session import Session, Unasked

Check = Callable[[Session], str | None]
# An adapter that dies at every check would be started a hundred times to say the same.
MOST_BREAKS = 2


@functools.cache
def checks() -> tuple[tuple[str, Check], ...]:
    """Name and check, in the order in which they are run: those of one arrangement beside each other."""
    answered = tuple((each.name, functools.partial(_answered, each)) for each in calls.checks())
    beside = (("open/starved", starved.check),)
    return (*answered, *manners.checks(), *honesty.checks(), *beside, *last_field.checks(), *lost.checks())


@functools.cache
def _calls() -> dict[str, str]:
    """The calls of the service that checks make, by the check's name, where no other call would do."""
    return {each.name: each.call for each in calls.checks()} | dict.fromkeys(honesty.OF_FAULTS, "GetPersons")


@functools.cache
def _refusals() -> frozenset[str]:
    """The checks of what a server refuses."""
    return frozenset(each.name for each in calls.refusals())


def _answered(check: CallCheck, session: Session) -> str | None:
    return oracle.wrong(check.call, check.arguments, session.client().call(check.call, check.arguments))


def outcomes(
    adapter: Adapter, stacks: Sequence[Stack], placement: Placement, only: str | None = None
) -> Iterator[Outcome]:
    """Checks the adapter's life, then each stack; sides are shared by stacks that follow each other.

    Args:
        adapter: whose stacks they are.
        stacks: those to be checked.
        placement: which processors the sides run on.
        only: a glob of the checks to be made; None: all of them.

    Raises:
        BadInput: the installation is damaged.
    """
    if adapter.why_not:
        yield Outcome(adapter.name, "hello", adapter.why_not)
        return
    said_hello = True
    for outcome in lifecycle.outcomes(adapter.manifest) if only is None else ():
        said_hello = said_hello and (outcome.passed or outcome.check != "hello")
        yield outcome
    if not said_hello:
        return
    yield from _of_stacks(adapter.manifest.both, stacks, placement, only)


def _of_stacks(
    programs: Programs, stacks: Sequence[Stack], placement: Placement, only: str | None
) -> Iterator[Outcome]:
    wanted = [each for each in checks() if only is None or _fits(each[0], only)]
    session = Session(programs, placement)
    try:
        for stack in stacks:
            session.turn_to(stack)
            yield from _of_stack(session, stack, wanted)
    finally:
        session.close()


def _of_stack(session: Session, stack: Stack, wanted: Sequence[tuple[str, Check]]) -> Iterator[Outcome]:
    try:
        unavailable = session.started().unavailable(stack)
    except AdapterFailure as failure:
        yield Outcome(stack.id, "hello", str(failure))
        return
    if unavailable:
        yield Outcome(stack.id, "available", f"it is unavailable: {unavailable}", lack="this machine cannot run it")
        return
    unknown = [lack for lack in stack.lacks if not any(_fits(name, lack) for name, _ in checks())]
    if unknown:
        yield Outcome(stack.id, "lacks", f"its manifest lists checks that do not exist: {', '.join(sorted(unknown))}")
    for place, (name, check) in enumerate(wanted):
        try:
            why = _why(session, stack, name, check)
        except Unasked as reason:
            yield Outcome(stack.id, name, None, unasked=str(reason))
            continue
        yield Outcome(stack.id, name, why, _lack(stack, name, failed=why is not None), session.take_told())
        if why is not None and name == only_call(stack):
            left = len(wanted) - place - 1
            yield Outcome(stack.id, "suite", f"its one call fails: {left} checks were not made")
            return
        session.note_break()
        if session.breaks >= MOST_BREAKS:
            left = len(wanted) - place - 1
            if left:
                yield Outcome(stack.id, "suite", f"it broke {MOST_BREAKS} times: {left} checks were not made")
            return


def _lack(stack: Stack, check: str, *, failed: bool) -> str | None:
    """Why a check is known to fail. What one side lacks may work where the other does that part: no stale excuse."""
    if stack.mixed and not failed:
        return None
    return next((why for lack, why in stack.lacks.items() if _fits(check, lack)), None)


def _fits(check: str, lack: str) -> bool:
    """Whether a name in `lacks` means this check: the name itself, or a glob. A bracket is no glob: names have them."""
    return fnmatch.fnmatchcase(check, lack.replace("[", "[[]"))


def _why(session: Session, stack: Stack, name: str, check: Check) -> str | None:
    only = only_call(stack)
    if only is not None and name in _calls() and _calls()[name] != only:
        raise Unasked(f"what is called stands for {only}")
    if only is not None and name in _refusals():
        raise Unasked("how a server of others refuses is its own")
    try:
        return check(session)
    except AdapterFailure as failure:
        if only is not None and failure.kind == "unsupported":
            raise Unasked(str(failure)) from None
        said_by_adapter = failure.kind not in ("died", "silent", "garbage")
        return f"{failure.kind}: {failure}" if said_by_adapter else str(failure)


def of(
    catalogue: Catalogue, names: Sequence[str], *, every: bool, placement: Placement, only: str | None = None
) -> Iterator[Outcome]:
    """Checks the stacks named (globs too), or every one that can run here, instruments left out.

    Args:
        catalogue: what there is.
        names: the stacks.
        every: instead of names.
        placement: which processors the sides run on.
        only: a glob of the checks to be made; None: all of them.

    Raises:
        BadInput: nothing is named, a name is not known, or the installation is damaged.
    """
    if only is not None and not any(_fits(name, only) for name, _ in checks()):
        raise BadInput(f"no check fits {only!r}: `callbench verify STACK --verbose` names them")
    wanted = _wanted(catalogue, names, every=every)
    sides = {side.partition("/")[0] for stack in wanted for side in sides_of(stack)}
    for adapter in catalogue.adapters:
        mine = [stack for stack in adapter.stacks if stack.id in wanted]
        # What has one side only is checked with its mixed stacks; its life is its own all the same.
        if mine or (adapter.name in sides and all(stack.half for stack in adapter.stacks)):
            yield from outcomes(adapter, mine, placement, only)
    for stack in catalogue.every:
        if stack.mixed and stack.id in wanted:
            yield from _of_mixed(catalogue, stack, placement, only)


def _of_mixed(catalogue: Catalogue, stack: Stack, placement: Placement, only: str | None) -> Iterator[Outcome]:
    """Checks a client against another's server; the lives of both adapters are checked with their own stacks."""
    if stack.why_not:
        yield Outcome(stack.id, "hello", stack.why_not)
        return
    yield from _of_stacks(catalogue.programs(stack), [stack], placement, only)


def _wanted(catalogue: Catalogue, names: Sequence[str], *, every: bool) -> set[str]:
    if every:
        return {stack.id for stack in catalogue.every if stack.available and not stack.instrument}
    if not names:
        raise BadInput("say what to verify: a stack of `callbench list stacks`, or --all")
    wanted: set[str] = set()
    for name in names:
        found = {stack.id for stack in catalogue.every if mixed.fits(stack.id, name)}
        wanted |= found or {catalogue.stack(name).id}
    return wanted
