"""Digits follow the interval."""

import pytest

from callbench.stats.estimate.digits import end, figure, given, share, short_figure


@pytest.mark.parametrize(
    ("value", "half_width", "text"),
    [
        (12_345.6, 0.04, "12,300"),
        (12_345.6, 0.0004, "12,350"),
        (12_345.6, 0.5, "12,000"),
        (12_345.6, 3.0, "10,000"),
        (12_345.6, None, "12,000"),
        (12_345.6, 0.0, "12,350"),
        (84_947.000000001, 1e-12, "84,947"),
        (0.5234, 0.04, "0.52"),
        (23.85, 0.01, "23.9"),
        (1.0, 0.02, "1.00"),
        (0.0, 0.1, "0"),
    ],
)
def test_figures(value: float, half_width: float | None, text: str) -> None:
    assert figure(value, half_width) == text


def test_shares() -> None:
    assert share(0.04) == "± 4 %"
    assert share(0.004) == "± 0.4 %"
    assert share(1e-12) == "± 0 %"
    assert [share(half) for half in (4e-4, 6e-5, 4e-5)] == ["± 0.04 %", "± 0.006 %", "± under 0.01 %"]
    assert share(5e12) == "×÷ > 100"
    assert share(None) == ""
    assert share(2.1) == "×÷ 3.1"


def test_ends_of_an_interval_around_zero() -> None:
    assert [end(value, 0.0, half) for value, half in ((0.0, None), (7.112, None), (0.0123, 0.5))] == [
        "0",
        "7.1",
        "0.012",
    ]


@pytest.mark.parametrize(
    ("value", "half_width", "text"),
    [
        (175_000, 0.9, "180k"),
        (180_400, 0.9, "180k"),
        (168_000, 2.0, "170k"),
        (12_800_000, 0.05, "12.8M"),
        (104_600, 0.01, "105k"),
        (2_431, 0.03, "2,430"),
        (2_431, None, "2,400"),
        (0, None, "0"),
    ],
)
def test_a_value_without_its_interval_has_two_digits_at_least(
    value: float, half_width: float | None, text: str
) -> None:
    assert short_figure(value, half_width) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1_000_000.0, "1,000,000"),
        (1e12, "1,000,000,000,000"),
        (2_592_000.0, "2,592,000"),
        (1234567.25, "1,234,567.25"),
        (0.04, "0.04"),
        (0.00001, "0.00001"),
        (50.0, "50"),
        (-3.5, "-3.5"),
        (0.0, "0"),
        (0.1 + 0.2, "0.3"),
    ],
)
def test_what_a_person_gave_is_no_power_of_ten(value: float, text: str) -> None:
    assert given(value) == text
