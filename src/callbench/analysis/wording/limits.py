"""What limited each place of a table, in words that need no explanation, and how busy each side was."""

from collections.abc import Iterable, Mapping, Sequence

from callbench.analysis.cells.results import Result
from callbench.analysis.cells.validity import CellValidity
from callbench.analysis.wording.words import listed
from callbench.stats.estimate.digits import figure, percent
from callbench.stats.load.bottleneck import Limit, starved

STATISTIC = "limit"
_WORDS = {
    Limit.SERIAL: "neither: client and server take turns",
    Limit.SERVER: "server",
    Limit.BACKEND: "backend",
    Limit.CLIENT: "client",
    Limit.GENERATOR: "generator",
    Limit.LINK: "link",
    Limit.SHARED: "other programs",
    Limit.WAITING: "neither: waiting",
    Limit.UNSATURATED: "neither: capacity left",
    Limit.UNKNOWN: "not known",
}
_DRIVER = "load driver"
KEY = (
    "The small numbers show how busy each side kept its processors, the load driver or client first. Take turns: with"
    " one client, each side waits for the other, so neither needs to be full. If one is full, it compiles or collects"
    " garbage meanwhile. Other programs: they took so much of the processors that only the need is known. The number"
    " is the processor time per call of this side, as a multiple of the other side's. Waiting: neither was half busy,"
    " and calls waited for a sleep, a timer or a lock."
)


def word(result: Result, known: CellValidity | None) -> str:
    """Describe what limited a cell; "" if it was not judged."""
    if result.verdict is None or not result.calls:
        return ""
    if result.verdict.limit is Limit.GENERATOR and known is not None:
        if starved(known.evidence):
            return _WORDS[Limit.SHARED]
        if known.evidence.driver:
            return _DRIVER
    return _WORDS[result.verdict.limit]


def busy_shares(known: CellValidity | None) -> str:
    """Describe how busy each side was: `43 %, 98 %`, the client first; "" if it was not seen.

    For a disturbed cell, name the side that needs more.
    """
    if known is None or known.evidence.in_process:
        return ""
    if known.verdict.limit is Limit.SHARED or starved(known.evidence):
        return _needs(known)
    shares = [known.evidence.client.busy, known.evidence.server.busy]
    return "" if None in shares else ", ".join(percent(share) for share in shares if share is not None)


def _needs(known: CellValidity) -> str:
    """Name which side needs more of its processor for a call, and how many times as much: `server needs 1.7 ×`."""
    client, server = (known.cost.ns(f"{side}_cpu_us") for side in ("client", "server"))
    if not (client and server):
        return ""
    name, times = ("server", server / client) if server >= client else ("client", client / server)
    return f"{name} needs {figure(times)} ×"


def in_words(columns: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Describe a whole table of them: for each column who was limited by what; "" if nothing was judged."""
    every = list(rows)
    texts = []
    for place, column in enumerate(columns):
        by_word: dict[str, list[str]] = {}
        for label, words in every:
            if words[place]:
                by_word.setdefault(words[place], []).append(label)
        if by_word:
            texts.append(f"{column}: {_column_summary(by_word)}")
    return ". ".join(texts) + ("." if texts else "")


def _column_summary(by_word: Mapping[str, Sequence[str]]) -> str:
    """Describe one column, in the order of how many were limited alike: `server for all but WCF (neither: waiting)`."""
    most, *others = sorted(by_word, key=lambda said: -len(by_word[said]))
    rest = [f"{label} ({said})" for said in others for label in by_word[said]]
    if not rest:
        return f"{most} for all"
    if len(by_word[most]) > len(rest):
        return f"{most} for all but {'; '.join(rest)}"
    return "; ".join(f"{said} for {listed(by_word[said])}" for said in (most, *others))
