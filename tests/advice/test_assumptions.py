"""What nobody gave is named: an invented answer makes the sentence a condition, wherever it is printed."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from callbench.catalog.own import folder as own_folder
from callbench.catalog.own.stored import keeps_assumptions, stored_assumptions
from callbench.report.advice.assumptions import _unmarked

REQUEST = {"customer": "C-1", "items": [{"sku": "A", "count": 2}]}


@pytest.mark.parametrize(
    ("lines", "unanswered"),
    [
        ([REQUEST], True),
        ([{"request": REQUEST, "answer": {"total": 12.5}}], False),
    ],
)
def test_an_import_remembers_whose_answer_it_invented(
    callbench: Callable[..., object], tmp_path: Path, lines: list[object], *, unanswered: bool
) -> None:
    sample = tmp_path / "order.jsonl"
    sample.write_text("".join(json.dumps(line) + "\n" for line in lines))
    callbench("import", str(sample), "--out", str(tmp_path / "orders"), check=True)
    names, generated = stored_assumptions(tmp_path / "orders")
    assert bool(names) is unanswered
    assert not generated
    assert keeps_assumptions(tmp_path / "orders")
    assert bool(own_folder.read(tmp_path / "orders").unanswered) is unanswered


def test_a_schema_without_samples_has_generated_payloads(callbench: Callable[..., object], tmp_path: Path) -> None:
    document = tmp_path / "orders.proto"
    document.write_text(
        'syntax = "proto3"; message Order { string id = 1; } message Total { double sum = 1; }'
        " service Orders { rpc Place(Order) returns (Total); }"
    )
    callbench("import", str(document), "--out", str(tmp_path / "orders"), check=True)
    unanswered, generated = stored_assumptions(tmp_path / "orders")
    assert not unanswered
    assert generated == {"Place"}


def test_a_record_without_a_service_assumes_nothing_of_answers(tmp_path: Path) -> None:
    assert stored_assumptions(tmp_path) == (frozenset(), frozenset())


def test_a_service_of_an_early_import_does_not_say_whose_answers_were_given(tmp_path: Path) -> None:
    (tmp_path / "service.toml").write_text('name = "orders"\n')
    assert not keeps_assumptions(tmp_path)
    assert next(iter(_unmarked(tmp_path))).startswith("This service was imported before Callbench kept which answers")
    (tmp_path / "service.toml").write_text('name = "orders"\nunanswered = []\n')
    assert keeps_assumptions(tmp_path)
    assert list(_unmarked(tmp_path)) == []
    (tmp_path / "service.toml").unlink()
    assert keeps_assumptions(tmp_path)
