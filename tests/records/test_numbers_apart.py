"""A text whose numbers are apart comes back as it was, whatever it is."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from callbench.store.numbers_apart import apart, together


@given(
    st.lists(st.sampled_from([b"[", b"],[", b",", b"0", b"7", b"-", b" ", b"\n", b"=", b"\0", b"+12", b"9" * 19])).map(
        b"".join
    )
)
@example(b"[[5,1],[7,2],[7,30],[3,1]]")
@example(b"[1],[007],[8],[" + b"9" * 5000 + b"],[2]")
@example(b"")
def test_a_text_comes_back(text: bytes) -> None:
    assert b"".join(together(*apart(text))) == text


def test_numbers_behind_the_same_words_are_beside_each_other_and_rise() -> None:
    text, numbers = apart(b'{"at":10,"b":[[70,3],[72,5]]}\n{"at":11,"b":[[69,1],[75,2]]}\n')
    assert text.count(b"\0") == 6
    assert b"2,5 6,2" in numbers.split(b"\n")


@pytest.mark.parametrize("numbers", [b"", b"1", b"x"])
def test_numbers_that_do_not_fit_are_refused(numbers: bytes) -> None:
    text, _ = apart(b"[1],[2],[3]")
    with pytest.raises(ValueError, match=r"numbers|int\(\)"):
        list(together(text, numbers))
