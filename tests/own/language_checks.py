"""What every language's runner is asked about a service of the user's own, without a host."""

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from everything_service import LATE_DIFFERENCE, WIDER
from runner_lines import Runner

from callbench.model.service.imported import Imported, Json, Pair

# Another value of the enumeration, and other bytes: an empty text may be bytes too.
_OTHER_TEXTS = {"none": "deep red", "GREEN": "deep red", "deep red": "GREEN"} | dict.fromkeys(
    ("", "AA==", "AAEC/w=="), "AAEC"
)


def every_pair_comes_back(runner: Runner, service: Imported) -> None:
    """One by one, and in a rotation of all. The server asks for each."""
    runner.asked.clear()
    for call, pairs in service.payloads.items():
        for pair in pairs:
            runner.prepare(call, pair)
            assert runner.call() == pair.answer
        runner.prepare(call, *pairs)
        assert runner.drive() == (20, {})
    # Each process of a server asks for itself.
    asked = {json.dumps([said["call"], said["arguments"]]) for said in runner.asked}
    assert len(asked) == sum(map(len, service.payloads.values()))


def every_other_value_is_seen(runner: Runner, service: Imported) -> None:
    """A right answer that differs in one value, wherever it is: then the answer that comes is wrong."""
    for call, (pair, *_) in service.payloads.items():
        for wrong in _altered(pair.answer):
            runner.prepare(call, Pair(pair.request, wrong))
            assert runner.drive() == (0, {"wrong-answer": 20}), wrong


def a_late_difference_is_seen(runner: Runner) -> None:
    """The last entry of a long map is looked at too. The runner is one of the service WIDER."""
    *_, right = WIDER.payloads["SendEverything"]
    runner.prepare("SendEverything", right)
    assert runner.drive() == (20, {})
    runner.prepare("SendEverything", LATE_DIFFERENCE)
    assert runner.drive() == (0, {"wrong-answer": 20})


def a_refused_request_is_a_fault(runner: Runner) -> None:
    """With the service's own sentence."""
    runner.prepare("Grow", Pair({"type": "elm", "self": 1}, {"name": "", "leaves": []}))
    said = runner.does("call", "returned")
    assert "no pair of Grow" in said["fault"]["message"]


def _altered(answer: Json) -> Iterator[Json]:
    """Copies with one value changed each: the last one of every list, every other of a record."""
    for path in _places(answer, ()):
        copy: Any = deepcopy({"": answer})
        *way, last = ("", *path)
        inner = copy
        for step in way:
            inner = inner[step]
        inner[last] = _other(inner[last])
        yield copy[""]


def _places(value: Json, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, dict):
        for key, its in value.items():
            yield from _places(its, (*path, key))
    elif isinstance(value, list):
        if value:
            yield from _places(value[-1], (*path, len(value) - 1))
    elif value is not None:
        yield path


def _other(value: Json) -> Json:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1 if value < 2**31 - 1 else value - 1
        case str():
            return _OTHER_TEXTS.get(value, f"{value[:-1]}~")
    raise TypeError(value)
