"""The answer of a search for a capacity, in a few sentences."""

from collections.abc import Iterator, Sequence

from callbench.analysis.capacity.result import (
    CapacityResult,
    Proof,
    broken_from,
    queues_of,
    rate_of_loads,
    start_allowance,
)
from callbench.analysis.wording.words import counted
from callbench.model import objective
from callbench.report.load.endpoints_sheet import most_time
from callbench.stats.decide.decision import Outcome
from callbench.stats.estimate.digits import figure, percent
from callbench.stats.estimate.interval import Interval
from callbench.stats.estimate.median_interval import LEAST
from callbench.stats.load.bottleneck import DISTURBED
from callbench.stats.load.capacity_plan import NEEDED, Capacity
from callbench.stats.load.knee import KneeOutcome
from callbench.stats.load.saturation import Resource, Saturation
from callbench.stats.load.settling import beyond_all, settling_s
from callbench.store.lines.capacity import StepLine
from callbench.store.requested.capacity import CLIENTS, CapacityRequest

_SATURATED = {
    Resource.PROCESSOR: "The server's processor was used up first",
    Resource.LOCK: "A lock, or a part that one call at a time can use, was used up first",
    Resource.POOL: "A pool of workers or connections, or a limit of the rate, was used up first",
    Resource.LINK: "The link was used up first",
    Resource.DRIVER: "Invalid: the load driver was used up first, so the server may hold more",
    Resource.OTHERS: "Invalid: other programs took the processors, so the server may hold more",
    Resource.NOTHING: "Nothing was used up",
    Resource.UNDECIDED: "Undecided what was used up first",
}


_GETS_THROUGH = {
    Resource.PROCESSOR: "its processor is used up",
    Resource.LOCK: "one call at a time gets through",
    Resource.POOL: "the pool of connections is used up",
    Resource.LINK: "the link is full",
    Resource.DRIVER: "the load driver was the limit",
    Resource.OTHERS: "other programs took the processors",
    Resource.NOTHING: "nothing is used up",
}


# Less than this is what a search leaves open anyway.
_BEYOND_SHOWN = 0.02
# So much longer queues are worth a word.
_UNEVEN = 1.2


def title(result: CapacityResult) -> str:
    """Say the answer in a few words: `Holds 17 clients: one call at a time gets through`; "" if nothing was tried."""
    capacity, along = result.capacity, result.request.along
    if capacity is None:
        return ""
    if result.request.need is not None:
        return f"{_need(result)[:-1]}{', and the server died under load' if result.death is not None else ''}"
    if result.outcome is Outcome.UNDECIDED and (broken := broken_from(result.steps)):
        return f"Undecided: {_broken(broken)}"
    if result.proof is not None and not result.proof.met:
        return f"Undecided whether it holds {level_text(result.proof.level, along)}: longer loads missed the objective"
    held = _held(result, capacity)
    if result.death is not None:
        return f"{held}, and died under load"
    return ": ".join(filter(None, (held, _gets_through(result.saturation))))


def _held(result: CapacityResult, capacity: Capacity) -> str:
    along = result.request.along
    level = level_text(capacity.level, along)
    if capacity.end is KneeOutcome.BELOW and capacity.low is not None:
        return f"{'Undecided whether it holds' if result.invalid else 'Does not hold'} {level}"
    if min(capacity.level, capacity.level if capacity.low is None else capacity.low) <= 0:
        return f"Undecided whether it holds {level_text(result.request.span.low, along)}"
    if capacity.low is None:
        return (
            f"Holds about {level}, undecided"
            if capacity.end is KneeOutcome.WITHIN
            else f"Undecided whether it holds {level}"
        )
    if result.invalid or capacity.end is not KneeOutcome.WITHIN:
        return f"Holds at least {level_text(capacity.low, along) if result.invalid else level}"
    return f"Holds {level}"


def _gets_through(saturation: Saturation | None) -> str:
    """Say what ends it, in a few words; "" if that is not known."""
    if saturation is None:
        return ""
    if saturation.resource is Resource.POOL and saturation.at_once is not None:
        return f"{counted(round(saturation.at_once), 'call')} at a time get through, or the rate is limited"
    if saturation.resource is Resource.LOCK and saturation.at_once is not None:
        return f"{_GETS_THROUGH[Resource.LOCK]}, or the rate is limited"
    return _GETS_THROUGH.get(saturation.resource, "")


def level_text(level: float, along: str) -> str:
    """Write a level with its unit: `20 clients`, `410 calls/s`."""
    if along == CLIENTS:
        return counted(round(level), "client")
    return f"{figure(level, 0.005)} calls/s"


