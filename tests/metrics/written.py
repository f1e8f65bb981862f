"""Files that are generated from the registry of metrics: `python tests/metrics/written.py` writes them."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from callbench.model.metrics.metric import Better, Metric, StudyUse
from callbench.model.metrics.readings import READINGS
from callbench.model.metrics.registry import COLD, GROUPS, HELD, PERCENTILES, VALUES
from callbench.stats.estimate.percentile_calls import fewest_calls

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "src/callbench/report/show.schema.json"
PAGE = ROOT / "docs/reference/metrics.md"
FOLDER = ROOT / "docs/reference/run-folder.md"
HEAD = ("metric", "what", "unit", "better", "value of a cell")


def files() -> dict[Path, str]:
    """Every file with such a part, as it has to be."""
    return {SCHEMA: schema(SCHEMA.read_text()), PAGE: page(PAGE.read_text()), FOLDER: folder(FOLDER.read_text())}


def schema(text: str) -> str:
    """Write the definitions of the metrics and of a latency in the schema of `show --json`."""
    values = {name: {"$ref": "#/$defs/value", "description": _described(one)} for name, one in VALUES.items()}
    times = [name.removesuffix("_us") for name in PERCENTILES] + ["max", "mean"]
    text = _definition(text, "metrics", values)
    starts = {name: {"$ref": "#/$defs/over_starts", "description": _described(one)} for name, one in COLD.items()}
    text = _definition(text, "cold_metrics", starts)
    return _definition(text, "latency", {name: {"$ref": "#/$defs/figure"} for name in times}, required=times)


def _described(one: Metric) -> str:
    """What the schema says of a metric."""
    return f"{one.title}, in {one.unit}"


def _definition(
    text: str, name: str, properties: Mapping[str, Mapping[str, str]], required: list[str] | None = None
) -> str:
    """Write one definition: an object with these members and no others."""
    each = (f"    {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in properties.items())
    lines = ['   "type": "object",', '   "additionalProperties": false,']
    lines += [f'   "required": {json.dumps(required)},'] if required else []
    inner = "\n".join([*lines, '   "properties": {', ",\n".join(each), "   }"])
    found, times = re.subn(
        rf'(^  "{name}": {{\n).*?(^  }},?$)',
        lambda old: f"{old[1]}{inner}\n{old[2]}",
        text,
        flags=re.DOTALL | re.MULTILINE,
    )
    assert times == 1, f"the schema has {times} definitions of {name}"
    return found


def page(text: str) -> str:
    """Write the tables of the reference page."""
    parts = []
    others = {"Cold start": tuple(COLD.values()), "Capacity of a server": tuple(HELD.values())}
    for title, metrics in {**GROUPS, **others}.items():
        rows = "".join(f"| {' | '.join(_row(one))} |\n" for one in metrics)
        parts.append(f"## {title}\n\n| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}\n{rows}")
    return _between(text, "metrics", "\n\n" + "\n".join(parts) + "\n")


def _row(one: Metric) -> Iterator[str]:
    """One metric's line."""
    where = "" if one.asked in {StudyUse.EVERYWHERE, StudyUse.NOWHERE} else f" In {one.asked} of a study only."
    yield f"`{one.name}`"
    needs = "" if one.share is None else f"Needs {fewest_calls(one.share):,} calls in each fork. "
    yield f"{one.title[0].upper()}{one.title[1:]}. {needs}{one.about}{where}"
    yield one.unit
    yield "" if one.better is Better.NEITHER else one.better.value
    yield one.combined.value


def folder(text: str) -> str:
    """Write the values of processes in the page on the run folder."""
    rows = "".join(f"| {', '.join(f'`{name}`' for name in one.columns)} | {one.about} |\n" for one in READINGS)
    return _between(text, "readings", f"\n\n| columns | meaning |\n|---|---|\n{rows}\n")


def _between(text: str, name: str, part: str) -> str:
    """Put a part between its marks."""
    found, times = re.subn(
        rf"(<!-- {name}: [^>]*-->).*?(<!-- end of {name} -->)",
        lambda old: f"{old[1]}{part}{old[2]}",
        text,
        flags=re.DOTALL,
    )
    assert times == 1, f"the marks of {name} are there {times} times"
    return found


if __name__ == "__main__":
    for file, content in files().items():
        file.write_text(content)
