"""Runs a plan: block by block, visit by visit, each trial on disk before the next."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from callbench import codecs, links
from callbench.catalogue import Catalogue
from callbench.errors import AdapterFailure, BadInput
from callbench.estimate import estimated
from callbench.external.given import OF_STUDY
from callbench.external.spec import is_elsewhere
from callbench.floors import Floors, sizes
from callbench.knees import Knees
from callbench.measure import measured
from callbench.measure.neighbours import spoiled_by
from callbench.measure.processes import Processes
from callbench.measure.processor_time import ProcessorTime
from callbench.measure.steadiness import compiled
from callbench.measure.traffic import Traffic
from callbench.measure.witness import CANARY_SECONDS, QUICK_CANARY_SECONDS, GapDetector, canary
from callbench.placement import Placement
from callbench.plan import Plan, Trial, Visit
from callbench.progress import Progress
from callbench.run_writer import RunWriter, now
from callbench.schedules import Schedules
from callbench.slowdown import Slowdown, chosen, rates_of
from callbench.unknown_calls import beyond
from callbench.visit import AnsweredWrongly, OpenVisit
from callbench.wire import accounts

if TYPE_CHECKING:
    from callbench.measure.probe import Probe

# Who is killed once was killed by somebody; who dies twice at the same place dies of it.
_TRIES = 2
# Where a study asks for it: who dies now and then may live through one of so many.
_TRIES_RESTARTED = 6
_START = -1  # the place of a start among the numbers of trials
# Where a machine is never quiet, repeating helps nothing: one trial in so many, and a few to begin with.
_REPEATS_IN = 5
_FIRST_REPEATS = 3


@dataclass
class _Past:
    """What the journal has already.

    Attributes:
        cells: those that are excluded on their own.
        stacks: those that are excluded whole.
    """

    trials: set[int] = field(default_factory=set)
    cells: set[str] = field(default_factory=set)
    stacks: set[str] = field(default_factory=set)
    codecs: set[tuple[str, str]] = field(default_factory=set)
    accounts: set[str] = field(default_factory=set)
    floors: set[tuple[int, str, tuple[int, int]]] = field(default_factory=set)
    spoiled: set[int] = field(default_factory=set)
    canaries: set[tuple[int, str]] = field(default_factory=set)
    slowed: set[str] = field(default_factory=set)


class Bench:
    """A run under way."""

    def __init__(
        self, run: RunWriter, plan: Plan, catalogue: Catalogue, placement: Placement, progress: Progress
    ) -> None:
        """Takes up a run where its journal ends.

        Raises:
            BadInput: the journal is damaged.
        """
        self._run = run
        self._plan = plan
        self._catalogue = catalogue
        self._placement = placement
        self._progress = progress
        self._past = _past(run.lines())
        from callbench.precision.growth import Growth  # noqa: PLC0415 - statistics are slow to load

        self._growth = Growth(run, plan, progress)
        self._probes: Sequence[Probe] = ()
        self._quick = bool(run.info["quick"])
        self._stacks = {stack.id: stack for stack in plan.stacks}
        self._schedules = Schedules(run.path / "schedules", int(run.info["seed"]))
        self._knees = Knees(run, plan, catalogue, placement, self._schedules)

    def run(self) -> None:
        """Does what is left to do.

        Raises:
            CallbenchError: the run folder cannot be written.
        """
        self._leave_out_what_cannot_run()
        with self._progress, ExitStack() as owned:
            # The gap detector is nearest to the drive: begun last and ended first.
            self._probes = (
                Processes(),
                ProcessorTime(self._placement),
                Traffic(self._plan.wires),
                owned.enter_context(GapDetector(self._placement)),
            )
            self._foretell()
            self._progress.begins(self._plan, len(self._past.trials))
            self._accounts()
            self._codecs()
            with self._floors_of_run() as floors:
                for number, block in enumerate(self._growth.blocks()):
                    self._block(number, block, floors)
                    self._progress.block_ends(number)
            self._growth.play_off(self._catalogue, self._placement)
            self._slow_down()

    def _foretell(self) -> None:
        """Says how long what is left will take."""
        past = self._past
        known = past.accounts | past.cells
        floors = bool(self._run.info.get("floors", True))
        left = estimated(self._plan, self._catalogue, past.trials, known, past.stacks, quick=self._quick, floors=floors)
        if left.trials or left.accounts:
            self._progress.foretells(beyond(self._plan, past.trials, past.stacks).beside(left))

    def _block(self, number: int, block: Sequence[Visit], floors: "Floors") -> None:
        """Makes a block's visits, with the canary at its start, in its middle and at its end."""
        self._canary(number, "start")
        for place, visit in enumerate(block):
            if place and place == len(block) // 2:
                self._canary(number, "middle")
            self._progress.visits(visit)
            self._visit(visit)
            self._floor(visit, floors)
            if visit.stack not in self._past.stacks:
                for line in self._knees.beside(visit, self._stacks[visit.stack]):
                    self._run.append(line)
        self._canary(number, "end")

    def _canary(self, block: int, place: str) -> None:
        if (block, place) not in self._past.canaries:
            song = canary(self._placement, QUICK_CANARY_SECONDS if self._quick else CANARY_SECONDS)
            if song is not None:
                self._run.append({"kind": "canary", "block": block, "place": place, "started": now(), "canary": song})

    def _slow_down(self) -> None:
        """Makes each side of some cells slower, to see whether the rate follows."""
        info = self._run.info
        seed, every = int(info["seed"]), bool(info.get("confirm", False))
        rates, spent_s = rates_of(self._run.lines())
        slowdown = Slowdown(self._catalogue, self._placement, self._plan.wires, seed, quick=self._quick)
        for cell in chosen(self._plan, rates, seed, every=every, spent_s=spent_s):
            if cell.id not in self._past.slowed and cell.stack not in self._past.stacks:
                for line in slowdown.asked(cell, self._stacks[cell.stack], rates[cell.id]):
                    self._run.append(line)

    def _leave_out_what_cannot_run(self) -> None:
        known = {stack.id: stack for stack in self._catalogue.every}
        together: dict[str, list[str]] = {}
        for stack in self._plan.stacks:
            if stack.id not in self._past.stacks:
                there = known.get(stack.id)
                why = there.why_not if there else "no manifest has it any more"
                if why:
                    # A server that the study itself names is to be there; a stack may be another machine's.
                    self._note_excluded(stack.id, 0, why, failed=stack.server.startswith(f"{OF_STUDY}/"))
                    together.setdefault(why, []).append(stack.id)
        for why, stacks in together.items():
            self._progress.excluded(stacks, why)
        for cell in self._plan.cells:
            if cell.stack not in self._past.stacks and cell.id not in self._past.cells:
                why = links.why_not_over(self._stacks[cell.stack], cell.link)
                if why:
                    self._exclude(cell.stack, 0, why, cell.id, failed=False)

    def _accounts(self) -> None:
        """Counts what calls cost on the wire, before anything is timed: a trial has no capture beside it."""
        captures = self._run.path / "captures" if self._run.info.get("pcap") else None
        known = self._past.accounts | self._past.cells
        for line in accounts.made(
            self._plan, self._catalogue, self._placement, known, self._progress, captures=captures
        ):
            self._run.append(line)
            if line["kind"] == "excluded":
                self._past.cells.add(str(line["cell"]))

    def _codecs(self) -> None:
        for line in codecs.timed(
            self._plan, self._catalogue, self._placement, self._past.codecs, quick=self._run.info["quick"]
        ):
            self._run.append(line)

    def _floors_of_run(self) -> Floors:
        found = sizes(self._run.lines(), self._catalogue) if self._run.info.get("floors", True) else {}
        return Floors(self._catalogue, self._placement, found, self._past.floors, quick=self._run.info["quick"])

    def _floor(self, visit: Visit, floors: Floors) -> None:
        """Measures the floor under the cells of a visit, beside it, so that both saw the same machine."""
        cells = [trial.cell for trial in visit.trials if trial.number in self._past.trials]
        for line in floors.beside(visit, self._stacks[visit.stack], cells):
            self._run.append(line)

    def _visit(self, visit: Visit) -> None:
        """Measures a visit's cells, starting the stack anew where a side dies."""
        left = self._left(visit)
        fails: Counter[int] = Counter()
        while left and visit.stack not in self._past.stacks:
            self._open_and_measure(visit, left, fails)
            left = self._left(visit)
        self._progress.trials_passed(visit.trials[-1].number + 1)

    def _left(self, visit: Visit) -> list[Trial]:
        past = self._past
        return [trial for trial in visit.trials if trial.number not in past.trials and trial.cell.id not in past.cells]

    def _open_and_measure(self, visit: Visit, left: list[Trial], fails: Counter[int]) -> None:
        """Makes the link and starts the stack once, and measures until all is done or a side dies."""
        try:
            with links.made(visit.link, self._plan.wires) as hosts:
                self._open_on(hosts, visit, left, fails)
        except links.LinkFailure as failure:
            self._exclude_visit(visit, f"the link {visit.link} cannot be had: {failure}")

    def _open_on(self, hosts: links.Hosts, visit: Visit, left: list[Trial], fails: Counter[int]) -> None:
        stack = self._stacks[visit.stack]
        programs = self._catalogue.programs(stack)
        try:
            opened = OpenVisit(programs, stack, [trial.cell for trial in left], self._placement, hosts, cold=True)
        except AnsweredWrongly as wrong:
            self._exclude(stack.id, visit.block, str(wrong))
            return
        except AdapterFailure as failure:
            fails[_START] += 1
            if fails[_START] >= _TRIES or failure.kind not in ("died", "silent"):
                self._exclude_visit(visit, f"cannot be started: {failure}")
            else:
                self._run.note(f"{stack.id} is started again: {failure}")
            return
        with opened:
            place = {"block": visit.block, "visit": visit.number, "stack": stack.id, "link": visit.link}
            self._run.append({"kind": "visit", **place, **opened.record})
            for trial in left:
                if trial.cell.id in opened.cannot:
                    why, failed = opened.cannot[trial.cell.id], trial.cell.id not in opened.lacks
                    self._exclude(stack.id, visit.block, why, trial.cell.id, failed=failed)
                    continue
                try:
                    self._measure(visit, trial, opened)
                except AdapterFailure as failure:
                    self._failed(visit, trial, failure, fails, opened.sides.client.answered)
                    if opened.sides.broken:
                        opened.sides.close(at_once=True)
                        return

    def _measure(self, visit: Visit, trial: Trial, opened: OpenVisit) -> None:
        opened.connect(trial.cell)
        schedule = self._schedules.of(trial.cell, visit.block)
        line = self._line(visit, trial, measured(opened.sides, trial.cell, self._probes, schedule))
        if line["spoiled"] and self._may_repeat(trial):
            # Kept beside the one that is made instead, under a kind of its own: what counts trials counts each once.
            self._run.append({"kind": "spoiled", **line})
            self._past.spoiled.add(trial.number)
            line = self._line(visit, trial, measured(opened.sides, trial.cell, self._probes, schedule))
        self._run.append({"kind": "trial", **line, "repeated": trial.number in self._past.spoiled})
        self._past.trials.add(trial.number)
        self._progress.trial_ends(trial)

    def _line(self, visit: Visit, trial: Trial, result: Mapping[str, Any]) -> dict[str, Any]:
        place = {"block": visit.block, "visit": visit.number, "order": trial.order, "cell": trial.cell.id}
        stack = self._stacks[visit.stack]
        apart = not (stack.in_process or is_elsewhere(stack))
        on = self._placement.record() if apart else {"client": self._placement.client}
        spoiled = spoiled_by(result) or compiled(result)
        return {"trial": trial.number, **place, **result, "placement": on, "spoiled": spoiled}

    def _may_repeat(self, trial: Trial) -> bool:
        spoiled = self._past.spoiled
        allowed = _FIRST_REPEATS + len(self._past.trials) // _REPEATS_IN
        return trial.number not in spoiled and len(spoiled) < allowed

    def _failed(
        self, visit: Visit, trial: Trial, failure: AdapterFailure, fails: Counter[int], since_start: int
    ) -> None:
        """A side said no, or died: tried again, and then the cell is left out."""
        fails[trial.number] += 1
        died = failure.ending is not None
        tries = _TRIES_RESTARTED if died and trial.cell.restart else _TRIES
        again = fails[trial.number] < tries
        if died:
            place = {"block": visit.block, "visit": visit.number, "stack": visit.stack}
            of = {"trial": trial.number, "cell": trial.cell.id, "answered": failure.answered}
            how = {"how": failure.ending, "since_start": since_start, "again": again, "why": str(failure)}
            self._run.append({"kind": "death", **place, **of, **how})
        if again:
            self._run.note(f"trial {trial.number} ({visit.stack}, {trial.cell.call}) is made again: {failure}")
        else:
            self._exclude(visit.stack, visit.block, f"failed {fails[trial.number]} times: {failure}", trial.cell.id)

    def _exclude_visit(self, visit: Visit, why: str) -> None:
        """Leaves out what the visit would have measured; over a link only its cells: the stack may do over another."""
        if visit.link == links.LOOPBACK:
            self._exclude(visit.stack, visit.block, why)
            return
        for trial in self._left(visit):
            self._exclude(visit.stack, visit.block, f"over {visit.link}: {why}", trial.cell.id)

    def _exclude(self, stack: str, block: int, why: str, cell: str | None = None, *, failed: bool = True) -> None:
        self._note_excluded(stack, block, why, cell, failed=failed)
        self._progress.excluded([stack], why)

    def _note_excluded(self, stack: str, block: int, why: str, cell: str | None = None, *, failed: bool) -> None:
        """Keeps what is left out; `failed`: because it went wrong, not because it cannot be had here by its nature."""
        line = {"kind": "excluded", "stack": stack, "block": block, "cell": cell, "why": why, "failed": failed}
        self._run.append(line)
        if cell is None:
            self._past.stacks.add(stack)
        else:
            self._past.cells.add(cell)


