"""What the first calls of a stack take, when server and client have just been started: of a stack, not of a cell."""

from callbench.model.metrics.metric import Better, Combination, Metric, QueryRows, StudyUse


def _cold(name: str, title: str, unit: str, about: str, value: str) -> Metric:
    """Declare one. Its value is an expression over the tables of the query in callbench.analysis.cells.cold_starts."""
    return Metric(
        name=name,
        title=title,
        unit=unit,
        about=about,
        better=Better.HIGHER if unit == "calls" else Better.LOWER,
        combined=Combination.STARTS,
        asked=StudyUse.NOWHERE,
        heading=title if unit == "calls" else f"{title} {unit}",
        rows=QueryRows("cold", value),
    )


METRICS = (
    _cold("first_call_ms", "first call", "ms", "Nothing was called before.", "first_call_ns / 1e6"),
    _cold(
        "first_second_calls",
        "calls in the first second",
        "calls",
        "No value if less than a second was driven, because nothing compiles.",
        "first_second_calls",
    ),
    _cold(
        "thousand_calls_ms",
        "first 1,000 calls",
        "ms",
        "No value if fewer were answered in 10 s, or in 0.5 s if nothing compiles.",
        "thousand_calls_ns / 1e6",
    ),
    _cold(
        "steady_s",
        "steady after",
        "s",
        "How long the call was driven until it was steady. No value if nothing compiles, or it never was.",
        "until.driven_s",
    ),
)
