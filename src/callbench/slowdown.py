"""Virtual slowdown: one side is made slower by a known amount, to see whether the rate follows.

The idea is Coz's (Curtsinger and Berger, "Coz: finding code that counts with causal profiling", SOSP 2015), turned
round: where a side is the limit, a call that keeps it busy 5 % longer lowers the rate by 4.8 %; where it is not,
nothing happens. Compared in slices of 20 ms in random order, all of them alive, so that drift meets both.
"""

import random
import time
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from typing import Any

from callbench import links
from callbench.catalogue import Catalogue
from callbench.cell import Cell, Stack
from callbench.errors import AdapterFailure
from callbench.measure.warm_up import LIMIT_SECONDS, warmed_up
from callbench.placement import Placement
from callbench.plan import Plan
from callbench.stats.rate import Window, window_of
from callbench.visit import AnsweredWrongly, OpenVisit

SHARE = 0.05
SLICE_SECONDS = 0.02
ROUNDS = 40
QUICK_ROUNDS = 15
MOST_SECONDS = 8.0
# By itself a run asks a few cells only, and takes a tenth of its trials' time for it at most.
SAMPLE = 3
TENTH = 0.1
ASKING_SECONDS = 5.0
Pair = tuple[int, int, int, int]


def chosen(plan: Plan, rates: Mapping[str, float], seed: int, *, every: bool, spent_s: float) -> list[Cell]:
    """The cells to be asked: all where a person wants it, else a few by lot, none in a short run.

    Args:
        plan: the run's.
        rates: calls a second by cell, of those that were measured.
        seed: of the lot.
        every: whether all are wanted.
        spent_s: what the run's trials took, in seconds.
    """
    # An open loop's rate is its schedule's, and a client that thinks sets its own: neither follows a side.
    able = [cell for cell in plan.cells if rates.get(cell.id) and not cell.load.open and not cell.load.think_ns]
    if every:
        return able
    affordable = int(TENTH * spent_s / ASKING_SECONDS)
    return random.Random(seed).sample(able, min(SAMPLE, affordable, len(able)))  # noqa: S311 - a lot to be repeated, not a secret


def rates_of(lines: Iterable[Mapping[str, Any]]) -> tuple[dict[str, float], float]:
    """Calls a second by cell, over all trials of a journal; and the seconds that all trials took."""
    windows: dict[str, Window] = {}
    spent_ns = 0
    for line in lines:
        if line["kind"] == "trial":
            cell, done = str(line["cell"]), line["done"]
            windows[cell] = windows.get(cell, Window(0.0, 0)) + window_of(done)
            spent_ns += done["elapsed_ns"]
    return {cell: window.per_s for cell, window in windows.items() if window.per_s}, spent_ns / 1e9


def burn_ns(rate: float, clients: int, processors: int) -> int:
    """How long each call must keep a side busy to take 5 % of what it can do.

    Between two answers lies 1 / rate; a side whose clients and processors allow it works on so many calls at once.
    """
    return max(1, round(SHARE * min(clients, max(1, processors)) / rate * 1e9))


class Slowdown:
    """Asks one cell after the other."""

    def __init__(
        self,
        catalogue: Catalogue,
        placement: Placement,
        wires: Mapping[str, Mapping[str, Any]],
        seed: int,
        *,
        quick: bool,
    ) -> None:
        """Takes what is needed to start stacks."""
        self._catalogue = catalogue
        self._wires = wires
        self._placement = placement
        self._dice = random.Random(seed + 1)  # noqa: S311 - an order to be repeated, not a secret
        self._rounds = QUICK_ROUNDS if quick else ROUNDS

    def asked(self, cell: Cell, stack: Stack, rate: float) -> list[dict[str, Any]]:
        """Makes each side slower in turn. Gives a journal line a side, or one that says why it could not be asked.

        Each element of `pairs` is calls and nanoseconds without, and calls and nanoseconds with the burn.
        """
        place = {"kind": "slowdown", "cell": cell.id, "stack": stack.id}
        client_ns = burn_ns(rate, cell.load.clients, len(self._placement.client))
        server_ns = burn_ns(rate, cell.load.clients, len(self._placement.server))
        spins = str(stack.card.get("waits", "")).startswith("spins")
        try:
            with links.made(cell.link, self._wires) as hosts, ExitStack() as alive:
                plain = self._opened(cell, stack, {}, hosts, alive)
                if "burn" not in plain.sides.features:
                    return [{**place, "burnt": None, "why": "the adapter cannot be slowed down (feature burn)"}]
                # Two servers that spin while they wait would slow each other down, by nothing that is known.
                both = not stack.in_process and not spins
                slow = self._opened(cell, stack, {"burn_us": server_ns / 1e3}, hosts, alive) if both else None
                pairs = self._slices(cell, plain, slow, client_ns)
        except (AdapterFailure, AnsweredWrongly, links.LinkFailure) as failure:
            return [{**place, "burnt": None, "why": f"failed: {failure}"}]
        burns = {"client": client_ns, "server": server_ns}
        return [
            {**place, "burnt": side, "burn_ns": burns[side], "share": SHARE, "pairs": found}
            for side, found in pairs.items()
        ]

    def _opened(
        self, cell: Cell, stack: Stack, options: Mapping[str, Any], hosts: links.Hosts, alive: ExitStack
    ) -> OpenVisit:
        programs = self._catalogue.programs(stack)
        opened = alive.enter_context(OpenVisit(programs, stack, [cell], self._placement, hosts, options=options))
        opened.connect(cell)
        warmed_up(opened.sides, cell)
        return opened

    def _slices(self, cell: Cell, plain: OpenVisit, slow: OpenVisit | None, client_ns: int) -> dict[str, list[Pair]]:
        """Drives all in turn, each round in random order."""
        turns = ["plain", "client"] + (["server"] if slow else [])
        pairs: dict[str, list[Pair]] = {side: [] for side in turns[1:]}
        last = time.monotonic() + MOST_SECONDS
        for _ in range(self._rounds):
            if time.monotonic() > last:
                break
            seen = {}
            for turn in self._dice.sample(turns, len(turns)):
                visit = slow if slow is not None and turn == "server" else plain
                seen[turn] = _driven(visit, cell, client_ns if turn == "client" else 0)
            for side, found in pairs.items():
                found.append((*seen["plain"], *seen[side]))
        return pairs


def _driven(visit: OpenVisit, cell: Cell, burn: int) -> tuple[int, int]:
    done = visit.sides.client.drive(
        cell.call,
        cell.arguments,
        calls=cell.load.clients,
        seconds=SLICE_SECONDS,
        limit_seconds=LIMIT_SECONDS,
        burn_ns=burn,
    )
    return done["calls"], done["elapsed_ns"]
