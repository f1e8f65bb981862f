"""`callbench advise`."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from callbench.cli.options import names
from callbench.cli.options.parameters import AsJson, Undecided
from callbench.model.errors import BadInput


def command(  # noqa: PLR0913, PLR0917 - the options a person has
    record: Annotated[
        str,
        typer.Argument(
            metavar="RUN|STUDY|SERVICE|FILE|FOLDER",
            help=(
                "Stored run, or what is measured first: a study, an imported service, a document or sample such as"
                " order.json, a folder of samples."
            ),
        ),
    ],
    situation: Annotated[
        Path | None,
        typer.Option(
            "--situation", metavar="FILE", help="Situation in a TOML file. Options replace its values. Default: none."
        ),
    ] = None,
    ask: Annotated[bool, typer.Option("--ask", help="Ask for the situation on the terminal.")] = False,
    answers_given: Annotated[
        list[str] | None,
        typer.Option(
            "--answer",
            metavar="[CALL=]FILE",
            help=(
                "File with an answer of a call in JSON, for a sample such as order.json that is a request alone. Can be"
                " repeated. Default: asked on a terminal, otherwise as large as the request."
            ),
        ),
    ] = None,
    links: Annotated[
        list[str] | None,
        typer.Option(
            "--link",
            metavar="LINK",
            autocompletion=names.links,
            help="Link of the calls: round trip and rate, or a name. Can be repeated. Default: 25ms,20mbit.",
        ),
    ] = None,
    today: Annotated[
        str | None, typer.Option("--today", metavar="STACK", help="Stack that runs today. Default: none.")
    ] = None,
    calls_per_second: Annotated[
        float | None,
        typer.Option("--calls-per-second", min=0, metavar="N", help="Calls per second. Default: not known."),
    ] = None,
    objective: Annotated[
        str | None,
        typer.Option(
            "--objective", metavar='"p99 under 50 ms"', help="Latency that every link must meet. Default: none."
        ),
    ] = None,
    languages: Annotated[
        list[str] | None,
        typer.Option(
            "--language",
            metavar="NAME",
            help="Language that must take part, and is measured. Can be repeated. Default: any.",
        ),
    ] = None,
    browsers: Annotated[bool, typer.Option("--browsers", help="Browsers must be able to make the calls.")] = False,
    others: Annotated[
        bool, typer.Option("--others", help="Programs of others must be able to make the calls.")
    ] = False,
    no_tls: Annotated[
        bool, typer.Option("--no-tls", help="Calls are not encrypted. Default: over TLS, unless --today is not.")
    ] = False,
    readable: Annotated[bool, typer.Option("--readable", help="People must be able to read the messages.")] = False,
    processor_hour: Annotated[
        float | None,
        typer.Option(
            "--processor-hour", min=0, metavar="PRICE", help="Price of one processor for an hour. Default: none."
        ),
    ] = None,
    gigabyte_out: Annotated[
        float | None,
        typer.Option(
            "--gigabyte-out", min=0, metavar="PRICE", help="Price of 10^9 bytes to the clients. Default: none."
        ),
    ] = None,
    currency: Annotated[
        str | None, typer.Option("--currency", metavar="NAME", help="Currency of the prices. Default: EUR.")
    ] = None,
    worth: Annotated[
        float | None,
        typer.Option(
            "--worth",
            min=0,
            metavar="PRICE",
            help="Least saving a month that a move is worth, in the currency of the prices. Default: 50.",
        ),
    ] = None,
    goal: Annotated[
        str | None,
        typer.Option(
            "--goal",
            metavar="time|money|processor|bytes",
            help="What is to be small. Default: money if there are prices, otherwise time.",
        ),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            "--budget",
            metavar="60s",
            help="Time for measuring calls over the links, and before it for a run, if there is none yet. Payloads of "
            "other sizes take no longer. Default: 60s, and 120s for the run.",
        ),
    ] = None,
    no_measure: Annotated[
        bool, typer.Option("--no-measure", help="Measure nothing: advise from what the run has.")
    ] = False,
    page: Annotated[
        Path | None,
        typer.Option(
            "--page",
            metavar="FILE",
            help="Write the page to this file, and no advice.json. Needs --no-measure. Default: both beside the run.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FOLDER",
            help="Folder for the run that is measured, its advice.json and its page. Default: runs/NAME-TIME.",
        ),
    ] = None,
    undecided: Undecided = None,
    as_json: AsJson = False,
) -> None:
    """Advise which stack to use in your situation, and why.

    Says what it would save and what that depends on. Writes advice.json and a page beside the run. Exit code 1: no
    stack meets the requirements; 3: it is undecided.
    """
    from callbench.analysis.advice.result import from_record
    from callbench.catalog.imports.given_answer import given_answer
    from callbench.catalog.situation import answers, file
    from callbench.cli.outcome import advice_result
    from callbench.cli.outcome.exit_code import checked, end
    from callbench.cli.outcome.output import known_stacks, say_who_measures
    from callbench.model import quantities
    from callbench.runner.advice import measuring, source
    from callbench.store.stopping import Stopped

    checked(undecided)
    document = file.read(situation) if situation is not None else {}
    document = answers.with_options(
        document, links=links, today=today, calls_per_second=calls_per_second, objective=objective, languages=languages,
        browsers=browsers, others=others, tls=False if no_tls else None, readable=readable,
        processor_hour=processor_hour, gigabyte_out=gigabyte_out,
        currency=currency, goal=goal, worth=worth,
    )  # fmt: skip
    if ask:
        document = answers.ask_questions(document, lambda text, default: typer.prompt(text, default=default, err=True))
    wanted = file.situation_of(document, str(situation) if situation is not None else "the situation")
    given_s = None if budget is None else quantities.seconds(budget, "--budget")
    run_s, links_s = given_s or source.BUDGET_S, given_s or measuring.BUDGET_S
    if no_measure and not source.is_record(record):
        raise BadInput(f"--no-measure needs a stored run, and {record} is none: leave the option out")
    if page is not None and not no_measure:
        raise BadInput(f"--page {page} needs --no-measure: what is measured is kept beside the run, with its page")
    given = [given_answer(answer) for answer in answers_given or ()]
    known = known_stacks(quiet=as_json)
    ask_person = None if as_json or not on_terminal() else _asked
    how = source.Measuring(known, wanted, _say, budget_s=run_s, out=out, answers=given, ask=ask_person)
    if not no_measure:
        say_who_measures()
    run = source.record_of(record, how)
    stopped: Stopped | None = None
    try:
        result = from_record(run, wanted) if no_measure else measuring.measured(run, wanted, known, links_s, _say)
    except Stopped as stop:
        # What was measured before it gives an advice, too.
        result, stopped = from_record(run, wanted), type(stop)(f"stopped; {_goes_on(run.path, situation)}")
    outcome = advice_result.show(result, wanted, for_programs=as_json, page_alone=page)
    if stopped is not None:
        raise stopped
    end(outcome, undecided)


def on_terminal() -> bool:
    """Whether a person can be asked: what is typed and what is said go to a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _goes_on(run: Path, situation: Path | None) -> str:
    named = [] if situation is None else ["--situation", str(situation)]
    again = shlex.join(["callbench", "advise", str(run), *named])
    return f"what is missing is predicted. `{again}`, with the same options, measures it"


def _asked(question: str) -> str:
    return str(typer.prompt(question, default="", show_default=False, err=True))


def _say(sentence: str) -> None:
    print(f"callbench: {sentence}", file=sys.stderr)  # noqa: T201
