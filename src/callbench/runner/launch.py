"""From what a person asks for to a run under way: begun, resumed, and ended whatever happens."""

import json
import secrets
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from callbench.adapter import placement
from callbench.adapter.network import made
from callbench.catalog import catalogue, reach, select
from callbench.catalog.reach import LOOPBACK
from callbench.catalog.study import given, load
from callbench.model.cell import AS_IS, HELD, Cell, Stack
from callbench.model.errors import BadInput
from callbench.runner import environment, idle, knees, plan
from callbench.runner.bench import Bench
from callbench.runner.estimate import estimated
from callbench.runner.preview import Preview
from callbench.runner.progress import Progress
from callbench.runner.stopping import marking_the_end
from callbench.runner.unknown_calls import beyond
from callbench.store.head import RUN, folder, head, now
from callbench.store.run import Run
from callbench.store.writer import RunWriter

if TYPE_CHECKING:
    from callbench.catalog.study import Study


@dataclass(frozen=True)
class Wish:
    """What was asked for.

    Attributes:
        study: a name or a path.
        seed: of the order; None: a fresh one, recorded.
        forks: exactly so many of each condition; None: as the study has it, and more where there is time.
        objective: a latency whose knee is searched for in every group; None: only what the study asks for.
        out: the run folder; None: `runs/STUDY-TIME`.
        until: the half-width of its interval that ends a cell, as a share; None: the planned blocks end it.
        budget_s: the time to spend, in seconds; None: as long as it takes.
        pcap: whether to keep the captures of the wire ledger.
        floors: whether to measure what each channel takes without a message.
        link: what every cell lies over; None: what the study says.
        warm_up_s: after how many seconds every warm-up is to end; 0: there is none; None: as is usual.
    """

    study: str
    quick: bool = False
    select: Sequence[str] = ()
    settings: dict[str, str] = field(default_factory=dict)
    seed: int | None = None
    forks: int | None = None
    out: Path | None = None
    floors: bool = True
    confirm: bool = False
    hold_idle: bool = False
    objective: str | None = None
    until: float | None = None
    budget_s: float | None = None
    pcap: bool = False
    link: str | None = None
    warm_up_s: float | None = None


@dataclass(frozen=True)
class _Planned:
    """What a wish comes to.

    Attributes:
        without: why cells over a link are missing, or None.
    """

    study: "Study"
    made: plan.Plan
    seed: int
    without: str | None


def _planned(wish: Wish, known: catalogue.Catalogue) -> _Planned:
    """Plans a run without making anything.

    Raises:
        BadInput: something asked for is wrong.
    """
    selection = select.parse(wish.select)
    study = load(wish.study, wish.settings, link=wish.link)
    known = given.added(known, study.part.servers, study.path)
    stacks = {stack.id: stack for stack in known.every}
    cells = selection.apply(study.cells(known.every, wish.quick), stacks)
    wires = {name: study.links[name].wire for name in sorted({cell.link for cell in cells} - {LOOPBACK})}
    cells, without = _measurable(cells, stacks, wires)
    if not cells:
        raise BadInput(f"{wish.study} has no cells that can be measured here: {without or 'none are selected'}")
    seed = secrets.randbits(32) if wish.seed is None else wish.seed
    forks = study.forks(wish.quick) if wish.forks is None else wish.forks
    conditions, not_held = _conditions(wish, study)
    without = "; ".join(filter(None, (without, not_held))) or None
    return _Planned(study, plan.made(cells, known.every, forks, conditions, wires), seed, without)


def _conditions(wish: Wish, study: "Study") -> tuple[tuple[str, ...], str | None]:
    """The conditions of the machine's idle states, and why one of the study's is missing.

    Raises:
        BadInput: --hold-idle asks for what cannot be had.
    """
    if wish.hold_idle:
        with idle.held(wanted=True):
            return (HELD,), None
    wanted = tuple(study.idle)
    if HELD not in wanted:
        return wanted, None
    try:
        with idle.held(wanted=True):
            return wanted, None
    except BadInput as failure:
        return (AS_IS,), f"only the machine's own idle states are measured: {str(failure).removeprefix('--hold-idle ')}"


def preview(wish: Wish, known: catalogue.Catalogue) -> Preview:
    """Says what a run would measure and how long it would take. Nothing is made or started.

    Raises:
        BadInput: something asked for is wrong.
    """
    planned = _planned(wish, known)
    known = replace(given.of_plan(known, planned.made.stacks), warm_up_limit_s=wish.warm_up_s)
    why = {stack.id: stack.why_not for stack in known.every}
    made = planned.made
    measured: dict[str, int] = {}
    left_out: dict[str, list[str]] = {}
    for stack in made.stacks:
        if reason := why.get(stack.id):
            left_out.setdefault(reason, []).append(stack.id)
        else:
            measured[stack.id] = sum(cell.stack == stack.id for cell in made.cells)
    cannot = {stack for stack, reason in why.items() if reason}
    asked = _pace(wish, planned.study)
    left = estimated(made, known, asked, left_out=cannot, quick=wish.quick, floors=wish.floors)
    duration = beyond(made, int(asked["rounds"]), left_out=cannot).beside(left)
    place = (planned.study.title, made.forks, made.conditions, len(made.cells), measured, left_out, planned.without)
    return Preview(*place, left.seconds, left.limit_s, duration)


