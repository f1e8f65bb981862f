"""The test of a warm-up on curves whose truth is known: recorded ones, steps, exponentials, noise, drift."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callbench.stats.steady.steady import settled
from callbench.stats.steady.warmed import AGAIN_SECONDS, WarmUpFit, WarmUpSegment, look

Curve = Callable[[float], float]
PIECE_S = 0.2
END_S = 60.0


def through(*points: tuple[float, float]) -> Curve:
    """A curve through seconds and rates, even on a logarithmic scale, flat behind the last."""
    seconds, rates = zip(*points, strict=True)
    return lambda now: math.exp(np.interp(now, seconds, np.log(rates)))


# As they were recorded over whole seconds: 516 calls/s in the first, 6,500 in the tenth, 26,500 in the 25th, then flat.
JERSEY = through((0.5, 516), (9.5, 6500), (24.5, 26_500))
HESSIAN = through((0.5, 358), (9.5, 5000))
GRPC = through((0.5, 127), (19.5, 4000))
RECORDED = {"jersey": JERSEY, "hessian2": HESSIAN, "grpc": GRPC}


def stops(curve: Curve, spread: float = 0.0, drift: float = 0.0, seed: int = 0) -> float:
    """Return when a warm-up along the curve would end, in seconds; 60 if it is never steady."""
    dice = np.random.default_rng(seed)
    pieces: list[WarmUpSegment] = []
    while (now := len(pieces) * PIECE_S) < END_S:
        rate = curve(now + PIECE_S / 2) * dice.lognormal(0, spread) * math.exp(drift * now)
        pieces.append(WarmUpSegment(round(rate * PIECE_S), PIECE_S))
        if look(pieces).steady:
            break
    return len(pieces) * PIECE_S


def old_rule_stops(curve: Curve) -> float:
    """The former rule: after 3 s, as in Java's manifest, as soon as two pieces of 50 ms were not faster."""
    rates: list[float] = []
    while (now := len(rates) * 0.05) < 3 or not settled(rates):
        rates.append(round(curve(now + 0.025) * 0.05) / 0.05)
    return len(rates) * 0.05


@pytest.mark.parametrize("name", RECORDED)
def test_the_recorded_curves_are_waited_for_and_were_not_before(name: str) -> None:
    curve = RECORDED[name]
    assert curve(old_rule_stops(curve)) < 0.2 * curve(END_S)
    for seed in range(10):
        for spread, drift in ((0.0, 0.0), (0.1, 0.0), (0.1, 0.005), (0.1, -0.005)):
            at = stops(curve, spread, drift, seed)
            assert curve(at) >= 0.95 * curve(END_S)
            assert at < END_S


@given(length=st.floats(0.5, 3.5), step=st.floats(1.3, 4), steps=st.integers(1, 6), seed=st.integers(0, 999))
@settings(max_examples=60, deadline=None)
def test_flat_pieces_between_the_steps_of_a_compiler_do_not_end_it(
    length: float, step: float, steps: int, seed: int
) -> None:
    def curve(now: float) -> float:
        return 2_000 * step ** min(int(now / length), steps)

    at = stops(curve, 0.02, seed=seed)
    assert curve(at) == curve(END_S)
    assert at < END_S


@given(slow=st.floats(2, 8), begins=st.floats(0.02, 0.5), seed=st.integers(0, 999))
@settings(max_examples=40, deadline=None)
def test_a_slow_exponential_has_little_left_to_gain(slow: float, begins: float, seed: int) -> None:
    def curve(now: float) -> float:
        return 26_500 * (1 - (1 - begins) * math.exp(-now / slow))

    assert curve(stops(curve, 0.02, seed=seed)) >= 0.9 * curve(END_S)


@given(drift=st.floats(-0.005, 0.005), seed=st.integers(0, 9999))
@settings(max_examples=60, deadline=None)
def test_a_constant_rate_with_noise_and_drift_is_steady_soon(drift: float, seed: int) -> None:
    assert stops(lambda _: 1_000, 0.1, drift, seed) <= 25


def test_what_rises_for_ever_is_never_steady() -> None:
    for seed in range(10):
        assert stops(lambda now: 1_000 * 1.05**now, 0.02, seed=seed) == END_S


def test_a_further_cell_needs_a_second() -> None:
    flat = [WarmUpSegment(100, 0.1)] * 12
    assert look(flat, AGAIN_SECONDS).steady
    assert not look(flat[:9], AGAIN_SECONDS).steady


def test_a_curve_that_is_too_short_says_nothing() -> None:
    assert look([WarmUpSegment(100, 1.0)] * 4) == WarmUpFit(None, 0.0)
    assert look([WarmUpSegment(100, 4.0)] * 2).why_not == "too short to tell"
    assert not look([]).steady


def test_a_compiler_at_work_keeps_a_flat_curve_going() -> None:
    flat = [WarmUpSegment(100, PIECE_S, 0.3 * PIECE_S)] * 60
    assert not look(flat).steady
    assert look(flat).why_not == "the compiler took 30 % of a processor"
    assert look([*flat, *[WarmUpSegment(100, PIECE_S)] * 70]).steady


def test_a_pause_of_the_machine_is_no_rise() -> None:
    calm = [WarmUpSegment(100, PIECE_S)] * 60
    paused = [*calm[:-2], WarmUpSegment(1, PIECE_S), WarmUpSegment(1, PIECE_S)]
    assert look(paused).steady


def test_calls_that_begin_to_be_answered_late_are_a_rise() -> None:
    found = look([*[WarmUpSegment(0, PIECE_S)] * 40, *[WarmUpSegment(100, PIECE_S)] * 15])
    assert not found.steady


def compiled(busy_s: float, rate_before: float, rate_after: float, length_s: float) -> list[WarmUpSegment]:
    """A curve whose compiler can be seen: at work for so long, then silent but for a hundredth of a processor."""
    pieces = []
    for place in range(round(length_s / PIECE_S)):
        works = place * PIECE_S < busy_s
        rate = rate_before + (rate_after - rate_before) * min(1.0, place * PIECE_S / busy_s)
        pieces.append(WarmUpSegment(round(rate * PIECE_S), PIECE_S, PIECE_S * (0.3 if works else 0.01)))
    return pieces


def test_a_compiler_that_is_seen_to_be_silent_is_not_waited_for_as_long_again() -> None:
    """As Java's JSON over HTTP was recorded: 20 s of compiling, flat from then on. The curve alone took 36 s."""
    curve = compiled(20.0, 200, 3500, 60.0)
    ends = next(count for count in range(1, len(curve)) if look(curve[:count]).steady) * PIECE_S
    assert 22.0 < ends < 26.0
    unseen = [WarmUpSegment(piece.calls, piece.seconds) for piece in curve]
    assert next(count for count in range(1, len(curve)) if look(unseen[:count]).steady) * PIECE_S > 28.0


def test_a_rate_that_still_rises_is_not_steady_because_its_compiler_is_silent() -> None:
    rising = [WarmUpSegment(round(100 * 1.01**place), PIECE_S, 0.0) for place in range(150)]
    rising[0] = WarmUpSegment(rising[0].calls, PIECE_S, PIECE_S)
    assert not look(rising).steady


def test_a_compiler_at_work_again_is_waited_for_again() -> None:
    curve = compiled(10.0, 200, 3500, 16.0)
    assert look(curve).steady
    again = [*curve, *(WarmUpSegment(700, PIECE_S, 0.5 * PIECE_S) for _ in range(5))]
    assert not look(again).steady
    assert look([*again, *(WarmUpSegment(700, PIECE_S, 0.0) for _ in range(30))]).steady
