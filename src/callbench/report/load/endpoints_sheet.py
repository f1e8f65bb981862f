"""What each endpoint took, as a table and a sentence: of a load, or of the loads at a capacity."""

from collections.abc import Sequence

from callbench.analysis.load.endpoints import Endpoint
from callbench.analysis.stability.formatting import errors_text
from callbench.report.text.section import Sheet
from callbench.stats.estimate.digits import figure, percent

_COLUMNS = ("endpoint", "calls", "share of time", "mean, ms", "p50, ms", "p99, ms", "errors")
_SHARES = (0.5, 0.99)


def endpoints_sheet(endpoints: Sequence[Endpoint], of: str = "", title: str = "Endpoints") -> Sheet:
    """Make the table.

    Args:
        endpoints: in the order of the options.
        of: which loads they are of, as a sentence, or "".
        title: of the table.
    """
    note = f"{of} Latency is of right answers. The share of time is of all calls, right or wrong.".strip()
    return Sheet(title, _COLUMNS, [_row(endpoint) for endpoint in endpoints], note)


def most_time(endpoints: Sequence[Endpoint]) -> str | None:
    """Say which endpoint uses most of the clients' time; None if nothing was called."""
    known = [endpoint for endpoint in endpoints if endpoint.time_share is not None]
    if not known:
        return None
    first = max(known, key=lambda endpoint: endpoint.time_share or 0.0)
    calls = sum(endpoint.calls + sum(endpoint.errors.values()) for endpoint in known)
    share = (first.calls + sum(first.errors.values())) / calls if calls else 0.0
    spent = percent(first.time_share or 0.0)
    return f"{first.name} uses most of the clients' time: {spent}, with {percent(share)} of the calls."


def _row(endpoint: Endpoint) -> tuple[str, ...]:
    times = endpoint.latency
    values = () if times is None else (times.mean, *map(times.percentiles.get, _SHARES))
    texts = ["" if value is None else figure(value / 1e3, 0.005) for value in values] or [""] * (1 + len(_SHARES))
    share = "" if endpoint.time_share is None else percent(endpoint.time_share)
    return endpoint.name, f"{endpoint.calls:,}", share, *texts, errors_text(endpoint.errors)
