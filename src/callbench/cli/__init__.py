"""The command line: arguments to calls, and what they return to the terminal. No logic.

`help/command_table.py` has the commands' names and purposes, `commands/` a module for each. Such a module imports at
its top only what its signature needs; its function imports what does the work, so that help, completion and the manual
page load nothing of it.
"""

import io
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from callbench.cli.help.group import CommandsByPurpose
from callbench.model import machine_limits, thread_failures
from callbench.model.errors import CallbenchError
from callbench.model.secrets import SECRETS
from callbench.model.version import VERSION

app = typer.Typer(
    cls=CommandsByPurpose,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"callbench {VERSION}")  # noqa: T201
        raise typer.Exit


@app.callback(
    epilog="`callbench COMMAND --help` describes a command with its options. `callbench manual | man -l -` shows all."
)
def callbench(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Measure remote calls: message formats over channels, on this machine and over emulated links."""


def main() -> NoReturn:
    """Runs the program. What goes wrong is one sentence on stderr."""
    try:
        _run()
    except CallbenchError as failure:
        _end(str(failure), failure.exit_code)
    except KeyboardInterrupt:
        _end("stopped", 130)
    except BrokenPipeError:
        # The reader of our output has ended, so there is nobody to write to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as failure:
        if os.environ.get("CALLBENCH_TRACEBACK"):
            raise
        _end_unexpectedly(failure)
    sys.exit(0)


def _end_unexpectedly(failure: BaseException) -> NoReturn:
    refused = machine_limits.machine_failure(failure)
    if refused is not None:
        _end(str(refused), refused.exit_code)
    what = " ".join(f"{type(failure).__name__}: {failure}".split())
    _end(f"this is a mistake in Callbench itself: {what} (CALLBENCH_TRACEBACK=1 shows where)", 70)


def write_whole() -> None:
    """Let a long text arrive whole in a pipe also where PYTHONUNBUFFERED is set.

    Python then hands a text to the kernel once, and drops what a stop in the middle of it (Ctrl-Z) left over.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(getattr(stream, "buffer", None), io.RawIOBase):
            end, words = stream.fileno(), {"encoding": stream.encoding, "errors": stream.errors}
            setattr(sys, name, open(end, "w", buffering=1, **words, closefd=False))  # noqa: SIM115 - as long as the program


def _run() -> None:
    write_whole()
    machine_limits.require_memory()
    machine_limits.use_one_thread_for_algebra()
    thread_failures.end_the_program()
    SECRETS.learn(sys.argv[1:])
    try:
        app(prog_name="callbench", standalone_mode=True)
    except CallbenchError as failure:
        if failure.record is not None:
            show_known(failure.record)
        raise


def show_known(record: Path) -> None:
    """Print what a record has so far, which its command did not come to; nothing if that is no result yet."""
    from callbench.cli.outcome.output import console, print_json
    from callbench.report import records

    with suppress(CallbenchError):
        if "--json" in sys.argv:
            print_json(records.as_record(record))
        else:
            records.end(record, console())


def _end(sentence: str, code: int) -> NoReturn:
    shown = SECRETS.masked_text(sentence)
    again = "; *** stands for a secret, which is to be given again" if shown != sentence else ""
    print(f"callbench: {shown}{again}", file=sys.stderr)  # noqa: T201
    sys.exit(code)
