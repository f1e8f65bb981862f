"""JSON and YAML that a user wrote: taken as everybody takes it, or refused with its line and column."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importing import imported

from callbench.catalog import user_json
from callbench.catalog.imports import document
from callbench.cli.options.expected import expected_json
from callbench.model.errors import BadInput
from callbench.model.service.imported import Json
from callbench.runner.compare.tasks import cells_of_calls
from callbench.runner.run.launch import values_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(value=JSON, indent=st.sampled_from([None, 1]))
def test_what_json_can_say_is_taken(value: Json, indent: int | None) -> None:
    """Whatever another program writes."""
    assert user_json.parsed(json.dumps(value, indent=indent), "a.json") == value


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": 1, "a": 2}', "line 1, column 10): the key 'a' occurs twice"),
        ('{"a": {"b": [1,\n  {"c": {}, "c": 2}]}}', "line 2, column 13): the key 'c' occurs twice"),
        ('{"a": "\\"a\\": {", "\\u0061": 2}', "line 1, column 19): the key 'a' occurs twice"),
        ("[1e400]", "line 1, column 2): 1e400 is beyond"),
        ('{"a": 0e-999, "b": -2.5E-0400}', "line 1, column 20): -2.5E-0400 is nearer to zero"),
        ("[0." + "0" * 400 + "1]", "line 1, column 2): 0.0000"),
        ('{"a": 1,\n "b": -1E+999}', "line 2, column 7): -1E+999 is beyond"),
        ("[1" + "0" * 400 + ".5]", "line 1, column 2): 1000"),
        ("[NaN]", "line 1, column 2): NaN is no JSON"),
        ('{"a": [0, -Infinity]}', "line 1, column 11): -Infinity is no JSON"),
        ('["\\ud83d"]', "line 1, column 2): half of a surrogate pair"),
        ('{"\\udc00x": 1}', "line 1, column 2): half of a surrogate pair"),
        ("[" * 70 + "]" * 70, "nested deeper than 64 levels"),
        ("[1" + "0" * 5000 + "]", "thousands of digits"),
        ('{"a": 1e401e4}', "line 1, column 12: Expecting ',' delimiter"),
        ('{"a": 1, "a": 2,', "line 1, column 17"),
        ('{"a": }', "line 1, column 7: Expecting value"),
    ],
)
def test_what_readers_take_in_different_ways_is_refused(text: str, place: str) -> None:
    """With its place."""
    with pytest.raises(BadInput) as error:
        user_json.parsed(text, "a.json")
    assert place in str(error.value)


@pytest.mark.parametrize(
    "text", ['{"a": 1e308, "b": [{"a": 1}, {"a": 2}]}', "[5e-324, 0.0, -0e-999]", '["\\ud83d\\ude00", "\\\\ud83d"]']
)
def test_what_looks_wrong_and_is_not(text: str) -> None:
    """Keys of different objects, small numbers, whole pairs."""
    assert user_json.parsed(text, "a.json") == json.loads(text)


@pytest.mark.parametrize("coding", ["utf-8", "utf-8-sig", "utf-16"])
def test_marks_of_encodings(coding: str) -> None:
    """A mark is no part of the text."""
    assert user_json.parsed('{"é": 1}'.encode(coding), "a.json") == {"é": 1}


def test_merge_keys() -> None:
    """A mapping's own keys win, and of several merged mappings the first that has a key."""
    text = (
        "a: &a {p: 1, q: 2}\nb: &b {<<: *a, q: 3, r: 4}\n"
        "both:\n  <<: [*a, *b]\n  p: 9\nlast: {k: 1, <<: *b}\ntwice: [{<<: *b}, *b]\ntext: {'<<': 1}\n"
    )
    value = document.parsed("a.yaml", text.encode())
    assert isinstance(value, dict)
    assert value["b"] == {"p": 1, "q": 3, "r": 4}
    assert value["both"] == {"p": 9, "q": 2, "r": 4}
    assert value["last"] == {"p": 1, "q": 3, "r": 4, "k": 1}
    assert value["twice"] == [value["b"], value["b"]]
    assert value["text"] == {"<<": 1}


