"""The colours of the page for charts outside of it: a chart's description has stand-ins for them."""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from callbench.report.charts.palette import CONFIG, STAND_INS

# A page has its own background; None is none that the schema knows.
_CONFIG = {name: value for name, value in CONFIG.items() if name != "background"}
_VARIABLE = re.compile(r"--([\w-]+):\s*(#[0-9a-fA-F]{3,8})")


@cache
def colours() -> Mapping[str, str]:
    """Return the light colours of the page by their stand-in: those of `:root` in page.css, which come first."""
    style = files("callbench.report").joinpath("templates/page.css").read_text(encoding="utf-8")
    named: dict[str, str] = {}
    for name, value in _VARIABLE.findall(style):
        named.setdefault(name, value)
    return {
        stand_in: named["ink"] if colour == "currentColor" else named[colour.removeprefix("var(--").removesuffix(")")]
        for stand_in, colour in STAND_INS.items()
    }


def coloured(spec: Mapping[str, object]) -> dict[str, object]:
    """Return a whole Vega-Lite description: with its schema, its configuration and real colours."""
    whole = {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "config": _CONFIG, **spec}
    text = json.dumps(whole)
    for stand_in, colour in colours().items():
        text = text.replace(f'"{stand_in}"', f'"{colour}"')
    found: dict[str, object] = json.loads(text)
    return found
