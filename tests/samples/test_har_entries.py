"""Entries of a HAR file that are odd: what can be read is read, and the rest is counted with its reason."""

import json
import random
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callbench.catalog.imports import registry
from callbench.catalog.imports.source import Options
from callbench.model.errors import BadInput
from callbench.model.service.imported import Imported, Json, Pair

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
GOOD: dict[str, Any] = {
    "request": {"method": "GET", "url": "http://shop.test/good", "headers": []},
    "response": {"status": 200, "headers": [], "content": {"size": 11, "mimeType": JSON, "text": '{"ok": true}'}},
}


def entry(url: str = "http://shop.test/a", method: str = "GET", posted: Any = None, **response: Any) -> dict[str, Any]:
    request: dict[str, Any] = {"method": method, "url": url, "headers": []}
    if posted is not None:
        request["postData"] = posted
    answer: dict[str, Any] = {"status": 200, "headers": [], "content": {"mimeType": JSON, "text": '{"a": 1}'}}
    return {"request": request, "response": {**answer, **response}}


def imported(folder: Path, *entries: Any) -> Imported:
    file = folder / "shop.har"
    file.write_text(json.dumps({"log": {"version": "1.2", "entries": [GOOD, *entries]}}))
    return registry.service([str(file)], Options())


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        (entry(content={"size": 5000, "mimeType": JSON}), "answer whose body was not recorded (a size without a text)"),
        (entry(content={"size": 5000, "mimeType": JSON, "text": ""}), "answer whose body was not recorded"),
        (entry(content={"size": 4, "mimeType": JSON, "text": "123"}), "answer whose body was cut"),
        (
            entry(content={"size": 4, "mimeType": JSON, "text": "MTIz", "encoding": "base64"}),
            "answer whose body was cut",
        ),
        (entry(content={"mimeType": JSON}, bodySize=12), "answer whose body was not recorded"),
        (
            entry(content={"size": -1, "mimeType": JSON}),
            "answer whose body was not recorded (neither a size nor a text",
        ),
        (entry(content={"mimeType": JSON, "encoding": "base64", "text": "{}"}), "says it is base64, and is not"),
        (entry(content={"mimeType": JSON, "text": '{"a": 1, "a": 2}'}), "the key 'a' occurs twice"),
        (entry(content={"mimeType": JSON, "text": "\ud800"}), "answer with a body that is no text"),
        (entry(method="POST", posted={"mimeType": JSON, "text": "\udfff"}), "request with a body that is no text"),
        (entry(method="POST", posted={"mimeType": FORM, "params": [{"value": "x"}]}), "fields have no names"),
        (entry(method="POST", posted={"mimeType": "multipart/form-data", "params": [{"name": "f"}]}), "multipart"),
        (entry(url="ws://shop.test/live", status=101), "WebSocket"),
        (entry(status=0), "answer with status 0"),
        (entry(status=304), "answer with status 304"),
        (entry(status="302"), "answer with status 302"),
        (entry(status=None), "entry without an answer"),
        (entry(url="http://[1"), "request with an address"),
        (entry(url="http://shop.test/a?b=%ff"), "request with an address"),
        ({"request": GOOD["request"], "response": {}}, "entry without an answer"),
        ({"request": GOOD["request"]}, "entry without an answer"),
        ({"response": GOOD["response"]}, "entry without a request"),
        ({"request": {"method": "GET"}, "response": GOOD["response"]}, "without a method and an address"),
        (None, "entry without a request"),
        ("text", "entry without a request"),
    ],
)
def test_an_odd_entry_is_left_out_and_counted(tmp_path: Path, odd: Any, why: str) -> None:
    """The others are taken."""
    service = imported(tmp_path, odd, odd)
    assert [call.name for call in service.schema.calls] == ["GetGood"]
    left_out = [note.removeprefix("Left out: ") for note in service.notes if note.startswith("Left out: ")]
    assert sum(int(note.partition(" x ")[0]) for note in left_out) == 2
    assert all(why in note for note in left_out)


@pytest.mark.parametrize(
    ("read", "pair"),
    [
        (entry(status="200"), Pair({}, {"a": 1})),
        (entry(headers=None, comment="slow"), Pair({}, {"a": 1})),
        (entry(method="POST", posted={"mimeType": JSON, "text": "{}"}, status=204, content={}), Pair({}, {})),
        (entry(method="POST", posted={"mimeType": JSON, "text": "{}"}, content={"size": 0}), Pair({}, {})),
        (
            entry(method="POST", posted={"mimeType": FORM, "params": [{"name": "u", "value": "é &"}, {"name": "l"}]}),
            Pair({"u": "é &", "l": ""}, {"a": 1}),
        ),
        (
            entry(method="POST", posted={"mimeType": f"{FORM}; charset=UTF-8", "text": "i%5B%5D=1&i%5B%5D=2&m=x"}),
            Pair({"i[]": ["1", "2"], "m": "x"}, {"a": 1}),
        ),
        (entry(url="http://shop.test/a?t=a&t=b&p=1"), Pair({"t": ["a", "b"], "p": "1"}, {"a": 1})),
        (
            entry(method="POST", posted={"mimeType": JSON, "encoding": "base64", "text": "eyJi\nIjoyfQ=="}),
            Pair({"b": 2}, {"a": 1}),
        ),
    ],
)
def test_an_entry_that_is_a_little_odd_is_read(tmp_path: Path, read: Any, pair: Pair) -> None:
    """Whatever people's tools write."""
    service = imported(tmp_path, read)
    (call,) = [call for call in service.schema.calls if call.name != "GetGood"]
    assert service.payloads[call.name] == (pair,)


