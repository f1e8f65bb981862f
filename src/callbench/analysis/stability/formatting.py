"""Values and events of stability tests as text."""

from collections.abc import Mapping

from callbench.catalog.reach import LOOPBACK
from callbench.stats.estimate.digits import figure
from callbench.stats.load.recovery import Episode, Recovery, State

STATES = {
    State.WELL: "no trouble",
    State.SLOW: "it was slow",
    State.FAILING: "some calls failed",
    State.WRONG: "it answered wrongly",
    State.REFUSING: "it refused connections",
    State.HUNG: "it hung",
    State.DEAD: "it was dead",
}
_MIB = 2.0**20


def mib(value: float | None) -> str:
    """Format a size in MiB."""
    return "" if value is None else f"{value / _MIB:,.1f}"


def microseconds(value: float | None) -> str:
    """Format a time in microseconds."""
    return "" if value is None else figure(value, 0.005)


def whole(value: float | None) -> str:
    """Format a count."""
    return "" if value is None else f"{value:,.0f}"


def small(value: float | None) -> str:
    """Format a value that may be far below one."""
    return "" if value is None else f"{value:.2g}" if abs(value) < 100 else f"{value:,.0f}"


def errors_text(errors: Mapping[str, int]) -> str:
    """Format errors by kind: `12 × timeout, 3 × reset`."""
    return ", ".join(f"{count:,} × {kind}" for kind, count in errors.items()) or "none"


def over_text(link: str) -> str:
    """Format the link, if there is one: ` over wan50`."""
    return "" if link == LOOPBACK else f" over {link}"


def episode_text(episode: Episode) -> str:
    """Format an episode as a sentence without its full stop."""
    long = f"{episode.end_s - episode.start_s:.1f} s"
    errors = f" ({errors_text(episode.errors)})" if episode.errors else ""
    return f"{STATES[episode.state]} from {episode.start_s:.1f} s, for {long}{errors}"


def recovery_text(recovery: Recovery | None, watched_s: float) -> str:
    """Format when the server had recovered."""
    if recovery is None:
        return f"not within {watched_s:.1f} s"
    if recovery.least_s == 0:
        return f"within {recovery.most_s:.2f} s"
    return f"after {recovery.least_s:.2f} to {recovery.most_s:.2f} s"
