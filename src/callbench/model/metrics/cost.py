"""What processor time a call takes, on each side."""

from callbench.model.metrics.metric import Better, Combination, Metric

_UNDER = "No value below the clock's resolution."


def _cost(name: str, title: str, about: str) -> Metric:
    """Declare processor time of a call. callbench.analysis.cells.costs computes it."""
    return Metric(
        name=f"{name}_us",
        title=f"processor time of a call, {title}",
        unit="µs",
        about=about,
        better=Better.LOWER,
        combined=Combination.SUMS,
    )


METRICS = (
    _cost("cpu", "client and server", f"User and system time. {_UNDER}"),
    _cost("client_cpu", "client", f"User and system time. {_UNDER}"),
    _cost("server_cpu", "server", f"User and system time. No value if one process plays both sides. {_UNDER}"),
    _cost("backend_cpu", "backend", f"It is not in `cpu_us`. {_UNDER}"),
    _cost("client_user", "client, user", _UNDER),
    _cost("client_system", "client, system", _UNDER),
    _cost("server_user", "server, user", _UNDER),
    _cost("server_system", "server, system", _UNDER),
    _cost("backend_user", "backend, user", _UNDER),
    _cost("backend_system", "backend, system", _UNDER),
    _cost("wineserver", "Wine's server", "It works for both sides, and is not in `cpu_us`. No value outside Wine."),
)
