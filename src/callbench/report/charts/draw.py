"""From a chart's description to SVG within the page."""

import json
import re

import vl_convert
from markupsafe import Markup, escape

from callbench.report.charts.palette import CONFIG, STAND_INS, Spec

VERSION = "5.20"
_OPENING = re.compile(r"<svg [^>]*?width=\"([\d.]+)\" height=\"([\d.]+)\" viewBox=\"([^\"]+)\"[^>]*>")


def drawn(spec: Spec, label: str) -> Markup:
    """Draw a chart. Nothing is fetched: its data are within it, and no address is allowed.

    Args:
        spec: a Vega-Lite description without schema or config.
        label: what a person who cannot see it is told.
    """
    whole = {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "config": {**CONFIG, "aria": False}, **spec}
    svg = vl_convert.vegalite_to_svg(json.loads(json.dumps(whole)), vl_version=VERSION, allowed_base_urls=[])
    for stand_in, colour in STAND_INS.items():
        svg = svg.replace(stand_in, colour)
    opening = _OPENING.match(svg)
    if opening is None:
        raise RuntimeError("vl-convert wrote an SVG without a size")
    width, height, box = opening.groups()
    size = f'width="{width}" height="{height}" viewBox="{box}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size} aria-label="{escape(label)}">'
    return Markup(head + svg[opening.end() :])  # noqa: S704 - drawn by Vega from our own figures, which escapes their texts