def test_a_parameter_that_is_repeated_now_and_then_is_a_list(tmp_path: Path) -> None:
    """It is one text in most requests; that is said."""
    urls = ["http://shop.test/s?t=a&p=1", "http://shop.test/s?t=b&t=c&p=2", "http://shop.test/s?p=3"]
    service = imported(tmp_path, *(entry(url=url) for url in urls))
    requests: list[Json] = [pair.request for pair in service.payloads["GetS"]]
    assert requests == [{"t": ["a"], "p": "1"}, {"t": ["b", "c"], "p": "2"}, {"p": "3"}]
    assert any("GetS: some requests have t several times" in note for note in service.notes)


PARTS = st.sampled_from([None, 0, -1, "x", "", [], {}, [None], {"name": 1}, True, 1.5, "200", {"text": 3}])


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(value=PARTS, luck=st.randoms(use_true_random=False))
def test_any_part_of_an_entry_can_be_anything(tmp_path: Path, value: Any, luck: random.Random) -> None:
    """An entry is a sample or is counted, whatever a part of it is."""
    odd: Any = json.loads(
        json.dumps(entry(method="POST", posted={"mimeType": FORM, "params": [{"name": "a", "value": "b"}]}, bodySize=3))
    )
    holder = odd
    while True:
        key = luck.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        if isinstance(holder[key], dict | list) and holder[key] and luck.random() < 0.7:
            holder = holder[key]
            continue
        holder[key] = value
        break
    try:
        service = imported(tmp_path, odd)
    except BadInput:
        return
    assert sum(len(pairs) for pairs in service.payloads.values()) == 2 or "Left out: 1 x" in " ".join(service.notes)


def posted_with(text: str, **request: Any) -> dict[str, Any]:
    """Return an entry whose request says more of its body than the text."""
    made = entry(method="POST", posted={"mimeType": JSON, "text": text})
    made["request"] |= request
    return made


def length(value: int) -> list[dict[str, str]]:
    return [{"name": "Content-Length", "value": str(value)}]


@pytest.mark.parametrize("says", [{"bodySize": 4}, {"bodySize": -1, "headers": length(4)}])
def test_a_request_that_was_cut_is_counted(tmp_path: Path, says: dict[str, Any]) -> None:
    notes = " ".join(imported(tmp_path, posted_with("123", **says)).notes)
    assert "Left out: 1 x request whose body was cut (its text is shorter than its size)" in notes


@pytest.mark.parametrize(
    "whole",
    [
        posted_with("123", bodySize=3, headers=length(3)),
        # What was sent was compressed, and takes more than its text.
        posted_with("123", bodySize=23, headers=[*length(23), {"name": "Content-Encoding", "value": "gzip"}]),
        entry(content={"size": 11, "mimeType": JSON, "text": '{"a": 1}'}),  # after a mark of UTF-8
        entry(content={"size": 18, "mimeType": f"{JSON}; charset=utf-16", "text": '{"a": 1}'}),
        entry(content={"size": 7, "mimeType": JSON, "text": '{"a": 1}'}),
        # An object that ends is not cut, whatever a recorder counted.
        entry(content={"size": 40, "mimeType": JSON, "text": '{"a": 1}'}),
        posted_with('[{"a": 1}]', bodySize=400),
    ],
)
def test_a_whole_body_is_taken_whatever_its_size_counts(tmp_path: Path, whole: dict[str, Any]) -> None:
    assert "cut" not in " ".join(imported(tmp_path, whole).notes)


def test_an_object_that_does_not_end_is_counted(tmp_path: Path) -> None:
    notes = " ".join(imported(tmp_path, entry(content={"size": 40, "mimeType": JSON, "text": '{"a": 1, "b'})).notes)
    assert "Left out: 1 x answer whose body was cut" in notes


def test_a_path_of_several_hosts_is_named(tmp_path: Path) -> None:
    path = urlsplit(GOOD["request"]["url"]).path
    same, other = (entry(url=f"http://{host}{path}") for host in (urlsplit(GOOD["request"]["url"]).netloc, "ads.test"))
    assert "hosts" not in " ".join(imported(tmp_path, same).notes)
    notes = " ".join(imported(tmp_path, same, other).notes)
    assert "several hosts were asked for it (ads.test, shop.test); they are taken as one server." in notes
