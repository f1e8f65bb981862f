"""Apache JMeter as a process: started for one load, watched from outside, ended with everything it started."""

import contextlib
import subprocess
import tempfile
import threading
import time
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from callbench.errors import CallbenchError
from callbench.home import home, keeper
from callbench.load.watched import family
from callbench.measure.reading import light
from callbench.peer import jtl
from callbench.peer.plan import Asked, plan

_HEAP = "-Xmx512m"
# Beyond its load: a virtual machine that starts, and one that writes its results.
_PATIENCE_S = 120.0
# The load goes on for so long after the window, in which its threads have not begun to end.
_AFTER_S = 1.0
_LOOK_S = 0.1
_UNWANTED = (
    "label", "response_message", "thread_name", "data_type", "assertion_results_failure_message", "bytes",
    "sent_bytes", "thread_counts", "url", "latency", "connect_time", "idle_time",
)  # fmt: skip


@dataclass(frozen=True)
class Driven:
    """What JMeter's calls came to.

    Attributes:
        seen: within the time that counts.
        processor_ms: what it used of its processors in that time.
        samples: all it made, warm-up and all, answered rightly or not.
    """

    seen: jtl.Window
    processor_ms: float
    samples: int


def _home() -> Path:
    return home() / "peers" / "jmeter" / "target"


def why_not() -> str | None:
    """Why it cannot be started here, with the remedy."""
    return (
        None if (_home() / "bin" / "ApacheJMeter.jar").is_file() else "Apache JMeter is not set up: run `setup/jmeter`"
    )


def drive(asked: Asked, *, warm_up_s: float, seconds: float, processors: Sequence[int] = ()) -> Driven:
    """Drives a load, and takes what came after the warm-up.

    Args:
        asked: the request.
        warm_up_s: how long its first calls do not count: Java compiles while it runs.
        seconds: how long those that count are made.
        processors: those it may use; empty: any.

    Raises:
        CallbenchError: it could not be started, failed, or made no call.
    """
    with tempfile.TemporaryDirectory(prefix="callbench-jmeter-") as name:
        folder = Path(name)
        lasts_s = warm_up_s + seconds + _AFTER_S
        (folder / "plan.jmx").write_text(plan(asked, lasts_s))
        with _started(folder, processors) as process, Busy(process.pid) as busy:
            try:
                process.wait(lasts_s + _PATIENCE_S)
            except subprocess.TimeoutExpired as failure:
                raise CallbenchError(f"JMeter did not end within {_PATIENCE_S:.0f} s after its load") from failure
        results = folder / "results.jtl"
        if process.returncode or not results.is_file():
            raise CallbenchError(f"JMeter failed (exit code {process.returncode}): {_last(folder / 'log')}")
        with results.open(newline="") as lines:
            samples = jtl.read(lines)
    if not samples:
        raise CallbenchError("JMeter made no call: the load was too short for it to start")
    begin = min(sample.start_ms for sample in samples) + round(warm_up_s * 1e3)
    end = begin + round(seconds * 1e3)
    return Driven(jtl.window(samples, begin, end), busy.between(begin, end), len(samples))


@contextlib.contextmanager
def _started(folder: Path, processors: Sequence[int]) -> Iterator["subprocess.Popen[bytes]"]:
    """Behind the keeper, which sees to its end also where we are killed."""
    wanted = {f"jmeter.save.saveservice.{name}": "false" for name in _UNWANTED}
    # Not its port for commands, nor a progress report, nor any file elsewhere than in the folder.
    wanted |= {"jmeter.save.saveservice.output_format": "csv", "jmeterengine.nongui.port": "0", "summariser.name": ""}
    java = ["java", _HEAP, "-Djava.awt.headless=true", f"-Djava.util.prefs.userRoot={folder}", "-XX:-UsePerfData"]
    files = ["-t", str(folder / "plan.jmx"), "-l", str(folder / "results.jtl"), "-j", str(folder / "log")]
    argv = [*java, "-jar", str(_home() / "bin" / "ApacheJMeter.jar"), "-n", *files]
    argv += [f"-J{name}={value}" for name, value in wanted.items()]
    keeping = keeper()
    if keeping is None:
        raise CallbenchError("the engine is not built, which sees to JMeter's end: run `make engine`")
    pinned = ["--cpus", ",".join(map(str, processors))] if processors else []
    try:
        process = subprocess.Popen(
            [str(keeping), *pinned, "--", *argv],
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
        while not self._over.wait(_LOOK_S):
            seen = light(family(self._pid))
            if seen.processes:
                self._looks.append((time.time_ns() // 1_000_000, seen.user_ms + seen.system_ms))

    def between(self, begin_ms: int, end_ms: int) -> float:
        """Milliseconds of processor time used from one moment of the wall clock to another."""
        return used(self._looks, end_ms) - used(self._looks, begin_ms)


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
