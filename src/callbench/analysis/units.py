"""Units of the statistics that a study can ask for."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Unit:
    """What a statistic is called, what it is measured in ("" where it is words), and which way is better."""

    title: str
    name: str
    more_is_better: bool


UNITS = {
    "rate_per_s": Unit("rate", "calls/s", more_is_better=True),
    "mean_us": Unit("mean time of a call", "µs", more_is_better=False),
    "echoes": Unit("mean time of a call in echoes of its rounds", "echoes", more_is_better=False),
    "p50_us": Unit("median latency", "µs", more_is_better=False),
    "p90_us": Unit("latency, 90th percentile", "µs", more_is_better=False),
    "p99_us": Unit("latency, 99th percentile", "µs", more_is_better=False),
    "cpu_us": Unit("processor time of a call, both sides", "µs", more_is_better=False),
    "codec_us": Unit("time of a call's message alone, both sides", "µs", more_is_better=False),
    "break_even_mbit": Unit("rate of a link below which it pays", "Mbit/s", more_is_better=True),
    "bytes": Unit("bytes of a call's two messages", "bytes", more_is_better=False),
    "client_cpu_us": Unit("processor time of a call, client", "µs", more_is_better=False),
    "server_cpu_us": Unit("processor time of a call, server", "µs", more_is_better=False),
    "backend_cpu_us": Unit("processor time of a call, what stands behind the server", "µs", more_is_better=False),
    "decoded_bytes": Unit("bytes of an answer's body that a server decodes", "bytes", more_is_better=False),
    "link_bytes": Unit("bytes of a call in frames over the link", "bytes", more_is_better=False),
    "memory_begin_mib": Unit("the server's memory before the load", "MiB", more_is_better=False),
    "memory_peak_mib": Unit("the server's memory at the most", "MiB", more_is_better=False),
    "memory_end_mib": Unit("the server's memory at the end of the load", "MiB", more_is_better=False),
    "memory_rest_mib": Unit("the server's memory after a rest", "MiB", more_is_better=False),
    "threads_peak": Unit("threads of the server at the most", "threads", more_is_better=False),
    "threads_made_per_call": Unit("threads that the server makes for a call", "threads", more_is_better=False),
    "memory_per_call_bytes": Unit("what a call adds to the server's memory", "bytes", more_is_better=False),
    "answered_share": Unit("calls answered rightly, of those made", "shares of 1", more_is_better=True),
    "limit": Unit("what limited the rate", "", more_is_better=True),
    "stream_bytes": Unit("bytes of a steady call in its TCP streams", "bytes", more_is_better=False),
    "wire_bytes": Unit("bytes of a steady call in IP packets", "bytes", more_is_better=False),
    "packets": Unit("packets of a steady call", "packets", more_is_better=False),
    "round_trips": Unit("round trips of a steady call", "round trips", more_is_better=False),
    "first_bytes": Unit("bytes of the first call in its TCP streams", "bytes", more_is_better=False),
    "life_bytes": Unit("bytes of a fresh client's life in its TCP streams", "bytes", more_is_better=False),
    "bytes_per_item": Unit("bytes that one more item costs", "bytes", more_is_better=False),
    "total_bytes": Unit("bytes of all lives of a sweep", "bytes", more_is_better=False),
}
