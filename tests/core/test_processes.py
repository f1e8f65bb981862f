"""Processes watched from outside: what /proc says, what a sampler keeps, how a process ended."""

import os
import signal
import threading
from pathlib import Path

import pytest

from callbench.adapter.watch.process_reading import namespace_id, read_full, read_light, threads_of
from callbench.adapter.watch.sampler import Sampler, SideSamples
from callbench.model import process_end
from callbench.model.process_readings import FullReading

STATUS = "Name:\ta\nNSpid:\t{tid}\t{own}\nvoluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t2\n"
# Fields 3 to 24 of proc_pid_stat(5): state, parent, ..., faults (10 to 13), times (14 to 17), threads (20), pages (24).
STAT = "{pid} ({name}) S 1 1 1 0 -1 0 100 10 3 1 20 10 5 4 20 0 {threads} 0 0 0 {pages} 0 0\n"


def process(
    proc: Path, pid: int, own: int, pages: int, tids: list[int], *, rollup: bool = True, name: str = "a) b)"
) -> None:
    """One process of a /proc that is not there."""
    folder = proc / str(pid)
    (folder / "fd").mkdir(parents=True)
    for number in ("0", "1", "2"):
        (folder / "fd" / number).touch()
    (folder / "stat").write_text(STAT.format(pid=pid, name=name, threads=len(tids), pages=pages))
    if rollup:
        (folder / "smaps_rollup").write_text(
            "0-1 ---p\nRss: 400 kB\nPss: 300 kB\nPrivate_Clean: 20 kB\nPrivate_Dirty: 180 kB\n"
        )
    for place, tid in enumerate(tids):
        (folder / "task" / str(tid)).mkdir(parents=True)
        (folder / "task" / str(tid) / "status").write_text(STATUS.format(tid=tid, own=own + place))


def test_the_processes_of_a_side_are_added_up_and_the_dead_count_for_nothing(tmp_path: Path) -> None:
    process(tmp_path, 50, 2, pages=10, tids=[50, 51])
    process(tmp_path, 60, 9, pages=30, tids=[60])
    page = os.sysconf("SC_PAGE_SIZE")
    seen = read_light([50, 60, 99], tmp_path)
    assert (seen.processes, seen.threads, seen.resident_bytes) == (2, 3, 40 * page)
    assert (seen.user_ms, seen.system_ms, seen.minor_faults, seen.major_faults) == (500, 280, 220, 8)
    everything = read_full([50, 60, 99], tmp_path)
    kib = 1024
    assert (everything.resident_bytes, everything.proportional_bytes) == (800 * kib, 600 * kib)
    assert (everything.unique_bytes, everything.files) == (400 * kib, 6)
    assert (everything.voluntary, everything.involuntary) == (21, 6)
    assert namespace_id(50, 51, tmp_path) == 3
    assert threads_of([50, 60, 99], tmp_path) == {50: 50, 51: 50, 60: 60}


def test_of_a_host_only_the_processor_time_is_the_side_s(tmp_path: Path) -> None:
    process(tmp_path, 50, 2, pages=10, tids=[50, 51], name="callbench-host")
    process(tmp_path, 60, 9, pages=30, tids=[60])
    quick = read_light([50, 60], tmp_path)
    assert (quick.processes, quick.threads, quick.resident_bytes) == (1, 1, 30 * os.sysconf("SC_PAGE_SIZE"))
    assert (quick.user_ms, quick.system_ms) == (500, 280)
    everything = read_full([50, 60], tmp_path)
    assert (everything.resident_bytes, everything.unique_bytes, everything.files) == (400 << 10, 200 << 10, 3)


def test_what_the_kernel_does_not_tell_is_none(tmp_path: Path) -> None:
    process(tmp_path, 50, 2, pages=10, tids=[50], rollup=False)
    found = read_full([50], tmp_path)
    assert found.resident_bytes == 10 * os.sysconf("SC_PAGE_SIZE")
    assert (found.unique_bytes, found.proportional_bytes) == (None, None)
    assert read_full([], tmp_path) == FullReading()


def test_threads_that_were_not_sampled_are_in_the_numbers() -> None:
    track = SideSamples(made=2, ended=1, before_id=10, last_id=25)
    assert (track.threads_made, track.threads_ended) == (15, 14)
    unknown = SideSamples(made=2, ended=1)
    assert (unknown.threads_made, unknown.threads_ended) == (2, 1)


def test_processes_that_join_and_leave_are_counted_from_the_first_sample_on() -> None:
    track = SideSamples()
    track.set_processes([1, 2])
    track.add_sample(0)
    track.set_processes([2, 3, 4])
    assert (track.processes_made, track.processes_ended, track.pids) == (2, 1, (2, 3, 4))


def test_a_sampler_sees_a_thread_come() -> None:
    sampler = Sampler(lambda: {"both": [os.getpid()]}, period_s=3600)
    done = threading.Event()
    waiting = threading.Thread(target=done.wait)
    waiting.start()
    sampler.stop()
    done.set()
    waiting.join()
    track = sampler.tracks["both"]
    assert track.threads_made >= 1
    assert [at for at, _ in track.samples] == sorted(at for at, _ in track.samples)
    assert all(sample.resident_bytes > 0 and sample.threads >= 1 for _, sample in track.samples)


def test_a_sampler_keeps_no_more_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("callbench.adapter.watch.sampler.MOST", 10)
    sampler = Sampler(lambda: {"both": [os.getpid()]}, period_s=3600)
    for _ in range(100):
        sampler.sample()
    sampler.stop()
    samples = sampler.tracks["both"].samples
    assert 2 <= len(samples) < 10
    assert samples[0][0] <= samples[-1][0]


QUIET = {"machine": 3, "cgroup": 0}


@pytest.mark.parametrize(
    ("code", "log", "after", "how"),
    [
        (-signal.SIGKILL, [], {"machine": 4, "cgroup": 0}, "out-of-memory"),
        (128 + signal.SIGKILL, [], {"machine": 3, "cgroup": 1}, "out-of-memory"),
        (128 + signal.SIGKILL, ["MemoryError"], QUIET, "killed"),
        (-signal.SIGTERM, [], {"machine": 4, "cgroup": 0}, "killed"),
        (128 + signal.SIGSEGV, [], QUIET, "crash"),
        (-signal.SIGABRT, ["thread main panicked"], QUIET, "crash"),
        (-signal.SIGABRT, ["memory allocation of 99 bytes failed"], QUIET, "out-of-memory"),
        (1, ["Exception in thread main java.lang.OutOfMemoryError: Java heap space"], QUIET, "out-of-memory"),
        (1, ["gave up"], QUIET, "exit"),
        (0, ["MemoryError was handled"], QUIET, "exit"),
    ],
)
def test_want_of_memory_a_crash_a_kill_and_an_exit_are_distinguished(
    code: int, log: list[str], after: dict[str, int], how: str
) -> None:
    assert process_end.ending(code, log, QUIET, after) == how


def test_the_kernels_counters_are_read_where_there_are_any() -> None:
    counts = process_end.oom_kills()
    assert counts.keys() == QUIET.keys()
    assert all(count >= 0 for count in counts.values())
