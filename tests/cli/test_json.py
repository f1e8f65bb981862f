"""Results for programs: which commands print them."""

import pytest

from command_tree import One, every

# What prints no result, and why.
WITHOUT = {
    "callbench manual": "it prints a page",
    "callbench report": "it prints the path of a file, whose format --format says",
    "callbench ui": "it serves a page",
    "callbench publish": "it writes pages",
    "callbench agent": "it serves orders",
    "callbench hosts init": "it writes keys",
    "callbench hosts start": "it serves hosts",
}


@pytest.mark.parametrize("one", [one for one in every() if not one.group], ids=lambda one: one.path)
def test_every_command_that_prints_a_result_prints_it_for_programs(one: One) -> None:
    assert ("--json" in one.options) is (one.path not in WITHOUT)
