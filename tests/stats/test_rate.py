"""The rate of a drive: whatever its clients do, its calls within the window over the window."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callbench.stats.load.rate import Drive, Window, together, window_of

DRIVEN: Drive = {"calls": 71_001, "errors": {}, "elapsed_ns": 6_980_000_000}


def test_one_straggler_does_not_stretch_the_time_of_all() -> None:
    """A server that delays one of 71,001 calls by 6 s, driven for 3 s: 10,172 calls/s were reported."""
    told: Drive = {**DRIVEN, "window_ns": 3_000_000_000, "answered": 71_000, "in_flight": 1, "in_flight_part": 0.25}
    assert window_of(told) == Window(71_000.25, 3_000_000_000, 1)
    assert window_of(told).per_s == pytest.approx(71_000.25 / 3)


def test_who_does_not_tell_the_window_is_taken_whole() -> None:
    assert window_of(DRIVEN) == Window(71_001.0, 6_980_000_000)
    assert Window(0.0, 0).per_s == 0.0


def test_drives_together_are_all_their_calls_over_all_their_time() -> None:
    told: Drive = {**DRIVEN, "window_ns": 10**9, "answered": 10, "in_flight": 2, "in_flight_part": 0.5}
    assert together([told, told]) == Window(21.0, 2 * 10**9, 4)
    assert together([]) == Window(0.0, 0)


@given(
    st.integers(1, 60),
    st.integers(0, 300_000),
    st.lists(st.integers(1_000, 200_000), min_size=1, max_size=20),
    st.integers(1_000, 100_000),
)
def test_the_rate_is_that_of_the_clients_within_a_call_of_each(
    clients: int, think: int, latencies: list[int], window: int
) -> None:
    """Drives on virtual time, reported as in the contract: any think time, latencies, clients and window."""
    answered, parts, in_flight, calls, last, cycles = 0, 0.0, 0, 0, 0, 0.0
    for client in range(clients):
        at, number = think * (2 * client + 1) // (2 * clients), client
        while at < window:
            latency = latencies[number % len(latencies)]
            ended, number, calls = at + latency, number + 1, calls + 1
            if ended <= window:
                answered += 1
            else:
                in_flight, parts = in_flight + 1, parts + (window - at) / latency
            # How many rounds of this client lie within the window: what is to be found, but for its first thought.
            cycles += min(1.0, (window - at) / (latency + think))
            last, at = max(last, ended), ended + think
    told: Drive = {"calls": calls, "errors": {}, "elapsed_ns": max(last, 1), "window_ns": window, "answered": answered}
    found = window_of({**told, "in_flight": in_flight, "in_flight_part": parts})
    assert abs(found.per_s * window / 1e9 - cycles) <= clients * (1 + 1e-9)
    assert found.ns == window
