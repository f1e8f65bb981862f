"""What the machine refuses ends a command with one sentence, what to do about it, and exit code 2."""

import errno
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import duckdb
import pytest

from callbench.adapter.process import AdapterProcess
from callbench.model import machine_limits
from callbench.model.errors import AdapterFailure, MachineFailure
from callbench.store.journal import Journal
from conftest import ROOT, command

LOAD = ("load", "honest/tcp", "--clients", "2", "--seconds", "0.5", "--out")


def in_small_folder(options: str, folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the program where a folder is a file system of its own; the test is skipped where none can be mounted."""
    mounted = ["unshare", "--mount", "sh", "-c", f'mount -t tmpfs -o {options} none "$0" && exec "$@"', str(folder)]
    if subprocess.run([*mounted, "true"], check=False, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    words = [*mounted, *command(*arguments)]
    return subprocess.run(words, check=False, capture_output=True, text=True, timeout=200)


def limited(limit: int, value: int, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the program under a limit."""
    return subprocess.run(
        command(*arguments),
        check=False,
        capture_output=True,
        text=True,
        timeout=200,
        preexec_fn=lambda: resource.setrlimit(limit, (value, value)),
    )


def assert_refused(ended: subprocess.CompletedProcess[str], *says: str) -> None:
    sentences = ended.stderr.strip().splitlines()
    assert ended.returncode == 2, ended.stderr
    assert len(sentences) == 1
    assert sentences[0].startswith("callbench: ")
    for part in says:
        assert part in sentences[0]


@pytest.mark.parametrize("size", ["12k", "16k"])
@pytest.mark.usefixtures("nothing_left")
def test_a_full_disk_is_no_failed_server(tmp_path: Path, size: str) -> None:
    ended = in_small_folder(f"size={size}", tmp_path, *LOAD, tmp_path / "load")
    assert_refused(ended, "No space left on device; make room", str(tmp_path / "load"))


@pytest.mark.usefixtures("nothing_left")
def test_neither_is_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    ended = in_small_folder("ro", tmp_path, *LOAD, tmp_path / "load")
    assert_refused(ended, f"cannot make the folder {tmp_path / 'load'}: Read-only file system; name another folder")


@pytest.mark.usefixtures("nothing_left")
def test_too_few_files(tmp_path: Path) -> None:
    ended = limited(resource.RLIMIT_NOFILE, 12, *LOAD, tmp_path / "load")
    assert_refused(ended, "Too many open files; raise the limit of open files (`ulimit -n`)")


def test_too_little_memory(tmp_path: Path) -> None:
    ended = limited(resource.RLIMIT_AS, 100 << 20, *LOAD, tmp_path / "load")
    assert_refused(ended, "memory is limited to 100 MiB", "raise the limit of memory (`ulimit -v`")


@pytest.mark.parametrize("gib", [8, 20])
def test_charts_under_a_limit_of_addresses_are_one_sentence(tmp_path: Path, gib: int) -> None:
    """The library that draws ended the program with SIGTRAP and forty lines of its own."""
    record = shutil.copytree(ROOT / "tests/records/soak", tmp_path / "soak")
    assert_refused(limited(resource.RLIMIT_AS, gib << 30, "report", record), "charts reserve", "ulimit -v")
    # What needs no picture draws none.
    shown = limited(resource.RLIMIT_AS, gib << 30, "show", record)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "soak of python3 server.py" in shown.stdout


@pytest.mark.parametrize(
    ("failure", "says"),
    [
        (MemoryError(), "there is no memory left; raise the limit of memory"),
        (RuntimeError("can't start new thread"), "raise the limit of processes and threads"),
        (OSError(errno.EAGAIN, "Resource temporarily unavailable"), "raise the limit of processes and threads"),
        (OSError(errno.ENOSPC, "No space left on device", "/data/x"), "/data/x: No space left on device; make room"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "make room"),
        (OSError(errno.EROFS, "Read-only file system"), "name another folder"),
        (OSError(errno.EACCES, "Permission denied", "/data"), "/data: Permission denied; name another folder"),
        (OSError(errno.EMFILE, "Too many open files"), "ulimit -n"),
        (OSError(errno.EFBIG, "File too large"), "ulimit -f"),
        (ImportError("x.so: failed to map segment from shared object"), "raise the limit of memory"),
        (duckdb.OutOfMemoryException("Out of Memory Error: 2 MB"), "raise the limit of memory"),
    ],
)
def test_each_error_has_a_remedy(failure: Exception, says: str) -> None:
    refused = machine_limits.machine_failure(failure)
    assert refused is not None
    assert refused.exit_code == 2
    assert says in str(refused)


@pytest.mark.parametrize(
    ("why", "lacks"),
    [
        ("cannot start a thread: Try again", True),
        ("OS can't spawn worker thread: Resource temporarily unavailable (os error 11)", True),
        ("as many namespaces exist as this kernel allows (No space left on device)", False),
    ],
)
def test_a_lack_of_threads_is_told_from_other_refusals(why: str, lacks: bool) -> None:
    assert machine_limits.lacks_threads(why) == lacks


@pytest.mark.parametrize("failure", [ValueError("no"), OSError(errno.ENOENT, "No such file"), KeyError("memory")])
def test_other_errors_are_left_to_others(failure: Exception) -> None:
    assert machine_limits.machine_failure(failure) is None


@pytest.mark.usefixtures("nothing_left")
def test_a_thread_that_cannot_be_started_leaves_no_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refused(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    with pytest.raises(MachineFailure, match="can't start new thread; raise the limit"):
        AdapterProcess("the client", [sys.executable, "-c", "input()"], tmp_path, ())


@pytest.mark.parametrize(
    ("last_words", "code"),
    [
        ("failed to spawn thread: Os { code: 11 }\\n" + "a trace\\n" * 9, 2),
        ("memory allocation of 99 bytes failed", 2),
        ("out of cheese", 1),
    ],
)
def test_a_program_that_was_refused_something_says_so(tmp_path: Path, last_words: str, code: int) -> None:
    process = AdapterProcess("it", [sys.executable, "-c", f"import sys; sys.exit('{last_words}')"], tmp_path, ())
    try:
        with pytest.raises(AdapterFailure) as caught:
            process.receive(time.monotonic() + 60, "hello")
        assert caught.value.exit_code == code
        assert ("raise the limit" in str(caught.value)) == (code == 2)
    finally:
        process.close(grace=0)


@pytest.mark.skipif(os.geteuid() != 0, reason="another user is needed, who has no other threads")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_rust_program_without_threads_ends_with_a_sentence_and_no_panic(threads: int) -> None:
    user = 60_000 + os.getpid() % 5_000

    def few_threads() -> None:
        os.setgid(user)
        os.setuid(user)
        resource.setrlimit(resource.RLIMIT_NPROC, (threads, threads))

    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        program = shutil.copy(ROOT / "engine" / "target" / "release" / "callbench-native", folder)
        ended = subprocess.run(
            [program], check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True, preexec_fn=few_threads
        )
    assert ended.returncode == 1
    (sentence,) = ended.stderr.strip().splitlines()
    assert "panicked" not in sentence
    assert "ulimit -u" in machine_limits.remedied(sentence)


def test_a_journal_on_a_full_disk_keeps_its_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    journal.append({"kind": "note", "text": "kept"})
    before = (tmp_path / "journal.jsonl").read_bytes()

    def full(_fd: int, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.write", full)
    with pytest.raises(MachineFailure, match="No space left on device; make room"):
        journal.append({"kind": "note", "text": "lost"})
    assert (tmp_path / "journal.jsonl").read_bytes() == before
    journal.close()


@pytest.mark.parametrize(
    ("raised", "code", "says"),
    [
        ('RuntimeError("can\'t start new thread")', 2, "can't start new thread; raise the limit of processes"),
        ("KeyError('x')", 70, "this is a mistake in Callbench itself: KeyError: 'x'"),
    ],
)
def test_a_thread_of_the_program_that_fails_ends_it_with_its_sentence(raised: str, code: int, says: str) -> None:
    """It printed a traceback, and the program went on without what the thread was for."""
    program = f"""
import sys, threading, time
from callbench import cli
from callbench.cli.commands import manual
def fail():
    raise {raised}
def command():
    threading.Thread(target=fail).start()
    time.sleep(600)
manual.command = command
sys.argv = ["callbench", "manual"]
cli.main()
"""
    ended = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=200)
    assert ended.returncode == code
    (sentence,) = ended.stderr.splitlines()
    assert sentence.startswith(f"callbench: {says}")


def test_what_is_set_up_for_our_libraries_is_not_handed_on(tmp_path: Path) -> None:
    """A server of a user's own may compute with the same library, on all processors."""
    program = f"""
import os, subprocess, time
from pathlib import Path
from callbench.adapter.process import AdapterProcess
from callbench.model import machine_limits
machine_limits.use_one_thread_for_algebra()
print(subprocess.run(["sh", "-c", "echo $OPENBLAS_NUM_THREADS"], capture_output=True, text=True).stdout.strip())
words = ["sh", "-c", "echo =$OPENBLAS_NUM_THREADS= > seen; read line"]
started = AdapterProcess("the server", words, Path({str(tmp_path)!r}), ())
while not (os.path.exists("seen") and open("seen").read().endswith("\\n")):
    time.sleep(0.02)
started.close()
print(open("seen").read().strip())
"""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    ended = subprocess.run(
        [sys.executable, "-c", program], check=True, cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert ended.stdout.split() == ["1", "=="]
