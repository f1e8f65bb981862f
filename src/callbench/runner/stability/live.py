"""What the progress display of a stability test shows."""

from collections.abc import Mapping
from pathlib import Path

from callbench.analysis.stability.slices import window_of_line
from callbench.model.objective import Objective
from callbench.runner.live.progress_line import ProgressLine
from callbench.stats.estimate.digits import figure
from callbench.store.lines.capacity import TriedLine
from callbench.store.lines.overload import BeforeLine, HalfLine, OverloadLine
from callbench.store.lines.sides import MachineUse, SideUse
from callbench.store.lines.soak import RestLine, SoakSliceLine
from callbench.store.progress import Thinned, both_points, progress_limit, progress_point


class SliceProgress(ProgressLine):
    """A progress line that can show a slice, and keeps what was seen over time in the record."""

    def __init__(self, record: Path, *, quiet: bool) -> None:
        """Prepare the line of a record."""
        super().__init__(quiet=quiet)
        self._points: Thinned[dict[str, object]] = Thinned(both=both_points)
        self._limits: list[dict[str, object]] = []
        self.keep_in(record, lambda: {"points": self._points.kept, "limits": self._limits})

    def show_slice(self, line: SoakSliceLine | RestLine) -> None:
        """Show a slice or a rest of a soak, given its journal line."""
        level = f"{line['clients']:,} clients"
        self._points.add(_rest(line, level) if line["kind"] == "rest" else _slice(line, level))
        self.show(_text(line))

    def hold_to(self, objective: Objective) -> None:
        """Show loads beside the objective that they are to meet."""
        self._limits.append(progress_limit("objective_us", objective.limit_us, objective.text))

    def add_overload(self, line: BeforeLine | HalfLine | OverloadLine) -> None:
        """Take an overload, a slice around it, or what is slow; it is kept with the next text."""
        if line["kind"] == "before":
            self._limits.append(progress_limit("p50_us", line["limit_us"], "slower medians are not recovered"))
        elif line["kind"] == "over":
            self._points.add(_slice(line, f"{line['factor']:g} times its capacity"))
        else:
            self._points.add(_slice(line, f"half, {line['phase']}"))

    def add_load(self, line: TriedLine) -> None:
        """Take a load of a search for a capacity; it is kept with the next text."""
        load = line["load"]
        times = load.get("latency_us") if load else None
        self._points.add(
            progress_point(
                line["at_s"],
                None if load is None else load["rate_per_s"],
                sum(line["errors"].values()),
                p50_us=times.get("p50") if times else None,
                p99_us=times.get("p99") if times else None,
                objective_us=line["value_us"],
                level=figure(line["level"], 0.0),
                holds=line["holds"],
                errors=line["errors"],
            )
        )


def _slice(line: SoakSliceLine | HalfLine | OverloadLine, level: str) -> dict[str, object]:
    """Return what `progress.schema.json` has of a slice."""
    server = _server(line["sides"])
    return progress_point(
        line["at_s"],
        window_of_line(line).per_s if line["calls"] else None,
        sum(line["errors"].values()),
        p50_us=line.get("p50_us"),
        p99_us=line.get("p99_us"),
        memory_bytes=server and server["resident_bytes"],
        threads=server and server["threads"],
        level=level,
        errors=line["errors"],
        **_machine(line["machine"], server),
    )


def _machine(use: MachineUse, server: SideUse | None) -> dict[str, float | None]:
    """Return what the server and others used of the processors."""
    elapsed_ns = max(1, use["elapsed_ns"])
    every_ns = elapsed_ns * use["processors"]
    return {
        "processors": server and round((server["user_ms"] + server["system_ms"]) * 1e6 / elapsed_ns, 2),
        "others_share": round(min(1.0, max(0, use["busy_ns"] - use["ours_ns"]) / every_ns), 4)
        if use["known"]
        else None,
        "steal_share": round(use["steal_ns"] / every_ns, 4),
    }


def _rest(line: RestLine, level: str) -> dict[str, object]:
    """The same of a rest, in which nothing is called."""
    server = _server(line["sides"])
    memory, threads = (server["resident_bytes"], server["threads"]) if server else (None, None)
    return progress_point(line["at_s"], None, 0, memory_bytes=memory, threads=threads, level=level)


def _server(sides: Mapping[str, SideUse]) -> SideUse | None:
    return sides.get("server") or sides.get("both")


def _text(line: SoakSliceLine | RestLine) -> str:
    server = _server(line["sides"])
    size = f", {server['resident_bytes'] / 2**20:,.0f} MiB, {server['threads']} threads" if server else ""
    if line["kind"] == "rest":
        return f"{line['at_s']:.0f} s, {line['clients']} clients: at rest{size}"
    rate = window_of_line(line).per_s
    failed = sum(line["errors"].values())
    wrong = f", {failed:,} failed" if failed else ""
    return f"{line['at_s']:.0f} s, {line['clients']} clients: {rate:,.0f} calls/s{wrong}{size}"
