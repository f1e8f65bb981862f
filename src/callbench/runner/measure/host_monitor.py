"""The engine's host monitor: it detects gaps in which a processor did not run."""

import json
import select
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import ClassVar, Self, cast

from callbench.adapter.placement import Placement
from callbench.adapter.stack.sides import Sides
from callbench.model.cell import Cell
from callbench.model.installation import host_monitor
from callbench.runner.measure.probe import Probe
from callbench.store.lines.sides import GapsSeen

# The host monitor answers at once. A machine that does not run it for so long is not usable anyway.
PATIENCE_SECONDS = 10.0


class GapDetector(Probe):
    """Detects gaps in which a processor of a side did not run. It owns a process: close it.

    If the engine is not built, or the host monitor dies, it reports nothing. A run does not need it.
    """

    name: ClassVar[str] = "gaps"

    def __init__(self, placement: Placement) -> None:
        """Start the host monitor. It is idle until a trial begins."""
        self._process = _start(host_monitor(), placement)

    def begin(self, sides: Sides, cell: Cell) -> None:  # noqa: ARG002 - the interface
        """Start watching."""
        self.send("begin")

    def end(self) -> GapsSeen:
        """Stop. Return `watched_ns`, `cost_ns`, and by processor wakeups, gaps, gap_ns, longest_ns, realtime."""
        self.send("end")
        return self._read_answer() or GapsSeen()

    def start_watching(self, every_us: int) -> None:
        """Start watching, with a check every `every_us` microseconds."""
        self.send(f"begin {every_us}")

    def absence_ns(self) -> int:
        """Return the longest absence of a processor since watching began, in nanoseconds.

        Return 0 if its threads have no real-time priority, because a late check then means nothing.
        """
        self.send("end")
        places = (self._read_answer() or GapsSeen()).get("processors", ())
        return max((cpu["gap_ns"] for cpu in places if cpu["realtime"]), default=0)

    def send(self, word: str) -> None:
        """Send a line to the host monitor: `begin`, `begin MICROSECONDS` or `end`."""
        if self._process is not None and self._process.stdin is not None:
            try:
                self._process.stdin.write(word.encode() + b"\n")
                self._process.stdin.flush()
            except OSError:
                self.close()

    def _read_answer(self) -> GapsSeen | None:
        if self._process is None or self._process.stdout is None:
            return None
        if select.select([self._process.stdout], [], [], PATIENCE_SECONDS)[0]:
            with suppress(ValueError):
                reply = json.loads(self._process.stdout.readline() or b"null")
                if isinstance(reply, dict):
                    return cast("GapsSeen", reply)
        self.close()
        return None

    def close(self) -> None:
        """End the host monitor."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            process.wait()

    def __enter__(self) -> Self:
        """Return the detector."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()


def _start(program: Path | None, placement: Placement) -> "subprocess.Popen[bytes] | None":
    cpus = ",".join(map(str, sorted({*placement.client, *placement.server})))
    if program is None or not cpus:
        return None
    try:
        # It ends when its standard input closes, so it cannot outlive this program.
        return subprocess.Popen(
            [str(program), "gaps", "--cpus", cpus],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return None
