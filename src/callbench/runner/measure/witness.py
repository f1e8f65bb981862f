"""The engine's witness of the machine: a gap detector beside each trial, and a raw echo as canary."""

import json
import select
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, Self

from callbench.adapter.placement import Placement
from callbench.adapter.stack.sides import Sides
from callbench.model.cell import Cell
from callbench.model.installation import witness
from callbench.runner.measure.probe import Probe

# The witness answers at once; on a machine that lets nobody run for so long there is nothing to measure anyway.
PATIENCE_SECONDS = 10.0


class GapDetector(Probe):
    """Notes when a processor of a side was not run. It owns a process: close it.

    Where the engine is not built, or its witness dies, it finds nothing and says so: a run needs no witness.
    """

    name: ClassVar[str] = "gaps"

    def __init__(self, placement: Placement) -> None:
        """Starts the witness; it does nothing until a trial begins."""
        self._process = _started(witness(), placement)

    def begin(self, sides: Sides, cell: Cell) -> None:  # noqa: ARG002 - the interface
        """Lets it watch."""
        self.say("begin")

    def end(self) -> Mapping[str, Any]:
        """Hears what it saw: `watched_ns`, `cost_ns`, and for each processor looks, gaps, gap_ns, longest_ns, first."""
        self.say("end")
        return self._heard() or {}

    def watches(self, every_us: int) -> None:
        """Looks so often from here on, until it is asked."""
        self.say(f"begin {every_us}")

    def away_ns(self) -> int:
        """How long the processor was away that was away longest, since it watches.

        0 where its threads may not run before all others: a look that is late is then no sign of anything.
        """
        self.say("end")
        places = (self._heard() or {}).get("processors", ())
        return max((one["gap_ns"] for one in places if one["first"]), default=0)

    def say(self, word: str) -> None:
        """Gives the witness a line: `begin`, `begin MICROSECONDS` or `end`."""
        if self._process is not None and self._process.stdin is not None:
            try:
                self._process.stdin.write(word.encode() + b"\n")
                self._process.stdin.flush()
            except OSError:
                self.close()

    def _heard(self) -> dict[str, Any] | None:
        if self._process is None or self._process.stdout is None:
            return None
        if select.select([self._process.stdout], [], [], PATIENCE_SECONDS)[0]:
            with suppress(ValueError):
                said = json.loads(self._process.stdout.readline() or b"null")
                if isinstance(said, dict):
                    return said
        self.close()
        return None

    def close(self) -> None:
        """Ends the witness."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            process.wait()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes it."""
        self.close()


def _started(program: Path | None, placement: Placement) -> "subprocess.Popen[bytes] | None":
    cpus = _listed(sorted({*placement.client, *placement.server}))
    if program is None or not cpus:
        return None
    try:
        # It ends with its standard input, so it cannot outlive us.
        return subprocess.Popen(
            [str(program), "gaps", "--cpus", cpus],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return None


def canary(placement: Placement, seconds: float) -> dict[str, Any] | None:
    """Sings once: round trips of a raw TCP echo over loopback, pinned as the sides are; None where it cannot.

    Returns:
        `calls`, `elapsed_ns`, `p50_ns`, `p99_ns`.
    """
    program = witness()
    if program is None:
        return None
    where = ["--client", _listed(placement.client), "--server", _listed(placement.server)]
    try:
        said = subprocess.run(
            [str(program), "canary", *where, "--seconds", f"{seconds:g}"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds * 2 + PATIENCE_SECONDS,
            check=True,
        )
        song = json.loads(said.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return song if isinstance(song, dict) else None


def _listed(cpus: Sequence[int]) -> str:
    return ",".join(map(str, cpus))