def _pace(wish: Wish, study: "Study") -> dict[str, Any]:
    """Rounds of a fork, seconds in all (None: no limit), and whether the forks are exactly as planned."""
    limit_s = study.minutes(wish.quick) * 60 if wish.budget_s is None else wish.budget_s
    exact = wish.forks is not None and wish.budget_s is None and wish.until is None
    return {"rounds": study.rounds(wish.quick), "limit_s": None if exact else limit_s, "exact": exact}


def begin(wish: Wish, known: catalogue.Catalogue) -> Path:
    """Makes the run folder with everything in it but measurements. Returns its path.

    Raises:
        BadInput: something asked for is wrong.
        CallbenchError: the folder cannot be made.
    """
    planned = _planned(wish, known)
    study, cells = planned.study, planned.made.cells
    out = folder(wish.out, study.name)
    info = {
        **head(RUN, study.title),
        "study": study.name,
        "seed": planned.seed,
        "quick": wish.quick,
        "blocks": planned.made.forks,
        **_pace(wish, study),
        "select": list(wish.select),
        "settings": dict(wish.settings),
        "floors": wish.floors,
        "confirm": wish.confirm,
        "idle": list(planned.made.conditions),
        "knees": knees.planned(study.part.knees, wish.objective, cells),
        "until": wish.until,
        "budget_s": wish.budget_s,
        "pcap": wish.pcap,
        "link": wish.link,
        "warm_up_s": wish.warm_up_s,
        "without": planned.without,
    }
    with RunWriter.create(out, info, _files(study, planned.made)):
        return out


def _measurable(
    cells: Sequence[Cell], stacks: Mapping[str, Stack], wires: Mapping[str, Mapping[str, Any]]
) -> tuple[list[Cell], str | None]:
    """The cells whose link can be made here, and why not the others'.

    Cells whose stack never leaves its host are kept: each is listed as left out, with why, unless there are no others.
    """
    whys_not = {link: made.why_not(wire) for link, wire in wires.items()}
    why = next((f"{link}: {why}" for link, why in whys_not.items() if why), None)
    kept = [cell for cell in cells if whys_not.get(cell.link) is None]
    whys = {reach.why_not_over(stacks[cell.stack], cell.link) for cell in kept}
    if kept and None not in whys:
        return [], min(str(one) for one in whys)
    return kept, why


def _files(study: "Study", planned: plan.Plan) -> dict[str, bytes]:
    files = {
        "study.toml": study.source,
        "plan.json": _json(planned.record()),
        "environment.json": _json(environment.record(placement.placed(), planned.wires)),
    }
    return files | ({"published.toml": study.published_source} if study.published_source is not None else {})


def go_on(path: Path, known: catalogue.Catalogue, *, resumed: bool) -> Run:
    """Measures what is left to measure of a run folder. Returns the run, finished.

    Raises:
        BadInput: the folder is no run's or damaged, or another program writes it.
        Stopped: a person stopped it.
        CallbenchError: it cannot be written, or nothing could be measured.
    """
    with RunWriter(path) as run:
        planned = plan.read(run.plan())
        known = replace(given.of_plan(known, planned.stacks), warm_up_limit_s=run.info.get("warm_up_s"))
        where = placement.placed()
        if resumed:
            run.append(
                {
                    "kind": "note",
                    "at": now(),
                    "text": "resumed",
                    "load": environment.busyness(),
                    "placement": where.record(),
                }
            )
        again = f"what was measured is kept. Go on with: {_command(path, run.info['study'])}"
        with marking_the_end(run, again, "stopped: the round under way was discarded"):
            Bench(run, planned, known, where, Progress()).run()
            run.info["load_at_end"] = environment.busyness()
        run.parquet()
    return run


def _command(path: Path, study: str) -> str:
    return shlex.join(["callbench", "run", study, "--out", str(path), "--resume"])


def _json(value: dict[str, Any]) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def to_resume(out: Path | None, study: str) -> Path:
    """The folder of a run to go on with.

    Raises:
        BadInput: none is named, it is no run folder, or another study's.
    """
    if out is None:
        raise BadInput("--resume needs --out, the folder of the run to continue")
    ran = Run(out).info["study"]
    if Path(study).stem != ran:
        raise BadInput(f"{out} is a run of the study {ran}, not of {study}")
    return out


def settings_of(texts: Sequence[str], option: str = "--set") -> dict[str, str]:
    """`NAME=VALUE` as a mapping.

    Raises:
        BadInput: a text has no `=`.
    """
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise BadInput(f"{option} {text}: give NAME=VALUE")
        pairs[name] = value
    return pairs


def values_of(texts: Sequence[str], option: str) -> dict[str, object]:
    """`NAME=VALUE` as a mapping, the values in JSON; what is none is a text.

    Raises:
        BadInput: a text has no `=`.
    """
    return {name: _value(text) for name, text in settings_of(texts, option).items()}


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text
