"""Long texts that differ late are shown where they differ."""

import json

from callbench.adapter import oracle
from callbench.model.first_difference import LONG, excerpts


def test_short_texts_are_shown_whole() -> None:
    assert excerpts("abc", "abd") == ("abc", "abd")


def test_long_texts_are_shown_from_a_little_before_the_difference() -> None:
    right = "".join(f"{number}," for number in range(200))
    said = right[:500] + "X" + right[501:]
    shown = excerpts(said, right)
    assert shown[0] != shown[1]
    assert all(one.startswith("...") and f"(character 500 of {len(right)})" in one for one in shown)
    assert f"{right[480:500]}X" in shown[0]
    assert all(len(one) < 2 * LONG for one in shown)


def test_a_text_that_ends_early_is_shown_at_its_end() -> None:
    right = "ab" * 300
    said, whole = excerpts(right[:400], right)
    assert "(character 400 of 400)" in said
    assert whole.startswith("...")
    assert "(character 400 of 600)" in whole


def test_a_wrong_answer_is_reported_by_the_first_thing_that_is_wrong_in_it() -> None:
    """Both began alike, and only the beginnings were shown: "gave [...]..., not [...]..."."""
    persons = {"n": 3}
    right = oracle._right("GetPersons", json.dumps(persons), None)[0]
    assert right is not None
    value = json.loads(right)
    value[2]["LastName"] = "Nobody"
    assert right.index(json.dumps(json.loads(right)[2]["LastName"])) > LONG
    why = oracle.error_in("GetPersons", persons, {"is": "returned", "value": value})
    assert why is not None
    said, _, wanted = why.partition(", not ")
    assert "Nobody" in said
    assert "Nobody" not in wanted
