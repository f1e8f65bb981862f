"""The generators behind all data."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callbench.adapter.service import generate
from callbench.adapter.service.generate import SplitMix64

SEEDS = st.integers(0, 2**64 - 1)


def test_splitmix_gives_the_published_vector() -> None:
    generator = SplitMix64(1234567)
    assert [generator.next() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@given(SEEDS, st.integers(0, 50), st.integers(1, 2**32))
def test_draws_at_once_are_the_draws_one_by_one(seed: int, count: int, below: int) -> None:
    one, other = SplitMix64(seed), SplitMix64(seed)
    assert generate.words(seed, count).tolist() == [one.next() for _ in range(count)]
    assert generate.draws(seed, count, below).tolist() == [other.draw(below) for _ in range(count)]


@pytest.mark.parametrize("fill", generate.FILLS)
@given(size=st.integers(0, 3000))
def test_binary_data_has_the_length_requested(fill: str, size: int) -> None:
    assert len(generate.binary(size, fill)) == (size // 4 * 4 if fill == "article" else size)


@given(st.sampled_from(["fixed", "random", "bmp"]), st.integers(0, 300), SEEDS)
def test_strings_are_valid_unicode_of_the_length_requested(content: str, count: int, seed: int) -> None:
    made = generate.string(content, count, seed)
    assert len(made) == count
    assert made.encode().decode() == made
    assert all(" " <= character <= "\ufffd" for character in made)
