"""A chart in fewer bytes is the same picture."""

import math
import re

from callbench.report.charts.compact import compact
from callbench.report.charts.draw import to_svg
from callbench.report.charts.path_data import shorter
from callbench.report.charts.steps import Axes, Point, steps

ROOT = '<g fill="none" stroke-miterlimit="10">{}</g>'


def drawn(inner: str) -> str:
    return compact(ROOT.format(inner)).removeprefix('<g fill="none" stroke-miterlimit="10">').removesuffix("</g>")


def test_what_draws_nothing_is_left_out() -> None:
    empty = '<path class="foreground" aria-hidden="true" d="" display="none"/>'
    frame = '<path class="background" d="M0,0h800v80h-800Z"/>'
    mark = '<path d="M0,0h10v2.04h-10Z" fill="var(--ink)" opacity="1"/>'
    assert drawn(f'<g class="mark-group"><g transform="translate(0,0)">{frame}{mark}{empty}</g></g>') == (
        '<path fill="var(--ink)" stroke-miterlimit="10" d="M0 0h10v2h-10z"/>'
    )


def test_lines_of_one_style_are_one_path_and_others_are_not() -> None:
    line = '<line transform="translate({},5)" x2="{}" y2="{}" stroke="{}" opacity="0.75"/>'
    assert drawn(line.format(1, 2, 0, "a") + line.format(10.26, 0, 8, "a") + line.format(3, 4, 5, "b")) == (
        '<path stroke="a" opacity="0.75" d="M1 5h2m7.3 0v8"/><path stroke="b" opacity="0.75" d="M3 5l4 5"/>'
    )


def test_marks_of_one_style_are_one_path_and_what_is_turned_is_not() -> None:
    mark = '<path transform="translate({},{})" d="M0,-2L-1,1L1,1Z" fill="a"/>'
    turned = '<path d="M0,0h1" stroke="a" transform="rotate(45)"/>'
    assert drawn(mark.format(10, 20) + mark.format(30.5, 40) + turned + turned) == (
        '<path d="M10 18l-1 3h2zM30.5 38l-1 3h2z" fill="a"/>'
        '<g stroke="a"><path d="M0 0h1" transform="rotate(45)"/><path d="M0 0h1" transform="rotate(45)"/></g>'
    )


def test_bars_are_put_together_by_style_unless_one_lies_over_another() -> None:
    bar = '<path d="M{},0h10v5h-10Z" fill="{}"/>'
    beside = [bar.format(place * 10, "ab"[place % 2]) for place in range(4)]
    assert drawn("".join(beside)) == (
        '<g fill="none" stroke-miterlimit="10" stroke-width="5">'
        '<path d="M0 2.5h10m10 0h10" stroke="a"/><path d="M10 2.5h10m10 0h10" stroke="b"/>'
    )
    over = [bar.format(place * 3, "ab"[place % 2]) for place in range(4)]
    assert drawn("".join(over)).count("<path") == 4


def test_what_neighbours_have_alike_is_said_once_and_opacity_is_not() -> None:
    text = '<text transform="translate({},0)" font-size="11px" fill="a" opacity="0.5">{}</text>'
    found = compact(ROOT.format(text.format(1, "x") + text.format(2, "y")))
    assert found.count("font-size") == 1
    assert found.count('opacity="0.5"') == 2


def test_a_group_keeps_a_value_that_a_child_does_not_have() -> None:
    """A text that starts at its place has no anchor: it must not take that of its neighbours."""
    ends = '<text text-anchor="end" x="0" y="0">a</text><text text-anchor="end" x="0" y="0">b</text>'
    starts = '<text text-anchor="start" x="0" y="0">c</text>'
    found = drawn(ends + starts)
    assert (
        found
        == '<g text-anchor="end"><text x="0" y="0">a</text><text x="0" y="0">b</text></g><text x="0" y="0">c</text>'
    )


def test_a_whole_chart_keeps_its_texts_its_marks_and_its_font() -> None:
    points = [Point(name, x, x * 3.14159, x * 3, x * 3.3) for name in ("one", "two") for x in (1.0, 2.0, 4.0)]
    svg = str(to_svg(steps(points, [], Axes("clients", "calls/s")) or {}, "A chart"))
    wide = svg[: svg.index('<div class="narrow">')]
    assert {"clients", "calls/s", "one", "two"} <= set(re.findall(r">([^<]+)</text>", wide))
    # The first series has discs: three in one path on the chart, and one in the legend.
    assert len(re.findall(r"M[\d. ]+h0|m[-\d. ]+h0", wide)) == 4
    assert "aria-roledescription" not in svg
    assert not re.search(r"\d\.\d{3}", re.sub(r"<svg [^>]*>", "", wide))


def test_a_text_of_several_lines_is_kept_where_it_is() -> None:
    lines = '<tspan>native/</tspan><tspan x="0" dy="12">json+http</tspan>'
    text = f'<text transform="translate(16,9)" fill="a">{lines}</text>'
    found = drawn(text)
    assert found.endswith(f">{lines}</text>")
    assert 'transform="translate(16,9)"' in found
    assert " x=" not in found.partition("<tspan>")[0]
    assert drawn(f'<text fill="a"></text>{text}').count("<text") == 1


def test_a_path_goes_from_place_to_place_and_its_roundings_do_not_add_up() -> None:
    steps_ = "".join(f"L{place * 0.34:.2f},0.5" for place in range(1, 101))
    short = shorter(f"M0,0.5{steps_}Z")
    sizes = [float(size) for size in re.findall(r"\.\d", short.removeprefix("M0 .5"))]
    assert short.startswith("M0 .5h.3.4.3")
    assert math.isclose(sum(sizes), 34)


def test_a_line_after_a_move_to_a_place_keeps_its_letter() -> None:
    """Numbers without a letter would be read as another place of the picture."""
    assert shorter("M110,120L113,124M111,121L114,125") == "M110 120l3 4m-2-3 3 4"


def test_curves_and_arcs_stay_what_they_are() -> None:
    assert shorter("M10,10C11,10,12,11,12,12L12,20A3,4,0,1,0,15,20Z") == "M10 10c1 0 2 1 2 2v8a3 4 0 1 0 3 0z"


def test_marks_of_one_size_are_drawn_with_a_pen_and_others_are_filled() -> None:
    disc = '<path transform="translate({},7)" d="M2,0A2,2,0,1,1,-2,0A2,2,0,1,1,2,0" fill="a"/>'
    cross = (
        '<path transform="translate({},9)" fill="b" d="M-3,-1L-3,1L-1,1L-1,3L1,3L1,1L3,1L3,-1L1,-1L1,-3L-1,-3L-1,-1Z"/>'
    )
    assert drawn(disc.format(5) + disc.format(9) + cross.format(4) + cross.format(24)) == (
        '<path d="M5 7h0M9 7h0" stroke-linecap="round" stroke="a" stroke-width="4"/>'
        '<path d="M1 9h6M4 6v6M21 9h6M24 6v6" stroke="b" stroke-width="2"/>'
    )
    rimmed = disc.replace('fill="a"', 'fill="a" stroke="c"')
    assert 'fill="a"' in drawn(rimmed.format(5) + rimmed.format(9))
    bar = '<path d="M{},0h{}v{}h-{}Z" fill="a"/>'
    assert 'fill="a"' in drawn(bar.format(0, 5, 6, 5) + bar.format(9, 4, 7, 4))
