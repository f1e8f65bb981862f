"""Every command that measures, stopped or killed when it has begun: what it says, what it keeps, and what goes on."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import scarce_commands

from callbench.adapter.network.remote import keys
from callbench.runner.peer import jmeter
from callbench.store.record import Record
from conftest import eventually
from left_behind import MARK, marked
from loaded_program import Begin, Begun
from ports import free_ports

Program = Callable[..., subprocess.CompletedProcess[str]]
Began = Callable[[Path], bool]

NATIVE = "native/json+http"
SERVER = "python3 -m http.server {port} --bind 127.0.0.1"
HANGS = f"{sys.executable} -c 'import pathlib, time; pathlib.Path(\"begun\").touch(); time.sleep(600)'"
PEER = ("--start", SERVER, "--path", "/", "--clients", "2", "--seconds", "1", "--warm-up", "0")
NETWORK = Path("/sys/class/net")
STUDY = scarce_commands.STUDY.replace("rounds = 2", "rounds = 20") + "ledger = true\n"


def printed(text: str) -> Began:
    """The program has printed something."""
    return lambda folder: text in (folder / "said").read_text()


def has(lines: int, record: str = "record") -> Began:
    """A record has so many lines on disk."""

    def has_them(folder: Path) -> bool:
        journal = folder / record / "journal.jsonl"
        return journal.is_file() and journal.read_bytes().count(b"\n") >= lines

    return has_them


def has_rounds(rounds: int) -> Began:
    """A record has so many rounds on disk, so that there is a result to show."""

    def has_them(folder: Path) -> bool:
        journal = folder / "record" / "journal.jsonl"
        return journal.is_file() and journal.read_bytes().count(b'"kind":"round"') >= rounds

    return has_them


def has_started(program: bytes) -> Began:
    """A program of the engine runs."""

    def runs(_folder: Path) -> bool:
        return any(program in _words_of(pid) for pid in marked(os.environ[MARK]))

    return runs


def _words_of(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


@dataclass(frozen=True)
class Case:
    """A command, and when it is to be stopped.

    Attributes:
        words: without `--out`.
        began: whether it has begun, looking at its folder.
        says: a part of its result on stdout; "" if there is none yet.
        ends: a part of its last line on stderr.
        record: whether it leaves a record, in `record`.
        resumes: whether the same command with `--resume` goes on with it, and is short.
    """

    words: tuple[str, ...]
    began: Began
    says: str
    ends: str
    record: bool = True
    resumes: bool = False

    def whole(self) -> tuple[str, ...]:
        """The command with its folder."""
        return *self.words, *(("--out", "record") if self.record else ())


CASES = {
    "verify": Case(("verify", NATIVE, "-v"), printed("pass"), " checks of ", "the checks that are left", record=False),
    "import": Case(("import", "--command", HANGS), lambda at: (at / "begun").exists(), "", "no folder", record=False),
    "run": Case(("run", "study.toml", "--forks", "2"), has_rounds(2), "Hello", "--resume", resumes=True),
    "hosts start": Case(
        ("hosts", "start", "--keys", "keys"), printed("agents can connect"), "agents", "stopped", record=False
    ),
    "link try": Case(
        ("link", "try", "lan100", "--seconds", "50"), has_started(b"callbench-netlab"), "", "stopped", record=False
    ),
    "load": Case(("load", NATIVE, "--seconds", "3000"), has(2), "calls/s", "Stopped after"),
    "soak": Case(
        ("soak", NATIVE, "--clients", "1,2", "--seconds", "2", "--every", "0.2", "--rest", "0"),
        has(4), "clients", "--resume", resumes=True,
    ),
    "overload": Case(
        ("overload", NATIVE, "--capacity", "200", "--times", "2", "--seconds", "2", "--rest", "0"),
        has(4), "stopped", "--resume", resumes=True,
    ),
    "capacity": Case(("capacity", NATIVE, "--objective", "p99 under 500 ms"), has(4), "", "--resume"),
    "torture": Case(
        ("torture", NATIVE, "--test", "garbage,resets", "--seconds", "1"), has(3), "stopped", "--resume", resumes=True,
    ),
    "compare": Case(
        ("compare", NATIVE, "native/bin+tcp", "--seconds", "60", "--rounds", "600"), has(4), "rate: ", "shows it"
    ),
    "advise, its run": Case(("advise", "study.toml", "--no-tls"), has_rounds(2), "Hello", "` advises from it"),
    "advise, over a link": Case(
        ("advise", "study.toml", "--no-tls", "--budget", "60s", "--link", "2ms"),
        has(8, "record/held-back-1"), "Assumed", "measures it",
    ),
}  # fmt: skip
needs_jmeter = pytest.mark.skipif(jmeter.why_not() is not None, reason=str(jmeter.why_not()))
PEERS = Case(("peer", *PEER), printed("round 2 of"), "rate over Callbench's", "1 of 5 rounds", record=False)
OF_JMETER = [pytest.mark.jmeter, needs_jmeter]
# A kill of these: test_kills.py, test_compare.py and test_nothing_left.py.
ALREADY_KILLED = ("run", "compare", "load")
# Ctrl-C of the others: test_stopped_early.py; of `run`: test_kills.py.
ALSO_CTRL_C = ("hosts start", "link try", "verify", "import", "torture", "advise, its run")


def longer(case: Case, seconds: str = "60") -> Case:
    """The same for a minute: whoever stops it comes in time, however busy the machine is."""
    words = list(case.words)
    if "--seconds" in words:
        words[words.index("--seconds") + 1] = seconds
    return replace(case, words=tuple(words))


STOPS = [
    *(
        pytest.param(longer(case), signal.SIGTERM, 143, id=f"{name}, SIGTERM", marks=pytest.mark.core)
        for name, case in CASES.items()
    ),
    *(
        pytest.param(longer(CASES[name]), signal.SIGINT, 130, id=f"{name}, Ctrl-C", marks=pytest.mark.core)
        for name in ALSO_CTRL_C
    ),
    # SIGTERM: tests/peer/test_study.py.
    pytest.param(PEERS, signal.SIGINT, 130, id="peer, Ctrl-C", marks=OF_JMETER),
]
KILLS = [
    *(
        pytest.param(case, id=name, marks=pytest.mark.core)
        for name, case in CASES.items()
        if name not in ALREADY_KILLED
    ),
    pytest.param(PEERS, id="peer", marks=OF_JMETER),
]
pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("nothing_left", "nothing_else_left")]


@pytest.fixture
def nothing_else_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str) -> Iterator[None]:
    """Afterwards there is no temporary file and no network of the test's, either."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.delenv("CALLBENCH_ADAPTERS")
    before = set(NETWORK.iterdir())
    yield
    assert eventually(lambda: not marked(mark))
    assert eventually(lambda: not list(temporary.iterdir())), list(temporary.iterdir())
    assert eventually(lambda: set(NETWORK.iterdir()) <= before)


