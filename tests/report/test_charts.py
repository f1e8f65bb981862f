"""Charts on a wide screen and on a phone: names whole, legends that do not overlap, nothing to scroll sideways."""

import html
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callbench.analysis.run.subject import subject
from callbench.analysis.wire.counts import SHARES
from callbench.report.charts import palette
from callbench.report.charts.cut_ends import cut_text
from callbench.report.charts.draw import to_svg
from callbench.report.charts.knee import KneeStep, ObjectiveMark, knee_chart
from callbench.report.charts.narrow import PHONE, columns, narrow
from callbench.report.charts.ratios import RatioMark, ratios
from callbench.report.charts.shares import shares
from callbench.report.export.formats import TEXTS
from callbench.stats.estimate.interval import Interval
from callbench.store.record import Record
from report.synthetic import write

LONG = ("native/protobuf+http-keepalive", "load/http1:pascal/fphttpserver-invocation", "java/cxf-soap")
PARTS = {name: {"payload": 12.0, "encoding and framing": 800.0, "TCP and IP headers": 104.0} for name in LONG}


def knee() -> dict[str, Any]:
    tried = [KneeStep(name, 2.0**place, 900.0 * 2**place, place < 3) for name in LONG for place in range(5)]
    spec = knee_chart(
        tried, "clients, logarithmic", "p99, microseconds, logarithmic", ObjectiveMark("p99 under 5 ms", 5000.0)
    )
    assert spec is not None
    return spec


def test_an_interval_that_says_nothing_does_not_stretch_the_axis() -> None:
    """It reached from 8e-6 to 74,038, and all other intervals were points."""
    known, unknown = Interval(0.95, 0.93, 0.97, 12), Interval(1.1, 8.1e-6, 74038.5, 2)
    alone, beside = (
        ratios([RatioMark(f"{place}", one, "x", passed=True) for place, one in enumerate(every)], "B / A")
        for every in ([known], [known, unknown])
    )
    assert alone is not None
    assert beside is not None
    values = beside["data"]["values"]
    assert min(value["low"] for value in values) >= 0.09
    assert max(value["high"] for value in values) <= 11
    assert [value.get("above", False) for value in values] == [False, True]
    assert len(beside["layer"]) == len(alone["layer"]) + 2, "an arrow at each end"
    assert "74,038" not in values[1]["said"]
    assert (cut_text([known], [1.0]), bool(cut_text([known, unknown], [1.0]))) == ("", True)


def both(svg: str) -> tuple[str, str]:
    wide, _, small = svg.partition('<div class="narrow">')
    return wide, small


@pytest.mark.parametrize("spec", [shares(PARTS, SHARES), knee()], ids=["wire", "knee"])
def test_names_are_whole(spec: dict[str, Any]) -> None:
    wide, small = both(str(to_svg(spec, "x")))
    assert all(name in wide for name in LONG)
    assert "…" not in wide + small


@pytest.mark.parametrize("spec", [shares(PARTS, SHARES), knee()], ids=["wire", "knee"])
def test_the_narrow_one_has_each_name_in_its_lines(spec: dict[str, Any]) -> None:
    """They were left out as empty, since a text of several lines has no text of its own."""
    _, small = both(str(to_svg(spec, "x")))
    texts = ["".join(re.findall(r">([^<]+)<", text)) for text in re.findall(r"<text[^>]*>.*?</text>", small)]
    assert not [name for name in LONG if name not in texts]


def test_a_long_name_in_a_legend_stands_in_lines() -> None:
    name = "python/json+aiohttp:native/json+http-keepalive"
    spec: dict[str, Any] = {
        "data": {"values": [{"stack": stack, "x": 1} for stack in (name, "short")]},
        "mark": "point",
        "encoding": {
            "x": {"field": "x", "type": "quantitative"},
            "color": {"field": "stack", "type": "nominal", "scale": {"domain": [name, "short"]}},
        },
    }
    assert (
        '"python/json+aiohttp:native/json+", "http-keepalive"'
        in narrow(spec)["encoding"]["color"]["legend"]["labelExpr"]
    )
    hidden: dict[str, Any] = {**spec["encoding"]["color"], "legend": None}
    without = narrow({**spec, "encoding": {**spec["encoding"], "color": hidden}})
    assert without["encoding"]["color"]["legend"] is None


