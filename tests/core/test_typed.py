"""JSON values as a type: what fits is an object, what does not is named with its place."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, NotRequired, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callbench.adapter.stack.target import TargetSpec
from callbench.catalog.study.own_servers import ServerOverrides
from callbench.model.errors import BadInput
from callbench.store.head import RUN, head
from callbench.store.lines.forks import ForkOverLine
from callbench.store.lines.of_kind import of_kind
from callbench.store.record import Record
from callbench.store.requested.knee_search import Search
from callbench.store.requested.run import RequestedRun
from callbench.store.requested.target import RequestedServer, RequestedTarget
from callbench.store.typed import Misfit, typed


class Line(TypedDict):
    kind: Literal["round", "watched round"]
    counts: NotRequired[dict[str, int]]
    parts: list["Part"]


class Part(TypedDict):
    agree: bool | None
    took_s: float


@dataclass(frozen=True)
class Asked:
    names: tuple[str, ...]
    parts: Mapping[str, Any]
    within: "Inner | None" = None


@dataclass(frozen=True)
class Inner:
    share: float


@dataclass(frozen=True)
class Used:
    most: tuple[str, int]
    all: tuple[int, ...]


GOOD: dict[str, Any] = {"kind": "round", "parts": [{"agree": None, "took_s": 1}, {"agree": True, "took_s": 0.5}]}


def test_a_typed_dictionary_stays_what_it_is() -> None:
    line = {**GOOD, "counts": {"Sum": 3}, "more": [1]}
    assert typed(line, Line) is line


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"kind": "start"}, "kind is not 'round' or 'watched round'"),
        ({"counts": {"Sum": 1.5}}, "counts.Sum is not a whole number"),
        ({"counts": {"Sum": True}}, "counts.Sum is not a whole number"),
        ({"parts": [{"agree": None}]}, "parts[0].took_s is missing"),
        ({"parts": [GOOD["parts"][0], {"agree": 1, "took_s": 1}]}, "parts[1].agree is not true or false"),
        ({"parts": {}}, "parts is not a list"),
        ({"parts": [[]]}, "parts[0] is not an object"),
        ({"parts": [{"agree": None, "took_s": "1"}]}, "parts[0].took_s is not a number"),
    ],
)
def test_what_does_not_fit_is_named_with_its_place(changed: dict[str, Any], says: str) -> None:
    with pytest.raises(Misfit) as misfit:
        typed({**GOOD, **changed}, Line)
    assert str(misfit.value) == says


def test_a_tuple_has_a_type_for_each_place() -> None:
    assert typed({"most": ["python", 3], "all": [1, 2]}, Used) == Used(("python", 3), (1, 2))
    for wrong, says in (
        ([3, "python"], "most[0] is not a text"),
        (["python", 3, 4], "most has 3 members, not 2"),
        ("python", "most is not a list"),
    ):
        with pytest.raises(Misfit) as misfit:
            typed({"most": wrong, "all": []}, Used)
        assert str(misfit.value) == says


def test_a_dataclass_is_made_and_knows_all_of_its_members() -> None:
    assert typed({"names": ["a"], "parts": {"x": [1]}}, Asked) == Asked(("a",), {"x": [1]})
    assert typed({"names": [], "parts": {}, "within": {"share": 1}}, Asked).within == Inner(1)
    for wrong, says in (
        ({"names": ["a"]}, "parts is missing"),
        ({"names": ["a"], "parts": {}, "name": 1}, "name is unknown"),
        ({"names": ["a"], "parts": {}, "within": {}}, "within.share is missing"),
        ([], "it is not an object"),
    ):
        with pytest.raises(Misfit) as misfit:
            typed(wrong, Asked)
        assert str(misfit.value) == says


@given(
    st.builds(
        RequestedRun,
        study=st.text(), seed=st.integers(), quick=st.booleans(), forks=st.integers(), rounds=st.integers(),
        limit_s=st.none() | st.floats(allow_nan=False), select=st.lists(st.text()).map(tuple),
        settings=st.dictionaries(st.text(), st.text()), knees=st.lists(st.builds(
            Search, *[st.text()] * 5, *[st.floats(allow_nan=False)] * 3)).map(tuple),
    )
)  # fmt: skip
def test_a_request_is_read_as_it_was_written(requested: RequestedRun) -> None:
    assert typed(json.loads(json.dumps(asdict(requested))), RequestedRun) == requested


def test_a_request_that_was_altered_is_refused_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "record.json").write_text(
        json.dumps(head(RUN, "", {"study": "s", "seed": "1", "quick": True, "forks": 1, "rounds": 1}))
    )
    with pytest.raises(BadInput, match=r"record.json is damaged: request.seed is not a whole number"):
        Record(tmp_path).requested(RequestedRun)


def test_lines_of_some_kinds_are_found_and_checked() -> None:
    lines: list[dict[str, Any]] = [
        {"kind": "fork over", "fork": 1, "seconds": 2},
        {"kind": "note"},
        {"kind": "fork over", "fork": 2},
    ]
    found = of_kind(lines, ForkOverLine)
    assert next(found)["seconds"] == 2
    with pytest.raises(BadInput, match=r"line \d+, of kind fork over: seconds is missing"):
        next(found)


def test_a_target_is_recorded_with_all_that_it_is() -> None:
    for recorded, own in ((RequestedTarget, TargetSpec), (RequestedServer, ServerOverrides)):
        assert [field.name for field in fields(recorded)] == [field.name for field in fields(own)]
