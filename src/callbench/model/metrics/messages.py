"""What a call's messages are: their bytes, and the time to write and read them."""

from callbench.model.metrics.metric import Better, Combination, Metric, QueryRows, StudyUse, ValueFormat

METRICS = (
    Metric(
        name="bytes",
        title="bytes of a call's two messages",
        unit="bytes",
        about="The mean over 64 payloads, without the channel. No value for a stack without a codec of its own.",
        better=Better.LOWER,
        combined=Combination.ONCE,
        form=ValueFormat.WHOLE,
    ),
    Metric(
        name="codec_us",
        title="time to encode and decode a call's two messages",
        unit="µs",
        about="The mean over 64 payloads.",
        better=Better.LOWER,
        combined=Combination.ONCE,
    ),
    Metric(
        name="decoded_bytes",
        title="bytes of an answer's body that a server decodes",
        unit="bytes",
        about="Only of a server that reports its stages.",
        better=Better.LOWER,
        rows=QueryRows("stages WHERE stage = 'decode' AND times > 0", "sum(bytes) / sum(times)"),
    ),
    Metric(
        name="break_even_mbit",
        title="rate of a link below which it pays",
        unit="Mbit/s",
        about="Below it the cell arrives sooner than the cell of the row's `against`, given this machine's times.",
        better=Better.HIGHER,
        combined=Combination.PLACE,
        asked=StudyUse.COLUMNS,
    ),
)