def _past(lines: Iterable[dict[str, object]]) -> _Past:
    past = _Past()
    for line in lines:
        try:
            _note(past, line)
        except (KeyError, ValueError) as failure:
            raise BadInput(f"the run's journal is damaged: a line of kind {line['kind']} has no {failure}") from failure
    return past


def _note(past: _Past, line: Mapping[str, object]) -> None:
    match line["kind"]:
        case "trial":
            past.trials.add(int(str(line["trial"])))
        case "excluded" if line["cell"] is None:
            past.stacks.add(str(line["stack"]))
        case "excluded":
            past.cells.add(str(line["cell"]))
        case "ledger" | "sweep":
            past.accounts.add(str(line["cell"]))
        case "codec":
            past.codecs.add((str(line["stack"]), str(line["group"])))
        case "floor":
            pair = int(str(line["request_bytes"])), int(str(line["answer_bytes"]))
            past.floors.add((int(str(line["visit"])), json.dumps(line["options"], sort_keys=True), pair))
        case _:
            _note_beside(past, line)


def _note_beside(past: _Past, line: Mapping[str, object]) -> None:
    """What was measured beside the trials."""
    match line["kind"]:
        case "spoiled":
            past.spoiled.add(int(str(line["trial"])))
        case "slowdown":
            past.slowed.add(str(line["cell"]))
        case "canary":
            past.canaries.add((int(str(line["block"])), str(line["place"])))
        case _:
            pass
