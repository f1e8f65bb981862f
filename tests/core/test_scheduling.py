"""Which tests may run beside others of their file."""

import pytest

from conftest import TESTS
from scheduling import LONGEST, is_spread, unit_of


def test_long_files_are_there() -> None:
    assert [name for name in LONGEST if not (TESTS / name).is_file()] == []


@pytest.mark.parametrize(
    ("file", "is_spread_"),
    [
        ("native/test_contract.py", True),
        ("external/test_one_way.py", True),
        ("own/test_compiled.py", False),  # Its tests share a service that is compiled.
        ("faults/test_misbehaving.py", True),
        ("core/test_select.py", False),  # It is short.
    ],
)
def test_a_long_file_is_spread_whose_tests_share_nothing(file: str, is_spread_: bool) -> None:
    assert is_spread(TESTS / file) is is_spread_


@pytest.mark.parametrize("channel", ["tcp", "a::b"])
def test_each_test_of_a_file_that_is_spread_is_given_out_by_itself(channel: str) -> None:
    test = f"test_it_keeps_the_contract[{channel}]"
    for file, unit in (
        ("tests/native/test_contract.py", f"tests/native/test_contract.py::{test}"),
        ("tests/own/test_compiled.py", "tests/own/test_compiled.py"),
    ):
        assert unit_of(f"{file}::{test}") == unit
