"""Twelve simulated servers, and what each command must conclude about them.

Everything is in virtual time, and is judged by the code that judges a real load, search, overload, soak or comparison.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from callbench.analysis.compare.verdicts import ComparedFigures, Rule, metric_verdicts
from callbench.analysis.load.threshold_values import evaluate
from callbench.analysis.load.thresholds import parse
from callbench.stats.decide.decision import Outcome, together
from callbench.stats.decide.failures import CallCounts, FailedCalls
from callbench.stats.load.rate import window_of
from callbench.store.requested.capacity import CLIENTS, RATE, CapacityRequest
from known.driving import closed, opened, poisson
from known.overloading import TIMES, overload_outcome
from known.searching import searched
from known.servers import Congested, Failing, Limited, Pool, SimulatedServer, Stalling, TokenBucket
from known.soaking import Known as Soaked
from known.soaking import soak_outcome

COMMANDS = ("load", "capacity", "overload", "soak", "compare")
LOAD_S, FORKS, FORK_S = 10.0, 16, 0.4
LEAK_BYTES = 1_000.0
MOST_CALLS = 200
Make = Callable[[random.Random, float], SimulatedServer]


@dataclass(frozen=True)
class Truth:
    """A server, and what is true of it.

    Attributes:
        make: the server; its second argument is how many times as slow it is.
        clients: of a load, a soak and a comparison in a closed loop.
        false, true: conditions of a load, by a tenth or more.
        objective, held, missed: of a capacity, a need that is held and one that is not; None: there is none.
        rate: of an open load, where that is needed to see what the server does.
        along: of the capacity.
        capacity: calls/s that an overload exceeds; None: which calls are answered then is not arithmetic.
        overload, soak: the right outcomes.
        leaks: whether each call leaves memory behind.
        threshold: of the comparison; half as fast is beyond it, the same is within.
    """

    make: Make
    clients: int
    false: str
    true: str
    objective: str
    held: float | None
    missed: float | None
    rate: float | None = None
    along: str = CLIENTS
    capacity: float | None = None
    overload: Outcome = Outcome.PASSED
    soak: Outcome = Outcome.PASSED
    leaks: bool = False
    threshold: float = 0.2


def _pool(dice: random.Random, slower: float) -> Pool:
    return Pool(4, 0.01 * slower, dice=dice)


def _bucket(_: random.Random, slower: float) -> TokenBucket:
    return TokenBucket(200 / slower)


def _refusing(_: random.Random, slower: float) -> TokenBucket:
    return TokenBucket(100 / slower, 10, 0.002, refuses=True)


def _never_full(dice: random.Random, slower: float) -> Pool:
    """A call takes its own time: 99 of 100 take less than ln(100) times the mean, 46.05 ms."""
    return Pool(1_000, 0.01 * slower, exponential=True, dice=dice)


TRUTHS = {
    # k workers of s seconds answer k / s calls a second; c clients wait c s / k each.
    "pool": Truth(_pool, 8, "rate < 360/s", "rate < 440/s", "p95 under 45 ms", 16, 20, capacity=400),
    "lock": Truth(lambda dice, slower: Pool(1, 0.005 * slower, dice=dice), 4,
                  "rate < 180/s", "rate < 220/s", "p95 under 52.5 ms", 10, 12, capacity=200),
    "token bucket": Truth(_bucket, 4, "rate < 180/s", "rate < 220/s", "p95 under 52.5 ms", 9, 12, capacity=200),
    "connection limit": Truth(lambda _, slower: Limited(16, Pool(1_000, 0.01 * slower)), 16,
                              "rate < 1440/s", "rate < 1760/s", "p99 under 50 ms", 16, 20),
    # A tenth takes ten times as long.
    "bimodal": Truth(lambda dice, slower: Pool(4, 0.01 * slower, slow_share=0.1, dice=dice), 4,
                     "p50 > 20 ms", "p95 > 20 ms", "p95 under 50 ms", None, 1, capacity=4 / 0.019),
    # M/M/1: the time of a call is exponential, so p95 is ln(20) / (1,000 - rate): 10 ms at 700/s.
    "m/m/1": Truth(lambda dice, slower: Pool(1, 0.001 * slower, exponential=True, dice=dice), 4,
                   "rate < 900/s", "rate < 1100/s", "p95 under 10 ms", 600, 850, along=RATE, capacity=1_000),
    # A tenth of the arrivals meets a stall of 100 ms, half of these for longer than 50 ms.
    "stalls": Truth(lambda dice, slower: Stalling(Pool(8, 0.01 * slower, dice=dice), 1.0, 0.1), 8,
                    "p50 > 20 ms", "p95 > 20 ms", "p99.5 under 50 ms", None, 1, rate=200, capacity=720),
    # Of 200 a second, 100 get a token.
    "429": Truth(_refusing, 4, "errors > 60%", "errors > 40%", "p99 under 50 ms", None, 4, rate=200, capacity=100,
                 soak=Outcome.FAILED),
    "edge at the objective": Truth(_never_full, 4, "p99 > 50 ms", "p99 > 42 ms", "p99 under 50 ms", 4, None, rate=400),
    "leak": Truth(_pool, 4, "p50 > 12 ms", "p50 > 8 ms", "p95 under 45 ms", 16, 20, capacity=400, soak=Outcome.FAILED,
                  leaks=True),
    "errors": Truth(lambda dice, slower: Failing(_pool(dice, slower), 0.02, dice), 4,
                    "errors > 4%", "errors > 0.5%", "p99 under 500 ms", None, 1, soak=Outcome.FAILED),
    # With n - 1 calls before it, a call takes 5 ms and a twentieth more for each: 12 clients wait 93 ms, 13 wait 104.
    "collapse": Truth(lambda _, slower: Congested(0.005 * slower, 0.05), 4,
                      "rate < 150/s", "rate < 200/s", "p95 under 100 ms", 11, 14, capacity=200,
                      overload=Outcome.FAILED),
}  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """One run of a command on a server.

    Attributes:
        what: of the command, in a few words.
        right: the outcome that is true.
        conclude: runs it, with a seed.
    """

    what: str
    right: Outcome
    conclude: Callable[[int], Outcome]


def questions(name: str, command: str) -> Iterator[Asked]:
    """Ask what a command is asked about a server; nothing where the truth is not arithmetic."""
    truth = TRUTHS[name]
    if command == "load":
        yield Asked(truth.false, Outcome.PASSED, partial(_loaded, truth, truth.false))
        yield Asked(truth.true, Outcome.FAILED, partial(_loaded, truth, truth.true))
    elif command == "capacity":
        for need, right in ((truth.held, Outcome.PASSED), (truth.missed, Outcome.FAILED)):
            if need is not None:
                yield Asked(f"{truth.objective}, {need:g}", right, partial(_searched, truth, need))
    elif command == "overload" and truth.capacity:
        yield Asked(f"{TIMES:g} times", truth.overload, partial(_overloaded, truth, truth.capacity))
    elif command == "soak":
        yield Asked(f"{truth.clients} clients", truth.soak, partial(_soaked, truth))
    elif command == "compare":
        yield Asked("itself", Outcome.PASSED, partial(_compared, truth, 1.0))
        yield Asked("half as fast", Outcome.FAILED, partial(_compared, truth, 2.0))


def _dice(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - to be repeated


def _driven(truth: Truth, server: SimulatedServer, seconds: float, begin_s: float, dice: random.Random) -> Any:
    if truth.rate is None:
        return closed(server, truth.clients, seconds, begin_s=begin_s)
    return opened(server, poisson(truth.rate, seconds, dice), MOST_CALLS, seconds, begin_s=begin_s)


def _loaded(truth: Truth, condition: str, seed: int) -> Outcome:
    dice = _dice(seed)
    done = _driven(truth, truth.make(dice, 1.0), LOAD_S, 0.0, dice)
    (judged,) = evaluate([parse(condition)], done, window_of(done).per_s)
    return Outcome.FAILED if judged.failed else Outcome.UNDECIDED if judged.undecided else Outcome.PASSED


def _searched(truth: Truth, need: float, seed: int) -> Outcome:
    dice = _dice(seed)
    most = 1e6 if truth.along == RATE else 128.0
    request = CapacityRequest(truth.objective, truth.along, most=most, need=need)
    return searched(lambda: truth.make(dice, 1.0), request, seed).outcome


def _soaked(truth: Truth, seed: int) -> Outcome:
    leak = LEAK_BYTES if truth.leaks else 0.0
    return soak_outcome(Soaked(lambda dice: truth.make(dice, 1.0), leak_bytes=leak), _dice(seed), truth.clients)


def _compared(truth: Truth, slower: float, seed: int) -> Outcome:
    """Compare by turns, both on the same machine, whose speed differs from fork to fork."""
    dice = _dice(seed)
    values: tuple[list[float], list[float]] = ([], [])
    counts: list[tuple[list[int], list[int]]] = [([], []), ([], [])]
    for _ in range(FORKS):
        pace = dice.uniform(0.9, 1.1)
        for side, times in enumerate((1.0, slower)):
            done = closed(truth.make(dice, times * pace), truth.clients, FORK_S * times)
            values[side].append(window_of(done).per_s)
            counts[side][0].append(sum(done["errors"].values()))
            counts[side][1].append(done["calls"])
    failed = FailedCalls(*(CallCounts(*both) for both in counts))
    figures = ComparedFigures("c1", ("a/x", "a/y"), "GET", values, counts=failed)
    return together(one.outcome for one in metric_verdicts([figures], Rule(threshold=truth.threshold)))


def _overloaded(truth: Truth, capacity: float, seed: int) -> Outcome:
    return overload_outcome(truth.make(_dice(seed), 1.0), capacity)
