"""The command line of `callbench peer`: arguments to calls. No logic."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from callbench.catalog import catalogue
from callbench.cli.options import grouped
from callbench.cli.output import AsJson, Undecided, console, known_stacks, print_json
from callbench.cli.server import SERVER, SERVER_HELP, ServerOptions
from callbench.model.errors import BadInput
from callbench.runner import launch

_TARGET = f"STUDY|{SERVER}"

if TYPE_CHECKING:
    from callbench.runner.peer.kept import Found


def add_to(app: typer.Typer) -> None:
    """Gives the program its command."""
    app.command("peer")(peer)


@grouped
def peer(  # noqa: PLR0913, PLR0917 - the options a person has
    server: ServerOptions,
    target: Annotated[str, typer.Argument(metavar=_TARGET, help=f"a study, or {SERVER_HELP}", show_default=False)] = "",
    quick: Annotated[
        bool, typer.Option("--quick", help="of a study: its quick cells, fewer and shorter rounds")
    ] = False,
    select: Annotated[
        list[str] | None, typer.Option("--select", metavar="[KEY=]GLOB", help="of a study, as `run` has it")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="a parameter of the study")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="of a study: the folder")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="go on with the study in --out")] = False,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="of a study's random order")] = None,
    clients: Annotated[int | None, typer.Option("--clients", min=1, max=5000, help="50; a study has its own")] = None,
    rounds: Annotated[
        int | None, typer.Option("--rounds", min=1, max=1000, help="in each of which both drive once: 5; quick: 3")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", min=0.5, max=3600, help="of each side in a round: 5; a study: 10")
    ] = None,
    warm_up: Annotated[
        float | None, typer.Option("--warm-up", min=0, max=3600, help="of JMeter in a round: 10; quick: 5")
    ] = None,
    delay: Annotated[int, typer.Option("--delay-us", min=0, max=10_000_000, help="in each call of a stack")] = 0,
    undecided: Undecided = None,
    as_json: AsJson = False,
) -> None:
    """Drive a server, or a study's, with our load driver and with Apache JMeter in turn: do they say the same?"""
    from callbench.cli import exit_code  # noqa: PLC0415 - statistics are slow to load
    from callbench.runner.peer import kept, study  # noqa: PLC0415

    exit_code.checked(undecided)
    of_study = {
        "--select": select,
        "--set": settings,
        "--out": out,
        "--seed": seed,
        "--quick": quick,
        "--resume": resume,
    }
    asked = server.given()
    of_one = {"--clients": clients, "--start": server.start, "--study": server.study} | dict.fromkeys(asked.options, 1)
    pace = {"rounds": rounds, "seconds": seconds, "warm_up_s": warm_up}
    known = known_stacks(quiet=as_json)
    if target and kept.is_kept(Path(target)):
        _refuse(f"{target} is shown as it is", of_study | of_one | pace | {"--delay-us": delay})
        _show_study(kept.read(kept.opened(Path(target))), undecided, as_json=as_json)
        return
    if server.start or server.study or not study.is_study(target):
        target = server.one(target)
        _refuse(f"{target} is no study", of_study)
        given: dict[str, object] = {name: value for name, value in pace.items() if value is not None}
        if delay:
            given["options"] = {"delay_us": delay}
        _one(target, known, {**given, "clients": clients or 50, "server": asked}, undecided, as_json=as_json)
        return
    _refuse("a study has its own clients and answers", of_one)
    if resume:
        _refuse(
            "a folder that is resumed has its own", pace | {"--delay-us": delay, "--select": select, "--seed": seed}
        )
        path = study.to_resume(target, out)
    else:
        wish = study.Wish(
            target, quick, select or [], launch.settings_of(settings or []), rounds, seconds, warm_up, delay, seed, out
        )
        path = study.begun(wish, known)
    _show_study(kept.read(study.gone_on(path, target, known, quiet=as_json)), undecided, as_json=as_json)


def _refuse(why: str, options: Mapping[str, object]) -> None:
    given = [
        f"--{name.removeprefix('--').removesuffix('_s').replace('_', '-')}" for name, value in options.items() if value
    ]
    if given:
        raise BadInput(f"{why}: leave out {', '.join(given)}")


def _one(
    target: str, known: catalogue.Catalogue, asked: dict[str, object], undecided: str | None, *, as_json: bool
) -> None:
    from callbench.cli import exit_code  # noqa: PLC0415 - statistics are slow to load
    from callbench.report import peer as told  # noqa: PLC0415
    from callbench.runner.peer import rounds  # noqa: PLC0415

    wish = rounds.Wish(target, **asked)  # type: ignore[arg-type]
    found = rounds.held(
        wish,
        known,
        lambda number: None if as_json else print(told.line(number, wish), flush=True),  # noqa: T201
    )
    if as_json:
        print_json(told.record(found))
    else:
        told.show(found, console(200))
    exit_code.end(found.agreement.outcome, undecided)


def _show_study(found: "Found", undecided: str | None, *, as_json: bool) -> None:
    from callbench.cli import exit_code  # noqa: PLC0415 - statistics are slow to load
    from callbench.report import peer as told  # noqa: PLC0415

    if as_json:
        print_json(told.study_record(found))
    else:
        told.show_study(found, console(200))
        print(f"folder: {found.run.path}")  # noqa: T201
    exit_code.end(found.outcome, undecided)