def answer(result: CapacityResult, notes: Sequence[str]) -> Iterator[str]:
    """Say what was found, what was used up first, and how sure both are.

    Args:
        result: of the search.
        notes: what a reader should know besides.
    """
    yield _holds(result)
    if result.death is not None:
        yield f"The server died under load: {result.death}."
    if broken := broken_from(result.steps):
        yield (
            f"{_broken(broken).capitalize()} ({', '.join(broken['errors'])}), not even under loads that it held before:"
            " it no longer works. Start the server anew."
        )
    if result.saturation is not None:
        yield f"{_used_up(result.saturation)}: {result.saturation.why}."
    if unserved := _unserved(result):
        yield unserved
    if endpoints := most_time(result.endpoints):
        yield endpoints
    if result.request.need is not None:
        yield f"{_need(result)}{_by_need(result)}"
    yield _certainty(result)
    if result.proof is not None:
        yield _proof(result.proof, result.request)
    others = result.others
    named = result.saturation is not None and result.saturation.resource is Resource.OTHERS
    if others is not None and others > DISTURBED and not named:
        yield f"Other programs took {percent(others)} of the server's processors: calls may have waited for them."
    yield from notes


def _broken(first: StepLine) -> str:
    return f"from {first['at_s']:.0f} s on, no call was answered rightly"


def _used_up(saturation: Saturation) -> str:
    if saturation.resource is Resource.POOL and saturation.at_once is None:
        return "The pool of connections was used up first"
    if saturation.resource is Resource.LOCK and saturation.at_once is not None:
        return "A lock, or a limit of the rate, was used up first"
    return _SATURATED[saturation.resource]


def _holds(result: CapacityResult) -> str:
    request, capacity = result.request, result.capacity
    if capacity is None:
        return "No load was tried, so nothing is known."
    if result.proof is not None and not result.proof.met:
        return f"Undecided whether it holds {level_text(result.proof.level, request.along)} with {request.objective}."
    return _as_found(result, capacity)


def _as_found(result: CapacityResult, capacity: Capacity) -> str:
    request = result.request
    level = level_text(capacity.level, request.along)
    if capacity.end is not KneeOutcome.WITHIN:
        return _at_an_end(result, capacity)
    if capacity.level <= 0 and capacity.low is None:
        lowest = level_text(request.span.low, request.along)
        return f"Undecided whether it holds {lowest} with {request.objective}: most of its loads missed it."
    if capacity.low is None or capacity.high is None:
        return f"It holds about {level} with {request.objective}{_rate(result)}. The level has no interval."
    low, high = (
        f"{value:,.0f}" if request.along == CLIENTS else figure(value, 0.005) for value in (capacity.low, capacity.high)
    )
    if capacity.low <= 0:
        lowest = level_text(request.span.low, request.along)
        return f"Undecided whether it holds {lowest} with {request.objective}: it holds 0 to {high}."
    if result.invalid:
        # The greatest load of which it is sure that it was made and met: more was not shown.
        return f"It holds at least {level_text(capacity.low, request.along)} with {request.objective}."
    between = f"(95 % interval {low} to {high})"
    return f"It holds {level} {between} with {request.objective}{_rate(result)}."


def _at_an_end(result: CapacityResult, capacity: Capacity) -> str:
    """Say what was found at the lowest or the highest load."""
    aim, level = result.request.objective, level_text(capacity.level, result.request.along)
    if capacity.low is None:
        return f"Undecided whether it holds {level} with {aim}: too few loads were tried."
    if capacity.end is KneeOutcome.BELOW and result.invalid:
        return (
            f"Undecided whether it holds {level} with {aim}: the lowest load misses it, and perhaps not by the server."
        )
    if capacity.end is KneeOutcome.BELOW:
        return f"It does not hold {level} with {aim}: the lowest load that was tried already fails."
    most = result.request.span.high
    missed = not start_allowance(capacity, result.request, result.alone)
    ends = "there" if capacity.level >= most else f"at {level_text(most, result.request.along)}"
    ends += ", which some loads missed" if missed and capacity.level < most else ""
    return f"It holds at least {level} with {aim}{_rate(result)}: --most ends the search {ends}."


