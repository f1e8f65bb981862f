"""Every command under a limit of memory, of processes and threads, and on a full disk: one sentence, and exit code 2.

A start a command and limit. Where a limit is no hindrance, the command does what it does.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from scarce_commands import COMMANDS, STUDY

from callbench.adapter.network.remote import keys
from callbench.cli.help.command_table import SECTIONS
from callbench.model import machine_limits
from callbench.model.installation import supervisor
from conftest import ROOT, command
from ports import free_ports

Program = Callable[..., subprocess.CompletedProcess[str]]

MIB = 1 << 20
# What a command ends with that could do its work.
DECIDED = {0, 1, 3}
# What has nothing to start, at most a thread of a library that does without.
STARTS_NOTHING = {
    "cache",
    "compare, stored",
    "exchange",
    "history",
    "hosts init",
    "list",
    "manual",
    "query",
    "setup",
    "show",
}
DRIVES = ("run", "load", "soak", "torture")
WRITES = (
    "import",
    "run",
    "compare",
    "report",
    "publish",
    "load",
    "capacity",
    "soak",
    "overload",
    "torture",
    "hosts init",
)
READS_MUCH = ("run", "compare, stored", "history", "publish", "soak")
RECORDED = {"run", "compare", "load", "capacity", "soak", "overload", "torture"}
# A user of its own, whose processes are counted apart, but who may read what is root's.
USER = 60_000 + os.getpid() % 5_000
MAY = "-all,+dac_override"
pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("nothing_left")]


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the commands are given."""
    folder = tmp_path_factory.mktemp("given")
    (folder / "study.toml").write_text(STUDY)
    (folder / "order.json").write_text('{"id": 1, "name": "x"}')
    for kind in ("load", "soak", "compare"):
        shutil.copytree(ROOT / "tests/records" / kind, folder / "runs" / kind)
    keys.create(folder / "keys", "127.0.0.1", ["alpha"], port=free_ports(), days=1)
    for empty in ("temporary", "full", "cache"):
        (folder / empty).mkdir()
    return folder


@pytest.fixture
def place(given: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that others can read, with a copy of it; afterwards no temporary file is left."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(shutil.copytree(given, name, dirs_exist_ok=True))
        folder.chmod(0o755)
        monkeypatch.setenv("TMPDIR", str(folder / "temporary"))
        monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        monkeypatch.delenv("CALLBENCH_ADAPTERS")
        yield folder
        assert not list((folder / "temporary").iterdir())


def ended(
    within: Path, name: str, before: Sequence[object] = (), out: str = "out", memory: int | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, under a limit."""
    words = [word.replace("OUT", out) for word in COMMANDS[name]]

    def limit() -> None:
        if memory is not None:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    argv = [*map(str, before), *command(*words)]
    return subprocess.run(
        argv, cwd=within, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200,
        preexec_fn=limit,
    )  # fmt: skip


def assert_one_sentence(what: subprocess.CompletedProcess[str], codes: set[int]) -> None:
    """It ended with one of the codes, and said in one sentence why where the machine refused something."""
    assert what.returncode in codes, (what.returncode, what.stderr)
    for word in ("Traceback", "panicked", "mistake in Callbench", "OpenBLAS", "Usage:"):
        assert word not in what.stderr
    if what.returncode != 2:
        return
    # Beside it there is only progress.
    *progress, sentence = what.stderr.strip().splitlines()
    assert sentence.startswith("callbench: ")
    assert any(remedy in sentence for remedy in ("raise", "make room", "name another folder")), sentence
    assert not any("callbench-" in line or "limit" in line for line in progress), progress


def test_every_command_is_here() -> None:
    names = {entry.name for section in SECTIONS for entry in section.entries}
    assert names == {words[0] for words in COMMANDS.values()}


@pytest.mark.parametrize("name", COMMANDS)
def test_little_memory_is_refused_before_libraries_end_the_program(place: Path, name: str) -> None:
    """From 270 to 600 MiB they crashed, hung, or ended it with the signal of Ctrl-C."""
    what = ended(place, name, memory=512 * MIB)
    assert_one_sentence(what, {2})
    assert len(what.stderr.strip().splitlines()) == 1
    assert not (place / "out").exists()


@pytest.mark.parametrize("name", READS_MUCH)
def test_what_is_asked_for_is_enough_but_for_charts(place: Path, name: str, callbench: Program) -> None:
    what = ended(place, name, memory=machine_limits.least_addresses())
    assert_one_sentence(what, {2, *DECIDED})
    if what.returncode == 2:
        assert "charts reserve" in what.stderr
    if name in RECORDED:
        # What was measured is told all the same, and is there.
        assert what.stdout.strip()
        callbench("show", place / "out", check=True)


needs_root = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None, reason="a user of its own, who has few threads, needs root"
)


def few_threads(number: int) -> list[object]:
    """The begin of a command line whose processes and threads are so many at most."""
    user = ["--reuid", USER, "--clear-groups", "--inh-caps", MAY, "--ambient-caps", MAY, "--bounding-set", MAY]
    return ["setpriv", *user, "prlimit", f"--nproc={number}"]


def give(folder: Path) -> None:
    """Let the user of its own have a folder; the test is skipped where it cannot have the program."""
    seen = f"import os, sys; sys.exit(not os.access({str(supervisor())!r}, os.X_OK))"
    if subprocess.run([*map(str, few_threads(1)), sys.executable, "-c", seen], check=False).returncode:
        pytest.skip("another user may not look into this checkout's folder")
    for path in (folder, *folder.rglob("*")):
        os.chown(path, USER, -1)


@needs_root
# `peer` starts Python, which may lie where only its owner looks.
@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "peer"])
def test_no_other_process_and_no_thread(place: Path, name: str) -> None:
    give(place)
    what = ended(place, name, few_threads(1))
    assert_one_sentence(what, DECIDED if name in STARTS_NOTHING else {2})


@needs_root
@pytest.mark.parametrize("name", DRIVES)
def test_few_processes_and_threads(place: Path, name: str) -> None:
    """`torture` printed the traceback of a thread that could not start another."""
    give(place)
    assert_one_sentence(ended(place, name, few_threads(6)), {2, *DECIDED})


@pytest.mark.parametrize("name", WRITES)
def test_a_full_disk(place: Path, name: str, callbench: Program) -> None:
    small = 'mount -t tmpfs -o size=24k none full && "$@"; code=$?; cp -r full/out kept 2>/dev/null; exit $code'
    before = ["unshare", "--mount", "sh", "-c", small, "sh"]
    if subprocess.run([*before, "true"], cwd=place, check=False, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    assert_one_sentence(ended(place, name, before, out="full/out"), {2, *DECIDED})
    if name in RECORDED and (place / "kept/journal.jsonl").is_file():
        shown = callbench("show", place / "kept")
        assert shown.returncode in {0, 2}, shown.stderr
        assert "mistake" not in shown.stderr
