"""What a call does to the processes of its sides, beside processor time: memory, threads and context switches."""

from callbench.model.metrics.metric import Better, Metric, QueryRows

# The watched round of a fork, by its own calls. A process that plays both sides has no server of its own, yet it is
# what serves.
_WATCHED = "processes JOIN trials USING (trial) WHERE processes.calls > 0 AND side NOT IN"
_SERVER = f"{_WATCHED} ('client', 'backend')"
_CLIENT = f"{_WATCHED} ('server', 'backend')"


def _memory(name: str, title: str, expression: str, about: str) -> Metric:
    """Declare the server's resident memory at a moment."""
    return Metric(
        name=f"memory_{name}_mib",
        title=f"the server's memory {title}",
        unit="MiB",
        about=about,
        better=Better.LOWER,
        rows=QueryRows(_SERVER, f"{expression} / 1048576"),
    )


def _threads(name: str, title: str, expression: str, about: str) -> Metric:
    """Declare a number of the server's threads."""
    return Metric(
        name=f"threads_{name}",
        title=title,
        unit="threads",
        about=about,
        better=Better.LOWER,
        rows=QueryRows(_SERVER, expression),
    )


def _switches(name: str, title: str, column: str, rows: str) -> Metric:
    """Declare context switches of a side. The probe reads them of the threads that are alive at the end."""
    return Metric(
        name=f"{name}_per_call",
        title=f"{title} per call",
        unit="switches",
        about="Threads that ended during the load are not counted. No value if there were none.",
        better=Better.LOWER,
        rows=QueryRows(rows, f"sum({column}) / sum(processes.calls)"),
    )


METRICS = (
    _memory("begin", "before the load", "avg(resident_begin)", "Resident memory."),
    _memory("peak", "at the most", "max(resident_peak)", "Resident memory, the greatest of ten samples a second."),
    _memory("end", "at the end of the load", "avg(resident_end)", "Resident memory."),
    _memory("rest", "after a rest", "avg(resident_rest)", "Two seconds after the load, for cells with `watch`."),
    Metric(
        name="memory_per_call_bytes",
        title="what a call adds to the server's memory",
        unit="bytes",
        about="Resident memory at the end less that before, per call. No value if it shrank.",
        better=Better.LOWER,
        rows=QueryRows(_SERVER, "sum(resident_end - resident_begin) / sum(processes.calls)"),
    ),
    _threads("peak", "threads of the server at the most", "max(threads_peak)", "The greatest of ten samples a second."),
    _threads(
        "made_per_call",
        "threads that the server makes for a call",
        "sum(threads_made) / sum(processes.calls)",
        "At least so many. No value if there were none.",
    ),
    _switches("client_switches", "voluntary context switches of the client", "voluntary", _CLIENT),
    _switches("server_switches", "voluntary context switches of the server", "voluntary", _SERVER),
    _switches("client_preemptions", "involuntary context switches of the client", "involuntary", _CLIENT),
    _switches("server_preemptions", "involuntary context switches of the server", "involuntary", _SERVER),
)
