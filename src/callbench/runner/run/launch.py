"""Plan, create, resume and end a run."""

import secrets
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from callbench.adapter import placement
from callbench.adapter.network import creation
from callbench.catalog import catalogue, reach, select
from callbench.catalog.lacking import LackingCells, lacking
from callbench.catalog.own.place import SERVICE
from callbench.catalog.reach import LOOPBACK, REAL
from callbench.catalog.study import load, own_servers
from callbench.catalog.study.chosen import chosen
from callbench.catalog.study.claimed_calls import with_claimed_calls
from callbench.catalog.study.loads import RunPart
from callbench.catalog.user_json import json_or_text
from callbench.model.cell import AS_IS, HELD, Cell, Stack
from callbench.model.errors import BadInput
from callbench.model.secrets import SECRETS
from callbench.runner.drive import knees
from callbench.runner.live.progress import Progress
from callbench.runner.machine import environment, idle_states, real_hosts
from callbench.runner.plan import own_service, plan
from callbench.runner.plan.estimate import estimate
from callbench.runner.plan.preview import Preview
from callbench.runner.plan.unknown_calls import unknown_time
from callbench.runner.run.execution import RunExecution
from callbench.runner.run.links import require_links
from callbench.stats.wire.link import Wires
from callbench.store.head import RUN, MeasuredCommit, as_file, folder, head, now, with_commit
from callbench.store.record import Record
from callbench.store.record_writer import RecordWriter
from callbench.store.requested.peer import RequestedPeer
from callbench.store.requested.run import RequestedRun, RunLength
from callbench.store.stopping import marking_the_end

if TYPE_CHECKING:
    from callbench.catalog.study import Study


@dataclass(frozen=True)
class RunRequest:
    """The options of a run.

    Attributes:
        study: a name or a path; or the study itself, which then says links, languages and stacks by itself.
        seed: of the random order; None: a new one, which is recorded.
        forks: exactly so many forks of each condition; None: as the study says, and more if there is time.
        objective: a latency objective whose knee is searched in every group; None: only the study's knees.
        out: the run folder; None: `runs/STUDY-TIME`.
        until: the interval half-width at which a cell is precise enough, as a share; None: the planned forks decide.
        budget_s: seconds to spend; None: no limit of its own.
        pcap: whether to keep the packet captures of the wire ledger.
        baselines: whether to measure the raw echo of each channel.
        link: the link of every cell; None: as the study says, or `real` if that has none between hosts.
        languages: of an imported service without a study of its own: the languages to measure besides Rust.
        stacks: likewise: the native stacks to measure; empty: the usual ones.
        warm_up_s: seconds after which every warm-up ends; 0: no warm-up; None: the usual limits.
        hosts: the hosts of the server and of the clients, for cells between hosts; None: as the study says.
        commit: of what is measured; None if it is not known.
    """

    study: "str | Study"
    quick: bool = False
    select: Sequence[str] = ()
    settings: dict[str, str] = field(default_factory=dict)
    seed: int | None = None
    forks: int | None = None
    out: Path | None = None
    baselines: bool = True
    confirm: bool = False
    hold_idle: bool = False
    objective: str | None = None
    until: float | None = None
    budget_s: float | None = None
    pcap: bool = False
    link: str | None = None
    languages: Sequence[str] = ()
    stacks: Sequence[str] = ()
    warm_up_s: float | None = None
    hosts: real_hosts.Names | None = None
    commit: MeasuredCommit | None = None


@dataclass(frozen=True)
class RunPlan:
    """The plan of a requested run.

    Attributes:
        request: the options, with those that the study gives.
        study: as it was read.
        plan: its stacks and cells.
        seed: of the random order.
        missing: why cells over a link are missing, or None.
        choices: what of the study's cells `--select` can choose.
        lacking: why cells of the study cannot run here.
    """

    request: RunRequest
    study: "Study"
    plan: plan.Plan
    seed: int
    missing: str | None
    choices: Mapping[str, Sequence[select.Selectable]]
    lacking: Sequence[LackingCells]


