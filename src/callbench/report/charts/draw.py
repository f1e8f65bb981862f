"""From a chart's description to SVG within the page."""

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from zlib import crc32

import vl_convert
from markupsafe import Markup, escape

from callbench.model import machine_limits
from callbench.report.charts.compact import compact
from callbench.report.charts.marks import PlacedMark, as_attribute, as_list, placed, said
from callbench.report.charts.narrow import FIRST, LEAST, PHONE, columns, narrow
from callbench.report.charts.palette import CONFIG, STAND_INS, WIDTH, Spec

VERSION = "5.20"
# What the converter's JavaScript engine reserves; with less it ends the program with SIGTRAP.
_ADDRESSES_GIB = 66
# More than it was seen to start, besides one for each processor; with fewer it ends the program by a signal.
_THREADS = 8
_CLIP = re.compile(r"(id=\"|url\(#)(clip\d+)")
_OPENING = re.compile(r"<svg [^>]*?width=\"([\d.]+)\" height=\"([\d.]+)\" viewBox=\"([^\"]+)\"[^>]*>")


def to_svg(spec: Spec, label: str, small_spec: Spec | None = None) -> Markup:
    """Draw a chart, for wide screens and for narrow ones; the page's style shows one of the two.

    Nothing is fetched: its data are within it, and no address is allowed.

    Args:
        spec: a Vega-Lite description without schema or config.
        label: the description for a person who cannot see it.
        small_spec: a description for narrow screens; None for the same one, made narrow.
    """
    whole = said(spec)
    wide = _svg(whole, label, WIDTH)
    if small_spec is not None:
        return _both(wide, _svg(said(small_spec), label, PHONE))
    small = _svg(narrow(whole), label, PHONE)
    if small.across != PHONE:
        # Names and axes take what they need; what is plotted has the rest.
        small = _svg(narrow(whole, max(LEAST, FIRST - (small.across - PHONE))), label, PHONE)
    return _both(wide, small)


@dataclass(frozen=True)
class _Drawing:
    """A drawn chart.

    Attributes:
        head: the attributes of its element `svg`.
        within: what stands in it, as Vega writes it.
        across: its width in pixels.
    """

    head: Markup
    within: str
    across: float

    @cached_property
    def marks(self) -> Sequence[PlacedMark]:
        """The marks that say what they are."""
        return placed(self.within)

    def svg(self, texts: Sequence[str]) -> Markup:
        """Return it, with where its marks lie in the order of their texts."""
        at = as_attribute(self.marks, texts) if texts else ""
        # Drawn by Vega from our own figures; it escapes their texts.
        return Markup("<svg {}{}>{}</svg>").format(self.head, at, Markup(compact(self.within)))  # noqa: S704


def _both(wide: _Drawing, small: _Drawing) -> Markup:
    texts = [mark.text for mark in wide.marks]
    both = Markup('<div class="wide">{}</div><div class="narrow">{}</div>').format(wide.svg(texts), small.svg(texts))
    return both + as_list(texts) if texts else both


def _svg(spec: Spec, label: str, width: float) -> _Drawing:
    """Draw one chart."""
    legend = {**CONFIG["legend"], "columns": columns(spec, width), "aria": False}
    axis = {**CONFIG["axis"], "aria": False}
    # Only marks that say what they are have a label, which is then taken from the drawing.
    config = {**CONFIG, "legend": legend, "axis": axis, "mark": {"aria": False}}
    whole = {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "config": config, **spec}
    # Labels are measured by the fonts of the machine that draws, and shown by those of the code that reads.
    whole["padding"] = {"left": 18 if width > PHONE else 6, "right": 8, "top": 5, "bottom": 5}
    machine_limits.require_addresses(_ADDRESSES_GIB, "charts")
    machine_limits.require_threads(_THREADS + (os.cpu_count() or 1), "charts")
    svg = vl_convert.vegalite_to_svg(json.loads(json.dumps(whole)), vl_version=VERSION, allowed_base_urls=[])
    for stand_in, colour in STAND_INS.items():
        svg = svg.replace(stand_in, colour)
    # What clips a chart is named by the page: two charts with one name would be cut alike.
    svg = _CLIP.sub(rf"\1\2-{crc32(f'{label} {width}'.encode()):x}", svg)
    opening = _OPENING.match(svg)
    if opening is None:
        raise RuntimeError("vl-convert wrote an SVG without a size")
    across, height, box = opening.groups()
    size = f'width="{across}" height="{height}" viewBox="{box}"'
    # Its font is the page's.
    head = f'role="img" {size} aria-label="{escape(label)}"'
    return _Drawing(Markup(head), svg[opening.end() :].removesuffix("</svg>"), float(across))  # noqa: S704 - all of it ours or escaped