@pytest.mark.parametrize("spec", [shares(PARTS, SHARES), knee()], ids=["wire", "knee"])
def test_the_narrow_one_fits_a_phone(spec: dict[str, Any]) -> None:
    _, small = both(str(to_svg(spec, "x")))
    found = re.search(r'<svg [^>]*?width="([\d.]+)"', small)
    assert found is not None
    assert float(found[1]) <= PHONE + 1


def test_a_name_that_is_too_long_for_a_phone_stands_in_lines() -> None:
    wrapped = narrow(shares(PARTS, SHARES))["encoding"]["y"]["axis"]["labelExpr"]
    assert '["load/http1:pascal/", "fphttpserver-", "invocation"]' in wrapped
    assert '["native/protobuf+", "http-keepalive"]' in wrapped


def test_the_knee_has_its_objective_as_a_line_and_one_legend() -> None:
    wide, _ = both(str(to_svg(knee(), "x")))
    assert wide.count("p99 under 5 ms") == 1
    assert "stroke-dasharray" in wide
    assert ">not met<" not in wide


def test_legends_have_as_many_columns_as_there_is_room_for() -> None:
    short = shares({"a": {"payload": 1.0, "framing": 1.0}}, SHARES)
    assert columns(short, 800) == 7
    assert columns(knee(), 800) == 2
    assert columns(knee(), PHONE) == 1


@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_does_not_scroll_sideways(tmp_path: Path, width: int) -> None:
    """As a browser lays it out: the page itself, and every chart."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("Chromium is not installed: setup/system chromium")
    page = TEXTS["html"](subject(Record(write(tmp_path / "run", clients=(1, 8)))))
    look = (
        "onload = () => { const seen = frames[0].document, wide = [];"
        "for (const one of seen.querySelectorAll('figure, .chart, svg'))"
        " if (one.getBoundingClientRect().right > frames[0].innerWidth + 1) wide.push(one.outerHTML.slice(0, 90));"
        "document.title = `${seen.documentElement.scrollWidth} of ${frames[0].innerWidth}; ${seen.querySelectorAll("
        "'figure').length} charts; ${wide.length} too wide ${wide}`; }"
    )
    frame = f'<iframe style="border:0;width:{width}px;height:900px" srcdoc="{html.escape(page, quote=True)}"></iframe>'
    (tmp_path / "look.html").write_text(f"<title>not looked at</title><body>{frame}<script>{look}</script>")
    flags = "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-sync"
    words = [chromium, *flags.split(), "--disable-component-update", f"--user-data-dir={tmp_path / 'profile'}"]
    words += ["--dump-dom", f"file://{tmp_path / 'look.html'}"]
    seen = subprocess.run(words, capture_output=True, text=True, timeout=170, check=False)
    found = re.search(r"<title>(\d+) of (\d+); (\d+) charts; (.*?)</title>", seen.stdout, re.DOTALL)
    assert found is not None, seen.stdout[:200] + seen.stderr[-500:]
    assert int(found[1]) <= int(found[2]) == width
    assert int(found[3]) >= 6
    assert found[4].startswith("0 too wide"), found[4]


def test_more_names_than_colours_still_differ() -> None:
    """A colour comes back in another shape: soap and avro once had the same mark."""
    names = [f"message{number}" for number in range(20)]
    colours, shapes = (palette.scale(names, names, marks)["range"] for marks in (palette.SERIES, palette.SHAPES))
    assert len(set(zip(colours, shapes, strict=True))) == len(names)


@given(st.floats(1e-6, 1e9), st.floats(1.0001, 1e6))
def test_a_logarithmic_axis_has_two_marks_within_its_values_and_few(low: float, factor: float) -> None:
    """From 48 to 57 ms, 50 was the only mark: nothing could be read from it."""
    marks = palette.decades([low, low * factor])
    assert sum(low <= mark <= low * factor for mark in marks) >= 2
    assert marks == sorted(set(marks))
    assert len(marks) <= 20
    assert [mark for mark in palette.decades([48.1, 57.0]) if 48.1 <= mark <= 57] == [50, 52, 54, 56]
