"""Records over time, as the page and a publication show them: what `callbench history --json` says."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from callbench.analysis.history.order import SeriesOrder
from callbench.analysis.wording.words import change_text, counted
from callbench.model.errors import BadInput
from callbench.report.history.short_series import short_text
from callbench.stats.estimate.digits import figure, percent
from callbench.store.shelf import Shelf
from callbench.web.drawing import HEIGHT, WIDTH
from callbench.web.program import KeptAnswers
from callbench.web.reports import state_of

_MOST_CHANGES, _MOST_SERIES = 100, 200
# A part of `history.schema.json`.
Entry = Mapping[str, Any]
# A value, and the ends of its interval.
DrawnPoint = tuple[float, float | None, float | None]


class Histories:
    """The history of a folder, kept until a record of it changes."""

    def __init__(self, shelf: Shelf) -> None:
        """Follow a folder of records."""
        self._shelf, self._answers = shelf, KeptAnswers()

    def text(self, order: SeriesOrder = SeriesOrder.TIME) -> str:
        """Return the history as it is now, in JSON; the command makes it, as a process of its own.

        Args:
            order: of the records.

        Raises:
            BadInput: it cannot be made; the sentence is the command's.
            MachineFailure: it took too long.
        """
        state = [(entry.name, state_of(self._shelf.folder / entry.name)) for entry in self._shelf.entries()]
        if not state:
            raise BadInput("there is no record yet, so there is no history: measure something first")
        return self._answers.text(["history", str(self._shelf.folder), f"--by={order}", "--json"], state)


def shown(document: Entry, address: Callable[[str], str], words: str = "") -> dict[str, Any]:
    """Return what the template `changes` shows.

    Args:
        document: as `history.schema.json` has it.
        address: of a record, by the name of its folder; "" if it has none.
        words: of which each has to occur in what changed.
    """
    series = {_key(entry): entry for entry in document["series"]}
    fitting = [change for change in document["changes"] if _holds(change, words)]
    changed = Counter(map(_key, document["changes"]))
    return {
        "every": len(document["changes"]),
        "series": [_line(entry, changed[key]) for key, entry in list(series.items())[:_MOST_SERIES]],
        "more_series": max(0, len(series) - _MOST_SERIES),
        "changes": [_change(change, series[_key(change)], address) for change in fitting[:_MOST_CHANGES]],
        "more": max(0, len(fitting) - _MOST_CHANGES),
        "every_series": len(document["series"]),
        "looked_at": any(entry["looked_at"] for entry in document["series"]),
        "few": short_text(
            sum(not entry["looked_at"] for entry in document["series"]), document["method"]["fewest_values"]
        ),
        "order": document["order"],
        "records": document["records"],
        "left_out": document["left_out"],
        "copies": counted(copies, "copy", "copies") if (copies := len(document["copies"])) else "",
        "method": document["method"],
    }


def _line(entry: Entry, changes: int) -> list[str]:
    """Return what the table of all series has of one."""
    newest, noise = entry["points"][-1], entry["noise"]
    ends = newest["low"], newest["high"]
    half = None if None in ends else ends[1] / newest["value"] - 1
    value = figure(newest["value"], half)
    return [
        f"{entry['study']}, {entry['cell']}", entry["title"], str(len(entry["points"])), value,
        "" if noise is None else percent(noise, 1), str(changes),
    ]  # fmt: skip


def _key(entry: Entry) -> tuple[str, ...]:
    return tuple(str(entry[name]) for name in ("study", "cell", "metric", "machine", "series"))


def _holds(change: Entry, words: str) -> bool:
    known = [str(change[name]) for name in ("study", "cell", "title", "machine", "verdict")]
    text = " ".join((*known, change["before"]["commit"], change["after"]["commit"])).lower()
    return all(word in text for word in words.lower().split())


def _change(change: Entry, series: Entry, address: Callable[[str], str]) -> dict[str, Any]:
    names = [point["record"] for point in series["points"]]
    drawn = [(point["value"], point["low"], point["high"]) for point in series["points"]]
    ratio = change["ratio"]
    low, high = (change[end] or ratio for end in ("ratio_low", "ratio_high"))
    return {
        **change,
        "percent": change_text(ratio),
        "interval": f"{change_text(low)} to {change_text(high)}",
        "noise": percent(change["noise"], 1),
        "sides": [{**point, "address": address(point["record"])} for point in (change["before"], change["after"])],
        "drawn": levels(drawn, series["levels"], names.index(change["after"]["record"])),
    }


def levels(points: Sequence[DrawnPoint], starts: Sequence[int], at: int) -> dict[str, Any]:
    """Return where the values of a series lie, one beside the other, with their intervals and the level of each part.

    Args:
        points: in their order: each a positive value, and the ends of its interval, or None.
        starts: the index of the first value of each level.
        at: the index of the first value after the change that is meant.
    """
    values = [value for value, _, _ in points]
    ends_of = [(low or value, high or value) for value, low, high in points]
    least, most = min(low for low, _ in ends_of), max(high for _, high in ends_of)
    up, across = (HEIGHT - 12) / max(most - least, 1e-12 * most, 1e-300), WIDTH / max(len(values), 1)

    def height(value: float) -> float:
        return round(HEIGHT - 6 - (value - least) * up, 1)

    ends = [*starts[1:], len(values)]
    means = [
        math.exp(sum(map(math.log, values[begin:end])) / (end - begin)) for begin, end in zip(starts, ends, strict=True)
    ]
    return {
        "dots": [(round((index + 0.5) * across, 1), height(value)) for index, value in enumerate(values)],
        "intervals": [
            (round((index + 0.5) * across, 1), height(low), height(high))
            for index, (low, high) in enumerate(ends_of)
            if low < high
        ],
        "levels": [
            (round(begin * across, 1), round(end * across, 1), height(mean))
            for begin, end, mean in zip(starts, ends, means, strict=True)
        ],
        "at": round(at * across, 1),
        "count": len(values),
        "least": figure(min(values), 0.0),
        "most": figure(max(values), 0.0),
    }
