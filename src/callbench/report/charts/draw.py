"""From a chart's description to SVG within the page."""

import json
import re

import vl_convert
from markupsafe import Markup, escape

from callbench.report.charts.palette import CONFIG, STAND_INS, Spec
from callbench.report.section import Chart

VERSION = "5.20"
_OPENING = re.compile(r"<svg [^>]*?width=\"([\d.]+)\" height=\"([\d.]+)\" viewBox=\"([^\"]+)\"[^>]*>")


def drawn(spec: Spec, label: str) -> Markup:
    """Draw a chart. Nothing is fetched: its data are within it, and no address is allowed.

    Args:
        spec: a Vega-Lite description without schema or config.
        label: what a person who cannot see it is told.
    """
    whole = {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "config": {**CONFIG, "aria": False}, **spec}
    # Labels are measured by the fonts of the machine that draws, and shown by those of whoever reads.
    whole["padding"] = {"left": 18, "right": 8, "top": 5, "bottom": 5}
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


def chart(id_: str, title: str, about: str, spec: Spec | None, source: str) -> Chart | None:
    """Draw a section's chart where there is something to draw.

    Args:
        id_: its anchor on the page.
        title: what it is called.
        about: what it shows and how to read it.
        spec: its description, or None.
        source: the query that its figures come from.
    """
    if spec is None:
        return None
    slug = "".join(char if char.isalnum() or char in "-_" else "-" for char in id_)
    label = f"{title}. {about} The figures are in the tables of this page."
    return Chart(slug, title, about, drawn(spec, label), source.strip())
