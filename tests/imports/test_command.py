"""`callbench import` and `callbench show` as a person uses them."""

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from importing import DOCUMENTS


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with the documents that the guide names."""
    for file in DOCUMENTS.iterdir():
        shutil.copy(file, tmp_path)
    shutil.copy(DOCUMENTS / "bookshop.yaml", tmp_path / "openapi.yaml")
    return tmp_path


def callbench(folder: Path, *words: str, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "callbench", *words], capture_output=True, text=True, check=False, cwd=folder
    )
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def test_a_document_becomes_a_folder_that_show_reads(here: Path) -> None:
    printed = callbench(here, "import", "orders.proto")
    assert "Get(GetOrder) -> Order  GET /v1/orders/{id}" in printed
    assert "The call streams messages (one side). It is measured with one message each way." in printed
    assert sorted(one.name for one in (here / "orders").iterdir()) == ["payloads", "schema.proto", "service.toml"]
    assert printed == callbench(here, "show", "orders") + "folder: orders\n"
    assert "orders exists" in callbench(here, "import", "orders.proto", code=2)


def test_the_folder_can_be_named_and_the_record_is_json(here: Path) -> None:
    record = json.loads(callbench(here, "import", "openapi.yaml", "--out", "orders", "--json"))
    assert record["form"] == "openapi 3.0.3"
    assert {call["name"]: call["payloads"] for call in record["calls"]}["ListBooks"] == 64
    assert all(loss["places"] for loss in record["losses"])
    assert json.loads(callbench(here, "show", "orders", "--json")) == record
    lines = (here / "orders" / "payloads" / "Pay.jsonl").read_text().splitlines()
    assert json.loads(lines[0])["request"]["amount"] == "10.10"
    assert len(lines) == 64


def test_some_calls_of_a_document(here: Path) -> None:
    callbench(here, *shlex.split("import openapi.yaml --call ListBooks --call 'Add*'"))
    record = json.loads(callbench(here, "show", "openapi", "--json"))
    assert [call["name"] for call in record["calls"]] == ["ListBooks", "AddBook"]
    assert "has no call 'Sell'" in callbench(here, "import", "openapi.yaml", "--call", "Sell", code=2)


def test_a_name_and_a_format_can_be_given(here: Path) -> None:
    (here / "anything").write_text((here / "parcels_shared.thrift").read_text())
    assert "cannot recognise" in callbench(here, "import", "anything", code=2)
    printed = callbench(here, "import", "anything", "--from", "thrift", "--name", "mail")
    assert printed.startswith("mail: mail, from anything (thrift)")
    assert "there is no format 'morse'" in callbench(here, "import", "anything", "--from", "morse", code=2)