def plan_run(request: RunRequest, all_stacks: catalogue.Catalogue) -> RunPlan:
    """Plan a run. Nothing is created.

    Raises:
        BadInput: an option is wrong.
    """
    study, request = _study(request)
    selection = select.parse(request.select)
    if study.service is not None:
        all_stacks = own_service.for_service(all_stacks)
    all_stacks = own_servers.with_servers(all_stacks, study.part.servers, study.path)
    stacks = {stack.id: stack for stack in all_stacks.every}
    every = study.cells(all_stacks.every, request.quick)
    cells = selection.apply(every, stacks)
    links = sorted({cell.link for cell in cells} - {LOOPBACK})
    of_study = [stacks[name] for name in sorted({cell.stack for cell in every})]
    wires = {name: real_hosts.wire_of(name, study, request.hosts, of_study) for name in links}
    if not any(knee.along == "clients" for knee in study.part.knees):
        real_hosts.refuse_idle_hosts(wires, cells)
    cells = with_claimed_calls(cells, stacks, study, study.rounds(request.quick))
    cells, missing = _cells_with_links(cells, stacks, wires)
    if not cells:
        named = request.study if isinstance(request.study, str) else study.path
        raise BadInput(f"{named} has no cells that can be measured here: {missing or 'none are selected'}")
    seed = secrets.randbits(32) if request.seed is None else request.seed
    forks = study.forks(request.quick) if request.forks is None else request.forks
    conditions, why_not_held = _conditions(request, study)
    missing = "; ".join(filter(None, (missing, why_not_held))) or None
    planned = plan.make_plan(cells, all_stacks.every, forks, conditions, wires)
    return RunPlan(
        request,
        study,
        planned,
        seed,
        missing,
        choices=select.choices(every, stacks),
        lacking=lacking(every, all_stacks),
    )


def _study(request: RunRequest) -> tuple["Study", RunRequest]:
    """Return the study, and the options with those that it gives itself."""
    if not isinstance(request.study, str):
        return request.study, request
    # With hosts, a profile lies between them.
    request = replace(request, link=real_hosts.over(request.hosts, request.link))
    study = _loaded(request)
    own = study.part.run
    request = replace(
        request,
        select=request.select or own.select,
        quick=request.quick or own.quick,
        forks=own.forks if request.forks is None else request.forks,
    )
    link = request.link or real_hosts.over(request.hosts, own.link)
    if link is None and request.hosts is not None and not study.part.between_hosts:
        link = REAL
    if link != request.link:
        request = replace(request, link=link)
        study = _loaded(request)
    return study, request


def _loaded(request: RunRequest) -> "Study":
    return load(
        str(request.study), request.settings, link=request.link, languages=request.languages, stacks=request.stacks
    )


def _conditions(request: RunRequest, study: "Study") -> tuple[tuple[str, ...], str | None]:
    """Return the conditions of the processors' idle states, and why one that the study asks for is missing.

    Raises:
        BadInput: --hold-idle is not possible here.
    """
    if request.hold_idle:
        with idle_states.hold_idle_states(hold=True):
            return (HELD,), None
    hold = tuple(study.idle)
    if HELD not in hold:
        return hold, None
    try:
        with idle_states.hold_idle_states(hold=True):
            return hold, None
    except BadInput as failure:
        return (AS_IS,), f"only the machine's own idle states are measured: {str(failure).removeprefix('--hold-idle ')}"


