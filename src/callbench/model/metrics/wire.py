"""What a call puts on a line. The wire ledger counts all but the first: docs/reference/wire-ledger.md."""

from callbench.model.metrics.metric import Better, Combination, Metric


def _counted(name: str, title: str, unit: str, about: str) -> Metric:
    """Declare what the wire ledger counts. callbench.analysis.wire computes it."""
    return Metric(name=name, title=title, unit=unit, about=about, better=Better.LOWER, combined=Combination.ONCE)


_VARIES = "If calls differ: the mean of all counts."
METRICS = (
    Metric(
        name="link_bytes",
        title="bytes of a call in frames over the link",
        unit="bytes",
        about="Both ways, while calls are timed. Only over a link.",
        better=Better.LOWER,
    ),
    _counted("stream_bytes", "bytes of a steady call in its TCP streams", "bytes", f"Both ways. {_VARIES}"),
    _counted("wire_bytes", "bytes of a steady call in IP packets", "bytes", f"Both ways. {_VARIES}"),
    _counted("packets", "packets of a steady call", "packets", "Both ways."),
    _counted("round_trips", "round trips of a steady call", "round trips", "A turn of each side."),
    _counted("first_bytes", "bytes of the first call in its TCP streams", "bytes", "Both ways."),
    _counted(
        "life_bytes",
        "bytes of a fresh client's life in its TCP streams",
        "bytes",
        "It connects, calls once and ends.",
    ),
    _counted(
        "bytes_per_item", "bytes that one more item costs", "bytes", "Over the whole range of a sweep over numbers."
    ),
    _counted("total_bytes", "bytes of all lives of a sweep", "bytes", "In their TCP streams, both ways."),
)
