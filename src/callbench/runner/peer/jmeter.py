"""Run Apache JMeter as a process for one load, measure it from outside, and end it with all of its processes."""

import contextlib
import subprocess
import threading
import time
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from callbench.adapter import temporary
from callbench.adapter.process import ownership_options
from callbench.adapter.watch.process_reading import read_light
from callbench.model import machine_limits
from callbench.model.errors import MachineFailure
from callbench.model.installation import engine_remedy, supervisor, workplace
from callbench.model.process_tree import PROC, family
from callbench.runner.peer import jtl
from callbench.runner.peer.plan import COUNTED, HttpLoad, first_think_ms, make_plan

_HEAP = "-Xmx512m"
# Seconds besides the load: a Java virtual machine starts, and results are written.
_PATIENCE_S = 120.0
_READ_EVERY_S = 0.1
# Reading the threads of all clients means many files, so it is done only every so many readings.
_THREADS_EVERY = 3
_UNWANTED = (
    "label", "response_message", "data_type", "assertion_results_failure_message", "bytes",
    "sent_bytes", "thread_counts", "url", "latency", "connect_time", "idle_time",
)  # fmt: skip


@dataclass(frozen=True)
class JMeterResult:
    """The result of JMeter's calls.

    Attributes:
        summary: of the clients that count.
        processor_ms: processor time of the process meanwhile.
        client_ms: how long the threads of its clients ran or waited for a processor, in total; None if the kernel does
            not report it.
        samples: the number of all calls, including the warm-up and failures.
        wrong: the failed calls among them.
        rates: successful calls per second of the clients that count, piece by piece; empty with think time, which
            determines the rate.
    """

    summary: jtl.SampleSummary
    processor_ms: float
    client_ms: float | None
    samples: int
    wrong: int
    rates: Sequence[float] = ()


def _home() -> Path:
    return workplace() / "peers" / "jmeter" / "target"


def why_not() -> str | None:
    """Return why JMeter cannot be started here, with the remedy; None if it can."""
    if (_home() / "bin" / "ApacheJMeter.jar").is_file():
        return None
    return "Apache JMeter is not set up: run `callbench setup jmeter`"


def drive(load: HttpLoad, *, warm_up_s: float, seconds: float, processors: Sequence[int] = ()) -> JMeterResult:
    """Drive a load after a warm-up whose calls do not count.

    Args:
        load: the request.
        warm_up_s: duration of the warm-up, because Java compiles while it runs.
        seconds: duration of the calls that count, including the ramp-up.
        processors: the processors that it may use; empty: any.

    Raises:
        MachineFailure: JMeter could not be started, failed, or made no call.
    """
    with temporary.folder("callbench-jmeter-") as folder:
        (folder / "plan.jmx").write_text(make_plan(load, warm_up_s=warm_up_s, seconds=seconds))
        patience_s = warm_up_s + seconds + _PATIENCE_S
        with _start(folder, processors) as process, ProcessorUse(process.pid) as busy:
            try:
                process.wait(patience_s)
            except subprocess.TimeoutExpired as failure:
                raise MachineFailure(f"JMeter did not end within {_PATIENCE_S:.0f} s after its load") from failure
        results = folder / "results.jtl"
        if process.returncode or not results.is_file():
            raise MachineFailure(f"JMeter failed (exit code {process.returncode}): {_last_log_line(folder / 'log')}")
        with results.open(newline="") as lines:
            samples = jtl.read_samples(lines)
    counted = [sample for sample in samples if sample.thread.startswith(COUNTED)]
    if not counted:
        raise MachineFailure("JMeter made no call: the load was too short for it to start")
    summary = jtl.summarize(counted, seconds, load.think_ms, first_think_ms(load, 1))
    processor_ms = busy.between(summary.begin_ms, summary.end_ms)
    all_started_ms = summary.begin_ms + load.ramp_up_s * 1e3
    rates = () if load.think_ms else jtl.rates_by_piece(counted, all_started_ms, summary.end_ms)
    wrong = sum(not sample.right for sample in samples)
    return JMeterResult(summary, processor_ms, busy.client_ms(), len(samples), wrong, rates)