def test_scalars_whose_meaning_differs_are_texts() -> None:
    """What YAML 1.1 reads as truth, a date, a time or an octal number, and 1.2 does not."""
    text = "[no, on, yes, 2024-01-01, 0123, 1_000, 12:30:45, 007.5, =]"
    expected = ["no", "on", "yes", "2024-01-01", "0123", "1_000", "12:30:45", "007.5", "="]
    assert document.parsed("a.yaml", text.encode()) == expected
    assert document.parsed("a.yaml", b"[0, -1, 0o17, 0x1F, 1.5, .5, 1e3, true, ~, null]") == [
        *(0, -1, 15, 31, 1.5, 0.5, 1000.0, True, None, None)
    ]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: 1\na: 2", "line 2, column 1: the key 'a' occurs twice"),
        ("a:\n  b: {c: 1, d: 2, c: 3}", "line 2, column 19: the key 'c' occurs twice"),
        ("200: a\n'200': b", "line 2, column 1: the key '200' occurs twice"),
        ("a: &a {x: 1}\nb:\n  <<: *a\n  <<: *a", "line 4, column 3: the key '<<' occurs twice"),
        ("a: &a {<<: *a}", "line 1, column 4: `<<` merges a mapping into itself"),
        ("a: {<<: 3}", "line 1, column 9: `<<` merges mappings"),
        ("a: {<<: [{b: 1}, 3]}", "line 1, column 18: `<<` merges mappings"),
        ("a: 1\n---\nb: 2", "line 2, column 1: a second document begins here"),
        ("a:\n\t- 1", "line 2, column 1"),
        ("a: 1e400", "line 1, column 4: 1e400 is beyond"),
        ("a: [.inf]", "line 1, column 5: .inf is beyond"),
        ("a: 1e-400", "line 1, column 4: 1e-400 is nearer to zero"),
        ("? [1]\n: 2", "line 1, column 3: the key is no text"),
        ("a: !!binary aGk=", "has the type bytes"),
    ],
)
def test_yaml_that_readers_take_in_different_ways_is_refused(text: str, place: str) -> None:
    """With its place."""
    with pytest.raises(BadInput) as error:
        document.parsed("a.yaml", text.encode())
    assert place in str(error.value)


def test_merge_keys_do_not_grow_without_end() -> None:
    """Each level has the keys of the one before, nine times: they are the same keys."""
    lines = ["a: &a {" + ", ".join(f"k{at}: {at}" for at in range(9)) + "}"]
    for at in range(1, 25):
        name, before = f"n{at}", "a" if at == 1 else f"n{at - 1}"
        lines.append(f"{name}: &{name} {{<<: [{', '.join([f'*{before}'] * 9)}]}}")
    value = document.parsed("a.yaml", "\n".join(lines).encode())
    assert isinstance(value, dict)
    assert value["n24"] == value["a"]


@pytest.mark.parametrize("name", ["a.json", "a.yaml", "a.avsc", "a.har", "a.jsonl"])
def test_every_importer_refuses_a_key_that_is_there_twice(tmp_path: Path, name: str) -> None:
    """Samples, schemas, recordings and logs have one reader."""
    file = tmp_path / name
    file.write_text('{"type": "record", "name": "A", "name": "B", "fields": []}')
    with pytest.raises(BadInput, match=r"(line 1, column 3\d).*the key 'name' occurs twice"):
        imported(file)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", 1), ("true", True), ('"1"', "1"), (" [1.5] ", [1.5]), ("two words", "two words"), ("", ""), ("{a}", "{a}"),
     ("NaN", "NaN"), ("-Infinity", "-Infinity"), ("0123", "0123")],
)  # fmt: skip
def test_a_value_on_a_command_line_is_json_or_else_a_text(text: str, value: Json) -> None:
    assert user_json.json_or_text(text, "the value") == value


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', "1e400", "[NaN]", '"\\ud83d"'])
def test_json_on_a_command_line_that_cannot_be_carried_is_refused(text: str) -> None:
    """No other value is taken for it, and no text."""
    with pytest.raises(BadInput, match="cannot be taken"):
        expected_json([f"$.a={text}"])
    with pytest.raises(BadInput, match="cannot be taken"):
        values_of([f"a={text}"], "--set")
    if "," not in text:
        with pytest.raises(BadInput, match="cannot be taken"):
            cells_of_calls([f"GetPersons:n={text}"], [1], 1)
