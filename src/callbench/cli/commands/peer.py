"""`callbench peer`."""

from pathlib import Path
from typing import Annotated

import typer

from callbench.cli.options import names
from callbench.cli.options.grouped import grouped
from callbench.cli.options.parameters import AsJson, Commit, Select, Settings, Undecided
from callbench.cli.options.server import SERVER, ServerOptions
from callbench.cli.outcome.output import known_stacks


@grouped
def command(  # noqa: PLR0913, PLR0917 - the options a person has
    server: ServerOptions,
    target: Annotated[
        str,
        typer.Argument(
            metavar=f"STUDY|{SERVER}",
            autocompletion=names.studies,
            show_default=False,
            help="Study, or one server: a stack, a server of --study, a URL, or a command with {port}.",
        ),
    ] = "",
    quick: Annotated[
        bool, typer.Option("--quick", help="Of a study: its quick cells, in fewer and shorter rounds.")
    ] = False,
    select: Select = None,
    settings: Settings = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Of a study: folder for the result. Default: runs/peer-STUDY-TIME."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the study in the folder of --out.")] = False,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Of a study: seed of its random order. Default: a new one.")
    ] = None,
    clients: Annotated[
        int | None,
        typer.Option("--clients", min=1, max=5000, help="Number of clients. Default: 50. A study has its own."),
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option(
            "--rounds",
            min=1,
            max=1000,
            help="Number of rounds; both drive once in each. Default: 5, or 3 with --quick.",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds", min=0.5, max=3600, help="Seconds of each side in a round. Default: 5; 10 for a whole study."
        ),
    ] = None,
    warm_up: Annotated[
        float | None,
        typer.Option(
            "--warm-up",
            min=0,
            max=3600,
            help="Seconds that JMeter warms up in a round. Default: 10, or 5 with --quick.",
        ),
    ] = None,
    delay: Annotated[
        int,
        typer.Option(
            "--delay-us", min=0, max=10_000_000, help="Microseconds that a stack's server waits in each call."
        ),
    ] = 0,
    undecided: Undecided = None,
    commit: Commit = None,
    as_json: AsJson = False,
) -> None:
    """Check the load driver against Apache JMeter.

    Both drive the same server in turn. A folder of --out prints its result again. Exit code 1: the two differ.
    """
    from callbench.analysis.peer import stored
    from callbench.cli.outcome import exit_code, peer_result
    from callbench.cli.recorded.command import Ending
    from callbench.cli.recorded.peer import PeerCommand
    from callbench.runner.machine import checkout
    from callbench.runner.peer import study
    from callbench.runner.run import launch

    exit_code.checked(undecided)
    of_study = {
        "--select": select,
        "--set": settings,
        "--out": out,
        "--seed": seed,
        "--quick": quick,
        "--resume": resume,
        "--commit": commit,
    }
    server_options = server.given()
    of_one = {"--clients": clients, "--start": server.start, "--study": server.study} | dict.fromkeys(
        server_options.options, 1
    )
    pace = {"rounds": rounds, "seconds": seconds, "warm_up_s": warm_up}
    known = known_stacks(quiet=as_json)
    ending = Ending(out, resume, undecided, as_json, commit=checkout.commit(commit))
    if target and stored.is_peer_record(Path(target)):
        peer_result.refuse(f"{target} is shown as it is", of_study | of_one | pace | {"--delay-us": delay})
        PeerCommand(study.PeerRequest(target), known, ending).tell(stored.read_result(stored.open_record(Path(target))))
        return
    if server.start or server.study or not study.is_study(target):
        target = server.one(target)
        peer_result.refuse(f"{target} is no study", of_study)
        given: dict[str, object] = {name: value for name, value in pace.items() if value is not None}
        if delay:
            given["options"] = {"delay_us": delay}
        peer_result.one(
            target, known, {**given, "clients": clients or 50, "server": server_options}, undecided, as_json=as_json
        )
        return
    peer_result.refuse("a study has its own clients and answers", of_one)
    if resume:
        peer_result.refuse(
            "a folder that is resumed has its own", pace | {"--delay-us": delay, "--select": select, "--seed": seed}
        )
    request = study.PeerRequest(
        study=target,
        quick=quick,
        select=select or [],
        settings=launch.settings_of(settings or []),
        rounds=rounds,
        seconds=seconds,
        warm_up_s=warm_up,
        delay_us=delay,
        seed=seed,
    )
    PeerCommand(request, known, ending).go()
