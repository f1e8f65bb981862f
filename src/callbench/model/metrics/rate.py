"""How many calls a stack answers, and what keeps it from more."""

from callbench.model.metrics.metric import Better, Combination, Metric, QueryRows, RatioTest, StudyUse, ValueFormat

# Of calls made, or of those asked for where the server died: nothing is known of how many were tried then.
_ANSWERED = """(
    SELECT cell, fork, calls / (calls + error_count) AS share FROM trials WHERE calls + error_count > 0
    UNION ALL
    SELECT cell, fork, least(answered / cells.calls, 1) FROM deaths JOIN cells USING (cell))
WHERE share IS NOT NULL"""

METRICS = (
    Metric(
        name="rate_per_s",
        title="rate",
        unit="calls/s",
        about="Right answers a second, within the time driven. Of one client: without the load loop's own time.",
        better=Better.HIGHER,
        tested=RatioTest.SHARED,
        heading="calls/s",
    ),
    Metric(
        name="answered_share",
        title="calls answered rightly, of those made",
        unit="shares of 1",
        about="For a server that died: of the requested calls. If nothing was answered, it is one in 10⁹.",
        better=Better.HIGHER,
        rows=QueryRows(_ANSWERED, "min(share)", least=1e-9),
    ),
    Metric(
        name="limit",
        title="what limited the rate",
        unit="",
        about="In words: `server`, `client`, `load driver` and so on.",
        better=Better.NEITHER,
        combined=Combination.PLACE,
        asked=StudyUse.TABLES,
        form=ValueFormat.WORDS,
    ),
)