def preview(request: RunRequest, all_stacks: catalogue.Catalogue) -> Preview:
    """Return what a run would measure and how long it would take. Nothing is created or started.

    Raises:
        BadInput: an option is wrong.
    """
    run_plan = plan_run(request, all_stacks)
    request = run_plan.request
    all_stacks = own_service.added(all_stacks, run_plan.study.service, run_plan.plan.stacks, compiled=False)
    all_stacks = replace(
        own_servers.with_plan_servers(all_stacks, run_plan.plan.stacks), warm_up_limit_s=request.warm_up_s
    )
    why = {stack.id: stack.why_not for stack in all_stacks.every}
    planned = run_plan.plan
    measured: dict[str, int] = {}
    left_out: dict[str, list[str]] = {}
    for stack in planned.stacks:
        over = {reach.why_not_measured(stack, cell) for cell in planned.cells if cell.stack == stack.id}
        reason = why.get(stack.id) or (None if None in over else min(map(str, over), default=None))
        if reason:
            why[stack.id] = reason
            left_out.setdefault(reason, []).append(stack.id)
        else:
            measured[stack.id] = sum(cell.stack == stack.id for cell in planned.cells)
    cannot = {stack for stack, reason in why.items() if reason}
    run_length = _run_length(request, run_plan.study)
    left = estimate(planned, all_stacks, run_length, left_out=cannot, quick=request.quick, baselines=request.baselines)
    duration = unknown_time(planned, run_length.rounds, left_out=cannot).describe(left)
    return Preview(
        title=run_plan.study.title,
        forks=planned.forks,
        conditions=planned.conditions,
        cells=len(planned.cells),
        measured=measured,
        left_out=left_out,
        without=run_plan.missing,
        seconds=left.seconds,
        limit_s=left.limit_s,
        duration=duration,
        parameters=run_plan.study.parameters,
        choices=run_plan.choices,
        lacking=run_plan.lacking,
        study_file=_study_file(run_plan),
    )


def _study_file(run_plan: RunPlan) -> str | None:
    """Return the file of the study with what was chosen; None of a service, whose study lies in its folder."""
    request, study = run_plan.request, run_plan.study
    if study.service is not None:
        return None
    return chosen(
        study, RunPart(select=list(request.select), quick=request.quick, link=request.link, forks=request.forks)
    )


def _run_length(request: RunRequest, study: "Study") -> RunLength:
    """Return how long the run may take."""
    limit_s = study.minutes(request.quick) * 60 if request.budget_s is None else request.budget_s
    exact = request.forks is not None and request.budget_s is None and request.until is None
    return RunLength(study.rounds(request.quick), None if exact else limit_s, exact)


def create_run(request: RunRequest, all_stacks: catalogue.Catalogue) -> Path:
    """Create the run folder, without measurements, and return its path.

    Raises:
        BadInput: an option is wrong.
        CallbenchError: the folder cannot be created.
    """
    run_plan = plan_run(request, all_stacks)
    request, study, cells = run_plan.request, run_plan.study, run_plan.plan.cells
    # A missing compiler is reported before there is a run folder.
    own_service.added(all_stacks, study.service, run_plan.plan.stacks)
    out = folder(request.out, study.name)
    length = _run_length(request, study)
    requested = RequestedRun(
        study=study.name,
        seed=run_plan.seed,
        quick=request.quick,
        forks=run_plan.plan.forks,
        rounds=length.rounds,
        limit_s=length.limit_s,
        exact=length.exact,
        select=tuple(request.select),
        settings=request.settings,
        baselines=request.baselines,
        confirm=request.confirm,
        idle=run_plan.plan.conditions,
        knees=knees.plan_searches(study.part.knees, request.objective, cells),
        until=request.until,
        budget_s=request.budget_s,
        pcap=request.pcap,
        link=request.link,
        warm_up_s=request.warm_up_s,
        without=run_plan.missing,
        service=None if study.service is None else str(study.service.absolute()),
    )
    info = with_commit(head(RUN, study.title, asdict(requested)), request.commit)
    with RecordWriter.create(out, info, _files(study, run_plan.plan)):
        return out


