"""Shares as people type them: the sentence of a refusal names the limits that hold."""

import pytest

from callbench.model.errors import BadInput
from callbench.runner.compare.command import given


@pytest.mark.parametrize("text", ["0%", "10%", "100%", "250%", "1000%"])
def test_a_p99_may_double(text: str) -> None:
    """`--p99-threshold 100%` was refused: it must lie between -1e-07% and 100%."""
    assert given(None, None, text).p99_threshold == float(text[:-1]) / 100


@pytest.mark.parametrize(
    ("level", "threshold", "p99", "why"),
    [
        (None, None, "1001%", "--p99-threshold 1001%: it must be at least 0% and at most 1000%"),
        (None, "100%", None, "--threshold 100%: it must be at least 0% and below 100%"),
        ("100%", None, None, "--level 100%: it must be above 0% and below 100%"),
        ("0%", None, None, "--level 0%: it must be above 0% and below 100%"),
    ],
)
def test_a_share_out_of_range_is_refused_with_its_limits(
    level: str | None, threshold: str | None, p99: str | None, why: str
) -> None:
    with pytest.raises(BadInput, match=f"^{why}$"):
        given(level, threshold, p99)
