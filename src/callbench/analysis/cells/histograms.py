"""The histograms of a run, by name, cell and fork, from its tables."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from callbench.stats.estimate.histogram import Buckets

if TYPE_CHECKING:
    import duckdb

# By name (latency, service, lateness) and cell, then by fork.
Histograms = dict[tuple[str, str], dict[int, Buckets]]
NAMES = ("latency", "service", "lateness")
# What a page names as its source: what `read` gives, as one query.
HISTOGRAMS_SQL = """
SELECT name, cell, fork, low_ns, width_ns, sum(histograms.count)::BIGINT AS count
FROM histograms JOIN trials USING (trial) WHERE unsteady = '' GROUP BY ALL ORDER BY name, cell, fork, low_ns"""
# A million rows of numbers take a third of the time and the memory of rows with texts.
_NUMBERS_SQL = """
SELECT trial, list_position(['latency', 'service', 'lateness'], name)::TINYINT AS name, low_ns, width_ns, count
FROM histograms ORDER BY trial, name, low_ns"""
_PLACES_SQL = "SELECT trial, cell, fork FROM trials WHERE unsteady = ''"


def read(connection: "duckdb.DuckDBPyConnection") -> Histograms:
    """Read the histograms of the trials that count; those of one cell and fork are added up."""
    places = {trial: (cell, fork) for trial, cell, fork in connection.execute(_PLACES_SQL).fetchall()}
    table = connection.execute(_NUMBERS_SQL).fetchnumpy()
    trials, names = (np.asarray(table[name]) for name in ("trial", "name"))
    if not len(trials):
        return {}
    changes = np.flatnonzero((trials[1:] != trials[:-1]) | (names[1:] != names[:-1])) + 1
    parts: dict[tuple[str, str], dict[int, list[Buckets]]] = {}
    for start, end in zip([0, *changes], [*changes, len(trials)], strict=True):
        where = places.get(int(trials[start]))
        if where is not None:
            own = parts.setdefault((NAMES[names[start] - 1], where[0]), {})
            rows = (np.asarray(table[name][start:end], dtype=np.int64) for name in ("low_ns", "width_ns", "count"))
            own.setdefault(where[1], []).append(Buckets(*rows))
    return {key: {fork: together(own[fork]) for fork in sorted(own)} for key, own in parts.items()}


def together(parts: Iterable[Buckets]) -> Buckets:
    """Add histograms up."""
    every = list(parts)
    if len(every) == 1:
        return every[0]
    lows, places = np.unique(np.concatenate([histogram.lows for histogram in every]), return_inverse=True)
    counts, widths = np.zeros(len(lows), dtype=np.int64), np.zeros(len(lows), dtype=np.int64)
    np.add.at(counts, places, np.concatenate([histogram.counts for histogram in every]))
    widths[places] = np.concatenate([histogram.widths for histogram in every])
    return Buckets(lows, widths, counts)
