"""Holds what a kit made of a trace against the golden file, number by number."""

import json
from pathlib import Path
from typing import Any

TRACES = Path(__file__).parents[2] / "contract" / "golden" / "traces"
# What the host makes of a runner's `late` and `gave_up`, and a runner leaves out.
OF_THE_WINDOW = ("window_ns", "answered", "in_flight", "in_flight_part", "timed")


def golden_traces() -> dict[str, dict[str, Any]]:
    """Give all golden traces by name."""
    return {file.stem: json.loads(file.read_text()) for file in sorted(TRACES.glob("*.json"))}


def request(trace: dict[str, Any], number: int) -> dict[str, Any]:
    """Give the request that has a trace played."""
    return {"do": "trace", "id": number, "trace": {"plan": trace["plan"], "script": trace["script"]}}


def differences(expect: dict[str, Any], traced: dict[str, Any]) -> list[str]:
    """Give a sentence for each number that is not what the file says, of an adapter's or of a runner's answer."""
    if traced.get("is") != "traced":
        return [f"the answer is {json.dumps(traced)[:300]}"]
    wanted = dict(expect["done"])
    seen = traced.get("done", {})
    if "late" in seen:
        wanted = {name: value for name, value in wanted.items() if name not in OF_THE_WINDOW}
        wanted |= {"late": expect["late"], "gave_up": expect["gave_up"]}
    found: list[str] = []
    for name, value in wanted.items():
        found += _different(name, value, seen.get(name))
    return found + _different("made", expect["made"], traced.get("made"))


def _different(where: str, wanted: Any, seen: Any) -> list[str]:
    if isinstance(wanted, dict) and isinstance(seen, dict):
        names = [*wanted, *(name for name in seen if name not in wanted)]
        return [line for name in names for line in _different(f"{where}.{name}", wanted.get(name), seen.get(name))]
    if isinstance(wanted, list) and isinstance(seen, list):
        for place, (one, other) in enumerate(zip(wanted, seen, strict=False)):
            if first := _different(f"{where}[{place}]", one, other):
                return first
        return [] if len(wanted) == len(seen) else [f"{where} has {len(seen)} elements, not {len(wanted)}"]
    return [] if _number(wanted) == _number(seen) else [f"{where} is {json.dumps(seen)}, not {json.dumps(wanted)}"]


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, str) and value.isdecimal() else value