def _cells_with_links(
    cells: Sequence[Cell], stacks: Mapping[str, Stack], wires: Wires
) -> tuple[list[Cell], str | None]:
    """Return the cells whose link can be made here, and why the others' cannot.

    Cells of stacks without a network are kept: each is excluded later with its reason, unless there are no others.
    """
    whys_not = {link: creation.why_not(wire) for link, wire in wires.items()}
    why = next((f"{link}: {why}" for link, why in whys_not.items() if why), None)
    kept = [cell for cell in cells if whys_not.get(cell.link) is None]
    reasons = {reach.why_not_measured(stacks[cell.stack], cell) for cell in kept}
    if kept and None not in reasons:
        return [], min(str(reason) for reason in reasons)
    return kept, why


def _files(study: "Study", run_plan: plan.Plan) -> dict[str, bytes]:
    files = {
        "study.toml": study.source,
        "plan.json": as_file(run_plan.record()),
        "environment.json": as_file(environment.record(placement.choose_placement(), run_plan.wires)),
    }
    if study.service is not None:
        # What the calls are is part of the run: its study can be read only with them.
        files[SERVICE] = (study.service / SERVICE).read_bytes()
    return files | ({"published.toml": study.published_source} if study.published_source is not None else {})


def execute_run(path: Path, all_stacks: catalogue.Catalogue, *, resumed: bool) -> Record:
    """Measure what is left of a run folder. Return the finished run. One that is finished needs nothing, and no host.

    Raises:
        BadInput: it is not a run folder, it is damaged, or another program writes it.
        Stopped: the user stopped it.
        CallbenchError: the folder cannot be written, or nothing could be measured.
    """
    if resumed and (record := Record(path)).info["state"] == "finished":
        return record
    with RecordWriter(path) as run:
        requested = run.requested(RequestedRun)
        run_plan = plan.read(SECRETS.restored(run.plan(), str(path)))
        all_stacks = own_service.added(all_stacks, requested.service, run_plan.stacks)
        all_stacks = replace(
            own_servers.with_plan_servers(all_stacks, run_plan.stacks), warm_up_limit_s=requested.warm_up_s
        )
        where = placement.choose_placement()
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
        command = f"what was measured is kept. Continue with: {_resume_command(path, requested.study)}"
        with marking_the_end(run, command, "stopped: the round under way was discarded"):
            RunExecution(run, run_plan, all_stacks, where, Progress(run.path)).run()
            run.info["load_at_end"] = environment.busyness()
        run.parquet()
    return run


def _resume_command(path: Path, study: str) -> str:
    return shlex.join(["callbench", "run", study, "--out", str(path), "--resume"])


def folder_to_resume(
    out: Path | None, study: str, kind: type[RequestedRun] | type[RequestedPeer] = RequestedRun
) -> Path:
    """Return the folder to resume.

    Args:
        out: what `--out` says.
        study: the study, which has to be the folder's.
        kind: of the folder.

    Raises:
        BadInput: no folder is given, it is not one of this kind, it is of another study, or a link of it cannot be
            created now.
    """
    if out is None:
        raise BadInput("--resume needs --out, the folder of the run to continue")
    record = Record(out)
    if kind is RequestedRun:
        record.require_run()
    ran = record.requested(kind).study
    if Path(study).stem != ran:
        raise BadInput(f"{out} is a run of the study {ran}, not of {study}")
    if Path(study).is_file():
        # Its secrets are needed again, which the folder does not have.
        SECRETS.learn_study(Path(study).read_bytes())
    if kind is RequestedRun and record.info["state"] != "finished":
        require_links(plan.read(SECRETS.restored(record.plan(), str(out))), out)
    return out


def settings_of(texts: Sequence[str], option: str = "--set") -> dict[str, str]:
    """Parse `NAME=VALUE` texts into a mapping.

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
    """Parse `NAME=VALUE` texts into a mapping. Values are JSON; any other value is a text.

    Raises:
        BadInput: a text has no `=`, or a value is JSON that cannot be carried.
    """
    return {
        name: json_or_text(text, f"{option} {name}: the value") for name, text in settings_of(texts, option).items()
    }