@contextmanager
def begun(case: Case, folder: Path, begin: Begin) -> Iterator[Begun]:
    """Start a command, and wait until it has begun. What it says goes to the files `said` and `complained`."""
    (folder / "study.toml").write_text(STUDY)
    if case.words[0] == "hosts":
        keys.create(folder / "keys", "127.0.0.1", ["alpha"], port=free_ports(), days=1)
    with (folder / "said").open("w") as said, (folder / "complained").open("w") as complained:
        running = begin(*case.whole(), stdout=said, stderr=complained)
    with running:
        assert eventually(lambda: running.poll() is not None or case.began(folder), 180)
        yield running


def killed(case: Case, folder: Path, begin: Begin) -> Case:
    """Kill a command that has begun. Where a busy machine comes too late, it begins anew and lasts longer."""
    for lasting in (case, longer(case, "10"), longer(case)):
        with begun(lasting, folder, begin) as running:
            running.kill()
            if running.wait() == -signal.SIGKILL:
                return lasting
        shutil.rmtree(folder / "record", ignore_errors=True)
    pytest.fail(f"it ended by itself: {(folder / 'complained').read_text()}")


@pytest.mark.parametrize(("case", "number", "code"), STOPS)
def test_who_stops_it_is_told_what_is_known(case: Case, tmp_path: Path, begin: Begin, number: int, code: int) -> None:
    with begun(case, tmp_path, begin) as running:
        assert running.poll() is None, (tmp_path / "complained").read_text()
        running.send_signal(number)
        assert running.wait(120) == code, (tmp_path / "complained").read_text()
    complaint = (tmp_path / "complained").read_text()
    assert "Traceback" not in complaint
    last = complaint.strip().splitlines()[-1]
    assert last.startswith("callbench: ")
    assert "topped" in last
    assert case.ends in last
    assert case.says in (tmp_path / "said").read_text()
    if case.record:
        measured = tmp_path / "record" / "held-back-1" if "--link" in case.words else tmp_path / "record"
        assert Record(measured).info["state"] == "stopped"


@pytest.mark.parametrize("case", KILLS)
def test_what_was_finished_survives_a_kill(
    case: Case, tmp_path: Path, mark: str, begin: Begin, callbench: Program
) -> None:
    case = killed(case, tmp_path, begin)
    assert eventually(lambda: not marked(mark)), "something outlived the core"
    if not case.record:
        return
    journal = tmp_path / "record" / "journal.jsonl"
    whole = journal.read_bytes()
    whole = whole[: whole.rfind(b"\n") + 1]
    assert case.began(tmp_path)
    shown = callbench("show", "record")
    assert shown.returncode in {0, 2}, shown.stderr
    assert (shown.stdout or shown.stderr).strip()
    if case.resumes:
        went_on = callbench(*case.words, "--out", "record", "--resume")
        assert went_on.returncode in {0, 1, 3}, went_on.stderr
        assert journal.read_bytes().startswith(whole)
        assert Record(tmp_path / "record").info["state"] == "finished"
