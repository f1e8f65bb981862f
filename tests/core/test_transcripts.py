"""The golden transcripts, held with every adapter that is there; and that both their sides keep to the schema."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from callbench.adapter.contract import schema_error_in_answer
from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
from conftest import MISBEHAVING, ROOT
from request_schema import is_request

TRANSCRIPTS = sorted((ROOT / "contract" / "golden" / "transcripts").glob("*.jsonl"))
STACKS = ["honest/inproc", pytest.param("native/json+inproc", marks=pytest.mark.engine), "java/direct"]
WILD: dict[str, Callable[[Any], bool]] = {
    "<text>": lambda value: isinstance(value, str),
    "<number>": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "<decimal>": lambda value: isinstance(value, str) and value.isdecimal(),
    "<any>": lambda _: True,
}


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def filled(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: filled(each, names) for key, each in value.items()}
    return names.get(value, value) if isinstance(value, str) else value


def fits(pattern: Any, value: Any) -> bool:
    if isinstance(pattern, str) and pattern in WILD:
        return WILD[pattern](value)
    if isinstance(pattern, dict) and pattern:
        return isinstance(value, dict) and all(key in value and fits(each, value[key]) for key, each in pattern.items())
    return bool(pattern == value)


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("file", TRANSCRIPTS, ids=lambda file: file.stem)
@pytest.mark.usefixtures("nothing_left")
def test_it_is_held(file: Path, stack: str, tmp_path: Path) -> None:
    known = catalogue.load([MISBEHAVING, ROOT / "engine" / "native", ROOT / "adapters" / "java"])
    manifest = known.adapter(stack.partition("/")[0])
    if manifest.why_not:
        pytest.skip(manifest.why_not)
    schedule = tmp_path / "two.gaps"
    schedule.write_bytes((1000).to_bytes(8, "little") + bytes(8))
    names = {"$stack": stack, "$schedule": str(schedule)}
    with Adapter(manifest.manifest, "both sides") as adapter:
        for line in lines(file):
            if "core" in line:
                adapter.process.send(filled(line["core"], names), 5)
                continue
            answer = {"is": "interval"}
            while answer["is"] == "interval":
                answer = adapter.process.receive(time.monotonic() + 30, "an answer")
            assert fits(line["adapter"], answer), f"{answer} does not fit {line['adapter']}"
            assert schema_error_in_answer(answer) is None
            names["$endpoint"] = answer.get("endpoint", names.get("$endpoint", ""))
        assert adapter.process.wait(5) == 0


@pytest.mark.parametrize("file", TRANSCRIPTS, ids=lambda file: file.stem)
def test_what_the_core_says_keeps_to_the_schema(file: Path) -> None:
    meant_wrong = {"fly", "Fly"}
    for line in lines(file):
        core = line.get("core")
        if core and not meant_wrong & {core["do"], core.get("call")}:
            assert is_request(filled(core, {"$stack": "a/b", "$endpoint": "x", "$schedule": "y"}))


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ({"is": "landed", "id": 1}, "there is no message 'landed' in the contract"),
        ({"is": "serving", "id": 1}, "serving: 'endpoint' is a required property"),
        ({"is": "serving", "id": 0, "endpoint": ""}, "serving.id: 0 is less than the minimum of 1"),
        ({"is": "error", "id": 1, "kind": "tired", "message": "x"}, "error.kind: 'tired' is not one of"),
        ({"is": "returned", "id": 1}, "returned: "),
        ({"is": "counts", "id": 1, "calls": {"Sum": -1}, "processor": {}}, "counts.calls.Sum: -1 is less than"),
    ],
)
def test_a_misshapen_answer_is_named(answer: dict[str, Any], says: str) -> None:
    assert (schema_error_in_answer(answer) or "").startswith(says)
