"""Apache JMeter as a process: started for one load, watched from outside, ended with everything it started."""

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
from callbench.adapter.process import belonging
from callbench.model.errors import CallbenchError
from callbench.model.installation import engine_remedy, keeper, workplace
from callbench.model.process_tree import PROC, family
from callbench.runner.measure.reading import light
from callbench.runner.peer import jtl
from callbench.runner.peer.plan import COUNTED, Asked, first_thought_ms, plan

_HEAP = "-Xmx512m"
# Beyond its load: a virtual machine that starts, and one that writes its results.
_PATIENCE_S = 120.0
_LOOK_S = 0.1
# Its clients' threads are many files to read: they are looked at every so many looks.
_THREADS_EVERY = 3
_UNWANTED = (
    "label", "response_message", "data_type", "assertion_results_failure_message", "bytes",
    "sent_bytes", "thread_counts", "url", "latency", "connect_time", "idle_time",
)  # fmt: skip


@dataclass(frozen=True)
class Driven:
    """What JMeter's calls came to.

    Attributes:
        seen: of the group that counts.
        processor_ms: what the process used of its processors meanwhile.
        client_ms: how long its clients' threads ran or waited for a processor, all together; None where the kernel
            does not tell.
        samples: all it made, warm-up and all, answered rightly or not.
        wrong: of those, not answered rightly.
        rates: of the group that counts, right answers a second over its time; none of clients that think, whose rate is
            mostly what they were told.
    """

    seen: jtl.Seen
    processor_ms: float
    client_ms: float | None
    samples: int
    wrong: int
    rates: Sequence[float] = ()


def _home() -> Path:
    return workplace() / "peers" / "jmeter" / "target"


def why_not() -> str | None:
    """Why it cannot be started here, with the remedy."""
    if (_home() / "bin" / "ApacheJMeter.jar").is_file():
        return None
    return "Apache JMeter is not set up: run `callbench setup jmeter`"


def drive(asked: Asked, *, warm_up_s: float, seconds: float, processors: Sequence[int] = ()) -> Driven:
    """Drives a load, after a warm-up whose calls do not count.

    Args:
        asked: the request.
        warm_up_s: how long calls are made before: Java compiles while it runs.
        seconds: how long those that count are made, ramp-up and all.
        processors: those it may use; empty: any.

    Raises:
        CallbenchError: it could not be started, failed, or made no call.
    """
    with temporary.folder("callbench-jmeter-") as folder:
        (folder / "plan.jmx").write_text(plan(asked, warm_up_s=warm_up_s, seconds=seconds))
        patience_s = warm_up_s + seconds + _PATIENCE_S
        with _started(folder, processors) as process, Busy(process.pid) as busy:
            try:
                process.wait(patience_s)
            except subprocess.TimeoutExpired as failure:
                raise CallbenchError(f"JMeter did not end within {_PATIENCE_S:.0f} s after its load") from failure
        results = folder / "results.jtl"
        if process.returncode or not results.is_file():
            raise CallbenchError(f"JMeter failed (exit code {process.returncode}): {_last(folder / 'log')}")
        with results.open(newline="") as lines:
            samples = jtl.read(lines)
    counted = [sample for sample in samples if sample.thread.startswith(COUNTED)]
    if not counted:
        raise CallbenchError("JMeter made no call: the load was too short for it to start")
    seen = jtl.seen(counted, seconds, asked.think_ms, first_thought_ms(asked, 1))
    used_ms = busy.between(seen.begin_ms, seen.end_ms)
    begun_ms = seen.begin_ms + asked.ramp_up_s * 1e3
    rates = () if asked.think_ms else jtl.rates(counted, begun_ms, seen.end_ms)
    wrong = sum(not sample.right for sample in samples)
    return Driven(seen, used_ms, busy.client_ms(), len(samples), wrong, rates)


