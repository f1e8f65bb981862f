"""Growth, rhythms and sweeps on known answers: the thesis's own tables, and counts that are known at every size."""

import tomllib
from pathlib import Path

import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from callbench.stats.wire.growth import accumulated, growth, rhythm
from callbench.stats.wire.linear_fit import fitted
from callbench.stats.wire.sweep import Jump, even, swept

THESIS = tomllib.loads((Path(__file__).parents[2] / "studies/published/thesis-2003.toml").read_text())
COLUMNS = THESIS["array_bytes"]["columns"]
SIZES = list(range(0, 5000, 500))
GRID = list(range(0, 100_001, 500))


def column(name: str) -> list[int]:
    """A column of the thesis's table of arrays of bytes."""
    return [THESIS["array_bytes"][str(size)][COLUMNS.index(name)] for size in SIZES]


def test_growth_gives_the_table_that_the_printed_formula_cannot() -> None:
    printed = THESIS["dcom_growth"]["steps"]
    deltas = growth(SIZES, column("dcom"), 1)
    assert deltas == [delta for _, delta, _ in printed[: len(deltas)]]
    assert accumulated([delta for _, delta, _ in printed]) == [total for _, _, total in printed]
    assert not any(growth(SIZES, column("rmi"), 1))
    assert not any(growth(SIZES, column("remoting-tcp"), 1))


@pytest.mark.parametrize("name", ["rmi-iiop", "corba"])
def test_rhythm_finds_16_bytes_in_1000_items(name: str) -> None:
    found = rhythm(column(name))
    assert (found.steps * 500, found.rise - found.steps * 500) == (1000, 16)


def test_line_through_points_and_through_the_first() -> None:
    line = fitted([0, 1, 2, 3], [1, 3, 5, 7])
    assert (line.slope, line.intercept, line.greatest) == pytest.approx((2, 1, 0))
    xs, ys = [0.2, 337.4, 118.2, 884.6, 10.1], [0.1, 338.8, 118.1, 888.0, 9.2]
    independent = scipy.stats.linregress(xs, ys)
    assert (fitted(xs, ys).slope, fitted(xs, ys).intercept) == pytest.approx((independent.slope, independent.intercept))
    bent = fitted([1, 2], [10, 14], intercept=4)
    assert (bent.slope, *bent.residuals) == pytest.approx((5.2, 0.8, -0.4))
    with pytest.raises(ValueError, match="different x"):
        fitted([3, 3], [1, 2])


def test_sweep_of_a_line_measures_few() -> None:
    found = swept(GRID, lambda size: 300 + 8 * size, 64)
    assert found.exact
    assert not found.jumps
    assert len(found.measured) <= 16
    assert (found.rhythm.steps, found.rhythm.rise) == (1, 4000)


def test_sweep_finds_periods_and_jumps() -> None:
    def count(size: int) -> int:
        # CORBA's 16 bytes in 1000 items, and a length written in decimal digits before it.
        body = 500 + size + 16 * (size // 1000)
        return body + len(str(body))

    found = swept(GRID, count, 80)
    assert found.exact
    assert all(found.count(size) == count(size) for size in GRID)
    assert (found.rhythm.steps, found.rhythm.rise) == (2, 1016)
    assert [jump.bytes for jump in found.jumps if jump.after > 1000] == [1, 1]
    assert len(found.measured) < 60


def test_only_even_numbers_follow_from_each_other() -> None:
    assert even([0, 5, 10])
    assert not even([0, 5, 11])
    assert not even(["int", "byte", "char"])
    assert not even([0, 5])


def test_jump_is_found_between_two_sizes() -> None:
    def count(size: int) -> int:
        return 40 + size + (3 if size >= 16_384 else 0)

    found = swept(GRID, count, 64)
    assert found.jumps == (Jump(16_000, 16_500, 3),)


def test_sweep_of_noise_stops_at_its_limit() -> None:
    found = swept(GRID, lambda size: 3 * size + (size * 7919 // 500) % 11, 24)
    assert not found.exact
    assert len(found.measured) <= 24
    assert found.measured[100_000]


@given(
    base=st.integers(0, 5000),
    rise=st.lists(st.integers(0, 3000), min_size=1, max_size=5),
    places=st.lists(st.tuples(st.integers(14, 120), st.integers(1, 9)), max_size=3),
    length=st.integers(20, 120),
)
def test_whatever_is_inferred_is_right(base: int, rise: list[int], places: list[tuple[int, int]], length: int) -> None:
    """Jumps that only add up are always found: a stretch whose ends agree has none within."""

    def count(size: int) -> int:
        whole, rest = divmod(size, len(rise))
        jumps = sum(height for place, height in places if size >= place)
        return base + whole * sum(rise) + sum(rise[:rest]) + jumps

    found = swept(range(length), count, 200)
    assert found.exact
    assert all(found.count(size) == count(size) for size in range(length))