@contextlib.contextmanager
def _start(folder: Path, processors: Sequence[int]) -> Iterator["subprocess.Popen[bytes]"]:
    """Start JMeter under the supervisor, which ends it even if this program is killed."""
    properties = {f"jmeter.save.saveservice.{name}": "false" for name in _UNWANTED}
    # No command port, no progress report, and no file outside the folder.
    properties |= {
        "sampleresult.default.encoding": "UTF-8",
        "jmeter.save.saveservice.output_format": "csv",
        "jmeterengine.nongui.port": "0",
        "summariser.name": "",
    }
    java = ["java", _HEAP, "-Djava.awt.headless=true", f"-Djava.util.prefs.userRoot={folder}", "-XX:-UsePerfData"]
    files = ["-t", str(folder / "plan.jmx"), "-l", str(folder / "results.jtl"), "-j", str(folder / "log")]
    argv = [*java, "-jar", str(_home() / "bin" / "ApacheJMeter.jar"), "-n", *files]
    argv += [f"-J{name}={value}" for name, value in properties.items()]
    supervisor_program = supervisor()
    if supervisor_program is None:
        raise MachineFailure(f"the engine is not built, which ends JMeter reliably: run `{engine_remedy()}`")
    pinned = ["--cpus", ",".join(map(str, processors))] if processors else []
    try:
        process = subprocess.Popen(
            [str(supervisor_program), *pinned, *ownership_options(), "--", *argv],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as failure:
        raise machine_limits.written("JMeter cannot be started", failure) from failure
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def _last_log_line(log: Path) -> str:
    with contextlib.suppress(OSError, IndexError):
        return log.read_text(errors="replace").strip().splitlines()[-1][:300]
    return "it wrote no log"


class ProcessorUse:
    """Measures the processor time of a process and its descendants while it is entered."""

    def __init__(self, pid: int) -> None:
        """Set the process; measuring begins with `with`."""
        self._pid = pid
        self._readings: list[tuple[int, int]] = []
        self._thread_ns: dict[int, int] = {}
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        """Start measuring."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop measuring."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        number = 0
        while not self._stopping.wait(_READ_EVERY_S):
            pids = family([self._pid])
            reading = read_light(pids)
            if reading.processes:
                self._readings.append((time.time_ns() // 1_000_000, reading.user_ms + reading.system_ms))
            if number % _THREADS_EVERY == 0:
                self._thread_ns |= thread_times(pids)
            number += 1

    def client_ms(self) -> float | None:
        """Return how long the threads of the counted clients ran or waited for a processor, by their last readings."""
        return sum(self._thread_ns.values()) / 1e6 if self._thread_ns else None

    def between(self, begin_ms: int, end_ms: int) -> float:
        """Return the milliseconds of processor time between two moments of the wall clock."""
        return used_at(self._readings, end_ms) - used_at(self._readings, begin_ms)


def thread_times(pids: Sequence[int], proc: Path = PROC) -> dict[int, int]:
    """Return how long each thread of the counted clients ran or waited for a processor, in nanoseconds by thread id.

    The Java virtual machine gives thread names to the kernel. Fields of schedstat: time on a processor, time in a run
    queue (Documentation/scheduler/sched-stats).
    """
    times = {}
    for task in (task for pid in pids for task in _tasks(proc / str(pid) / "task")):
        with contextlib.suppress(OSError, ValueError):
            if (task / "comm").read_text().startswith(COUNTED):
                ran, waited = (task / "schedstat").read_text().split()[:2]
                times[int(task.name)] = int(ran) + int(waited)
    return times


def _tasks(folder: Path) -> list[Path]:
    """Return the threads of a process; none if it has ended, even while they are listed."""
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def used_at(readings: Sequence[tuple[int, int]], at_ms: int) -> float:
    """Return the processor time used at a moment, linearly between two readings.

    Args:
        readings: moments and processor times, both in milliseconds and rising.
        at_ms: the moment. Before the first and after the last reading, the value is that of the nearest one.
    """
    if not readings:
        return 0.0
    place = bisect_left(readings, (at_ms, 0))
    if place == 0:
        return float(readings[0][1])
    if place == len(readings):
        return float(readings[-1][1])
    (before, low), (after, high) = readings[place - 1], readings[place]
    return low + (high - low) * (at_ms - before) / (after - before)