@contextlib.contextmanager
def _started(folder: Path, processors: Sequence[int]) -> Iterator["subprocess.Popen[bytes]"]:
    """Behind the keeper, which sees to its end also where we are killed."""
    wanted = {f"jmeter.save.saveservice.{name}": "false" for name in _UNWANTED}
    # Not its port for commands, nor a progress report, nor any file elsewhere than in the folder.
    wanted |= {
        "sampleresult.default.encoding": "UTF-8",
        "jmeter.save.saveservice.output_format": "csv",
        "jmeterengine.nongui.port": "0",
        "summariser.name": "",
    }
    java = ["java", _HEAP, "-Djava.awt.headless=true", f"-Djava.util.prefs.userRoot={folder}", "-XX:-UsePerfData"]
    files = ["-t", str(folder / "plan.jmx"), "-l", str(folder / "results.jtl"), "-j", str(folder / "log")]
    argv = [*java, "-jar", str(_home() / "bin" / "ApacheJMeter.jar"), "-n", *files]
    argv += [f"-J{name}={value}" for name, value in wanted.items()]
    keeping = keeper()
    if keeping is None:
        raise CallbenchError(f"the engine is not built, which sees to JMeter's end: run `{engine_remedy()}`")
    pinned = ["--cpus", ",".join(map(str, processors))] if processors else []
    try:
        process = subprocess.Popen(
            [str(keeping), *pinned, *belonging(), "--", *argv],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as failure:
        raise CallbenchError(f"JMeter cannot be started: {failure.strerror}") from failure
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def _last(log: Path) -> str:
    with contextlib.suppress(OSError, IndexError):
        return log.read_text(errors="replace").strip().splitlines()[-1][:300]
    return "it wrote no log"


class Busy:
    """Looks at the processor time of a process and its descendants while it is entered."""

    def __init__(self, pid: int) -> None:
        """Look at `pid` from `with` on."""
        self._pid = pid
        self._looks: list[tuple[int, int]] = []
        self._clients: dict[int, int] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End."""
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        number = 0
        while not self._over.wait(_LOOK_S):
            pids = family([self._pid])
            seen = light(pids)
            if seen.processes:
                self._looks.append((time.time_ns() // 1_000_000, seen.user_ms + seen.system_ms))
            if number % _THREADS_EVERY == 0:
                self._clients |= threads(pids)
            number += 1

    def client_ms(self) -> float | None:
        """How long the clients that count ran or waited for a processor, as of the last look at each."""
        return sum(self._clients.values()) / 1e6 if self._clients else None

    def between(self, begin_ms: int, end_ms: int) -> float:
        """Milliseconds of processor time used from one moment of the wall clock to another."""
        return used(self._looks, end_ms) - used(self._looks, begin_ms)


def threads(pids: Sequence[int], proc: Path = PROC) -> dict[int, int]:
    """How long each thread of the group that counts ran or waited for a processor, in nanoseconds by its id.

    The virtual machine gives a thread's name to the kernel. Fields as in the kernel's Documentation/scheduler/
    sched-stats: time on a processor, time in a run queue.
    """
    found = {}
    for task in (task for pid in pids for task in (proc / str(pid) / "task").glob("*")):
        with contextlib.suppress(OSError, ValueError):
            if (task / "comm").read_text().startswith(COUNTED):
                ran, waited = (task / "schedstat").read_text().split()[:2]
                found[int(task.name)] = int(ran) + int(waited)
    return found


def used(looks: Sequence[tuple[int, int]], at_ms: int) -> float:
    """What had been used at a moment, in a straight line between two looks.

    Args:
        looks: moments with what had been used by then, both in milliseconds, both rising.
        at_ms: the moment; before the first look and after the last, what those saw.
    """
    if not looks:
        return 0.0
    place = bisect_left(looks, (at_ms, 0))
    if place == 0:
        return float(looks[0][1])
    if place == len(looks):
        return float(looks[-1][1])
    (before, low), (after, high) = looks[place - 1], looks[place]
    return low + (high - low) * (at_ms - before) / (after - before)