def _unserved(result: CapacityResult) -> str:
    """Say from which level on clients were not served; "" if all were, or if which client calls is chance."""
    if result.request.along != CLIENTS:
        return ""
    loads = [(line["level"], line["load"]) for line in result.steps if line["load"]]
    lacking = [(level, load, unserved) for level, load in loads if (unserved := load.get("clients_unserved"))]
    if not lacking:
        return ""
    level, load, unserved = min(lacking, key=lambda entry: entry[0])
    at, clients = level_text(level, result.request.along), load["clients"]
    return (
        f"With {at}, {unserved:,} of {clients:,} clients got no right answer, so these loads do not meet the objective."
    )


def _rate(result: CapacityResult) -> str:
    """Say how many calls a second these clients make."""
    if result.request.along != CLIENTS or result.rate is None:
        return ""
    return f", at {_interval(result.rate)} calls/s"


def _interval(rate: Interval) -> str:
    text = figure(rate.middle, 0.005)
    if rate.low is None or rate.high is None:
        return text
    return f"{text} ({figure(rate.low, 0.005)} to {figure(rate.high, 0.005)})"


def _need(result: CapacityResult) -> str:
    need = level_text(float(result.request.need or 0), result.request.along)
    match result.outcome:
        case Outcome.PASSED:
            return f"Passed: the needed {need} are held."
        case Outcome.FAILED:
            return f"Failed: the needed {need} are not held."
        case _:
            return f"Undecided: whether the needed {need} are held cannot be told from these loads."


def _by_need(result: CapacityResult) -> str:
    """Say what loads of the needed level show where the interval of the capacity does not; "" otherwise."""
    asked = next((line["level"] for line in result.steps if line["phase"] == NEEDED), None)
    made = [line for line in result.steps if line["level"] == asked]
    if asked is None or result.by_interval is not Outcome.UNDECIDED or result.outcome is not result.by_need:
        return ""
    if result.outcome is Outcome.UNDECIDED:
        return ""
    did = "met" if made[0]["holds"] else "missed"
    return f" All {len(made)} loads of {level_text(asked, result.request.along)} {did} the objective."


def _certainty(result: CapacityResult) -> str:
    capacity, took = result.capacity, f"{result.took_s:.0f} s"
    loads = f"{len(result.steps)} loads in {took}"
    if capacity is None:
        return f"{loads} were tried."
    if capacity.low is None:
        few = f"{capacity.crossings} of at least {LEAST} independent estimates"
        remedy = "Give more --seconds; --resume then goes on with this search."
        return f"Undecided how sure the capacity is: {loads} made {few}. {remedy}"
    return f"The interval rests on {capacity.crossings} independent estimates: {loads}.{_settling(result, capacity)}"


def _proof(proof: Proof, request: CapacityRequest) -> str:
    """Say what longer loads showed, and what no load can have seen."""
    level, lasts = level_text(proof.level, request.along), f"{figure(proof.seconds)} s"
    if proof.met:
        return (
            f"A load of {lasts} with {level} met the objective too. `callbench soak` looks for what is rarer than that."
        )
    what = request.objective.split()[0]
    of = "" if proof.value_us is None else f" (with {what} at {figure(proof.value_us / 1e3)} ms)"
    why = "something slows calls that comes more rarely, a pause for example"
    if proof.errors:
        why = f"calls failed ({', '.join(proof.errors)})"
    return (
        f"But {counted(proof.loads, 'load')} of {lasts} with {level} missed the objective{of}, where loads of"
        f" {figure(proof.usual_s)} s met it: {why}. `callbench soak` shows when."
    )


def _settling(result: CapacityResult, capacity: Capacity) -> str:
    """Say what the lower end allows for, where loads are too short for a queue; "" if they are not."""
    part = start_allowance(capacity, result.request, result.alone)
    if not part:
        return ""
    aim, rate = objective.parse(result.request.objective), rate_of_loads(capacity, result.request)
    load_s, limit_s = result.request.load_s(rate, coarse=False), aim.limit_us / 1e6
    begins = f" Each load of {figure(load_s)} s begins with an empty queue."
    queues = queues_of(result.alone)
    settles = f"Near this rate a queue may need {figure(settling_s(rate, limit_s, aim.share, queues))} s to settle"
    if queues >= _UNEVEN:
        settles += f", and is {figure(queues, 0.05)} times as long, as calls of one client vary much in their times"
    beyond = beyond_all(rate, load_s, limit_s, aim.share, queues)
    if beyond < _BEYOND_SHOWN:
        return f"{begins} {settles}, so the lower end is lower by {percent(part)}."
    # What is divided by 1.25 is lower by 20 %.
    lower = percent(beyond / (1 + beyond))
    return (
        f"{begins} What it meets may be above all that the server answers, so the level is lower by {lower}."
        f" {settles}, so the lower end is lower by {percent(part)}."
    )
