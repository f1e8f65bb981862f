"""How much a server holds: of a record that searched for it, not of a cell."""

from callbench.model.metrics.metric import Better, Combination, Metric, StudyUse

_ABOUT = "Of a record of `capacity` or `overload`; `callbench history` follows it."

METRICS = (
    Metric(
        name="capacity_clients",
        title="capacity",
        unit="clients",
        about=_ABOUT,
        better=Better.HIGHER,
        combined=Combination.ONCE,
        asked=StudyUse.NOWHERE,
    ),
    Metric(
        name="capacity_per_s",
        title="capacity",
        unit="calls/s",
        about=_ABOUT,
        better=Better.HIGHER,
        combined=Combination.ONCE,
        asked=StudyUse.NOWHERE,
    ),
)
