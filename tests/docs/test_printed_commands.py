"""What is printed is true: every command of the documentation and of the program's own sentences is one that works."""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import printed
import pytest
import typer

from callbench import cli
from callbench.model.errors import BadInput
from conftest import ROOT
from report import synthetic

Program = Callable[..., subprocess.CompletedProcess[str]]
TABLE = tomllib.loads(Path(__file__).with_name("printed_commands.toml").read_text())
COMMANDS = printed.commands()
CALLBENCH = {text: files for text, files in COMMANDS.items() if text.startswith("callbench ")}
OTHERS = [text for text in COMMANDS if text not in CALLBENCH]
# `callbench soak`, where a sentence speaks of the command; what is filled in later stands for a whole one.
BARE = {text for text in CALLBENCH if re.fullmatch(r"callbench ([a-z]+|\{\}|COMMAND --help)", text)}
BARE -= {"callbench doctor"}
# `callbench link try LINK [--json]`: the form of a command.
FORMS = {text for text in CALLBENCH if "[" in text}
WHOLE = sorted(CALLBENCH.keys() - BARE - FORMS)
# A run is planned to its last cell; what is made of it is made in the tests of runs.
PLANNED = [text for text in WHOLE if text.startswith("callbench run ") and "--resume" not in text]
NAMES = {"STUDY": "remobjects", "NAME": "remobjects", "ADAPTER/STACK": "native/soap+tcp"}
SERVER = ROOT / "tests" / "external" / "greeting" / "server.py"
GROUP: Any = typer.main.get_command(cli.app)


def parsed(words: list[str]) -> Any:
    """Return the program's context for these words; fail with a usage error if it refuses them."""
    group, whole = GROUP, GROUP.make_context("callbench", list(words), resilient_parsing=True)
    rest = list(words)
    while hasattr(group, "commands"):
        assert rest, words
        assert rest[0] in group.commands, f"there is no command {rest[0]}"
        group, rest = group.commands[rest[0]], rest[1:]
    return group.make_context(group.name, rest, parent=whole)


def options(name: str) -> set[str]:
    group = GROUP
    for part in name.split():
        group = group.commands[part]
    return {text for parameter in group.params for text in (*parameter.opts, *parameter.secondary_opts)}


def test_each_command_is_in_the_table_and_nothing_else() -> None:
    """A new command needs a line in the table; a line whose command is printed no longer goes."""
    listed = [*TABLE["run"], *(text for group in TABLE["covered"] for text in group["commands"])]
    assert len(listed) == len(set(listed)), "twice"
    missing = set(WHOLE) - set(listed) - set(PLANNED)
    assert not missing, {text: CALLBENCH[text] for text in missing}
    assert not set(listed) - set(CALLBENCH)


@pytest.mark.parametrize("covered", [group["by"] for group in TABLE["covered"]])
def test_what_covers_a_command_is_there(covered: str) -> None:
    file, _, name = covered.partition("::")
    assert not name or f"def {name}(" in (ROOT / file).read_text()
    assert (ROOT / file).is_file()


@pytest.mark.parametrize("command", WHOLE)
def test_the_program_takes_it(command: str) -> None:
    parsed(printed.words(command))


def test_each_name_is_a_command() -> None:
    for text in BARE - {"callbench {}", "callbench COMMAND --help"}:
        assert text.split()[1] in GROUP.commands, text


def test_each_option_of_a_form_is_one() -> None:
    reference = (ROOT / "docs" / "reference" / "command-line.md").read_text()
    rows = re.findall(r"^\| `((?:link )?[a-z]+) ([^`]*)`", reference, re.MULTILINE)
    assert len(rows) > 10
    forms = [(text.split()[1] if "link" not in text else "link try", text) for text in FORMS if "list" not in text]
    for name, text in (*rows, *forms):
        command = "link try" if name.startswith("link") else name
        known = options(command) if command in GROUP.commands or command == "link try" else set()
        for option in re.findall(r"(?<![\w-])--?[a-zA-Z][a-z0-9-]*", text.replace("\\|", " ")):
            assert not known or option in known, f"{name}: {option}"


@pytest.mark.parametrize("command", OTHERS)
def test_each_target_and_each_script_is_there(command: str) -> None:
    """They install and build what these tests need; nothing is built again for this."""
    program, *rest = command.split()
    if program == "make":
        argv = ["/usr/bin/env", "make", "-n", "-C", str(ROOT), *rest]
        subprocess.run(argv, capture_output=True, check=True, timeout=60)
        return
    assert os.access(ROOT / program, os.X_OK)
    for part in rest if program == "bench/run" else ():
        if part.islower() and part.isidentifier():
            known = (ROOT / "bench" / f"{part}.py", ROOT / "bench" / part / "run.py")
            assert any(file.is_file() for file in known) or part in ("harness", "codecs"), part


# What a person makes first: a study of theirs, the folder of a service of theirs (tests/own), and hosts (tests/hosts).
MADE_FIRST = ("mine.toml", "callbench run orders", "--hosts alpha,beta", "--hosts ssh:")


@pytest.mark.parametrize("command", [text for text in PLANNED if not any(made in text for made in MADE_FIRST)])
def test_each_run_can_be_planned(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command with --dry-run: every cell is written out and foretold, nothing is measured."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CALLBENCH_ADAPTERS")
    words = [NAMES.get(word, word) for word in printed.words(command)]
    if "--dry-run" not in words:
        words.append("--dry-run")
    try:
        cli.app(words, standalone_mode=False)
    except BadInput as failure:
        # Of a machine that has not all of it: the sentence says what would bring it.
        if "can be measured here" not in str(failure):
            raise
        pytest.skip(str(failure))
    assert ('"cells":' if "--json" in words else " cells") in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the commands find where they are run: a server, a run, and the program by its name."""
    monkeypatch.delenv("CALLBENCH_ADAPTERS")
    # As the guides have it, it answers a text.
    (tmp_path / "server.py").write_text(SERVER.read_text().replace('{"result":["Hello World!"]}', "Hello World"))
    synthetic.write(tmp_path / "runs" / "run", only=("native/soap+supertcp", "native/json+supertcp"))
    starter = tmp_path / "bin" / "callbench"
    starter.parent.mkdir()
    # What `./callbench` ends with, once all is set up.
    starter.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m callbench "$@"\n')
    starter.chmod(0o755)
    monkeypatch.setenv("PATH", f"{starter.parent}:{os.environ['PATH']}")


# Longer than ten seconds: they drive something.
DRIVING = ("callbench run ", "callbench verify ", "callbench load ")
# On a busy machine nothing of a run may ever be decided, and it would go on for the minutes that the study gives it.
LIMITS = {"run": ("--budget", "30s"), "load": ("--seconds", "1")}


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left", "beside")
@pytest.mark.parametrize(
    "command",
    [pytest.param(text, id=text, marks=[pytest.mark.slow] * text.startswith(DRIVING)) for text in TABLE["run"]],
)
def test_what_takes_little_time_is_run_as_it_is_printed(command: str, tmp_path: Path, callbench: Program) -> None:
    text = command.replace("RUN", "runs/run")
    if "|" in text:
        argv = ["/usr/bin/env", "bash", "-o", "pipefail", "-c", text]
        ended = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, timeout=380, check=False)
    else:
        words = printed.words(text)
        ended = callbench(*words, *LIMITS.get(words[0], ()), timeout=380)
    assert ended.returncode == 0, f"{ended.stderr}\n{ended.stdout}"
    assert ended.stdout
    assert "Traceback" not in ended.stderr
