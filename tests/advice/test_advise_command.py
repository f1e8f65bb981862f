"""`callbench advise` as a person starts it, on a stored run."""

import csv
import json
import shutil
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from subprocess import CompletedProcess

import jsonschema
import pytest

from advice.counted import LOCAL, STACKS, run
from conftest import assert_one_sentence

Callbench = Callable[..., CompletedProcess[str]]
SCHEMA = json.loads(files("callbench.report.advice").joinpath("advice.schema.json").read_text())
SOAP, JSON, PROTOBUF, BIN = STACKS
SITUATION = """
calls_per_second = 500
today = "native/soap+http-keepalive"
languages = ["java"]
readable = true
objective = "p99 under 500 ms"
[[links]]
name = "office"
link = "2ms,50mbit"
share = 0.7
[[links]]
name = "mobile"
link = "lte"
share = 0.3
[[calls]]
group = "GetPersons"
[prices]
processor_hour = 0.04
gigabyte_out = 0.08
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tmp_path_factory.mktemp("counted") / "run")


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    """A copy of its own."""
    return Path(shutil.copytree(written, tmp_path / "run"))


def test_an_advice_is_printed_kept_and_shown_again(callbench: Callbench, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "situation.toml").write_text(SITUATION)
    ended = callbench("advise", folder, "--situation", "situation.toml", "--no-measure", check=True)
    assert f"Move from {SOAP} to {JSON}" in ended.stdout
    record = json.loads((folder / "advice.json").read_text())
    jsonschema.validate(record, SCHEMA)
    assert record["choice"] == JSON
    assert {one["stack"] for one in record["left_out"]} == {PROTOBUF, BIN, LOCAL}
    page = (folder / "advice.html").read_text()
    assert "<svg" in page
    assert JSON in page
    assert "<script" not in page
    again = callbench("show", folder / "advice.json", check=True)
    assert f"Move from {SOAP} to {JSON}" in again.stdout
    assert "EUR" in again.stdout
    markdown = callbench("report", folder / "advice.json", "--format", "md", check=True)
    assert JSON in Path(tmp_path / markdown.stdout.strip()).read_text()


def test_its_json_is_that_of_its_schema(callbench: Callbench, folder: Path) -> None:
    ended = callbench(
        "advise", folder, "--link", "1ms,1mbit", "--no-measure", "--json", "--undecided", "pass", check=True
    )
    record = json.loads(ended.stdout)
    jsonschema.validate(record, SCHEMA)
    assert json.loads(callbench("show", folder / "advice.json", "--json", check=True).stdout) == record


@pytest.mark.parametrize(
    ("options", "verdict", "code"),
    [
        (["--link", "1ms,1mbit", "--today", PROTOBUF], "stay", 0),
        (["--link", "1ms,1mbit", "--objective", "p99 under 1 us"], "none", 1),
        (["--link", "400ms"], "either", 0),
        (["--link", "400ms", "--today", PROTOBUF], "undecided", 3),
        (["--goal", "bytes", "--today", SOAP], "choose", 0),
    ],
)
def test_the_exit_code_says_what_was_decided(
    callbench: Callbench, folder: Path, options: list[str], verdict: str, code: int
) -> None:
    """Bytes decide over a slow link; over a long one nothing does: no candidate is better by more than the margin.

    Nothing was measured there, so a prediction can be off by the whole margin: staying is not shown to be right.
    """
    ended = callbench("advise", folder, *options, "--no-measure", "--json")
    record = json.loads(ended.stdout)
    assert (record["verdict"], ended.returncode) == (verdict, code), record["sentence"]


def test_one_fork_decides_nothing(callbench: Callbench, folder: Path) -> None:
    journal = folder / "journal.jsonl"
    lines = [line for line in journal.read_text().splitlines(keepends=True) if json.loads(line).get("fork", 0) == 0]
    journal.write_text("".join(lines))
    ended = callbench("advise", folder, "--link", "1ms,1mbit", "--no-measure")
    assert ended.returncode == 3
    assert "Undecided" in ended.stdout


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--link", "25 parsecs"], ["25 parsecs", "25ms,20mbit"]),
        (["--link", "wan5"], ["wan5", "wan50"]),
        (["--link", "25ms,30ms"], ["two times"]),
        (["--today", "native/soap+htp"], ["today", "native/soap+htp", "Allowed"]),
        (["--processor-hour", "1"], ["calls_per_second"]),
        (["--goal", "money"], ["prices"]),
        (["--goal", "speed"], ["speed", "time"]),
        (["--objective", "fast"], ["fast", "p99 under 5 ms"]),
        (["--objective", "p95 under 5 ms"], ["p95", "p99"]),
    ],
)
def test_what_is_wrong_is_one_sentence(callbench: Callbench, folder: Path, options: list[str], says: list[str]) -> None:
    ended = callbench("advise", folder, "--no-measure", *options)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    for part in says:
        assert part in ended.stderr
    assert not (folder / "advice.json").exists()


def test_a_damaged_advice_is_one_sentence(callbench: Callbench, folder: Path) -> None:
    for text in ("{", "[]", '{"kind": "advice"}', '{"kind": "advice", "format": 99}'):
        (folder / "advice.json").write_text(text)
        ended = callbench("show", folder / "advice.json")
        assert ended.returncode == 2
        assert "advice.json" in ended.stderr


def test_what_is_no_record_is_not_measured_if_that_is_forbidden(callbench: Callbench, tmp_path: Path) -> None:
    (tmp_path / "order.json").write_text('{"id": 1}')
    ended = callbench("advise", "order.json", "--no-measure")
    assert ended.returncode == 2
    assert "order.json" in ended.stderr
    assert "--no-measure" in ended.stderr
    assert not (tmp_path / "runs").exists()


def test_what_is_not_there_is_one_sentence(callbench: Callbench) -> None:
    ended = callbench("advise", "gone")
    assert ended.returncode == 2
    assert "gone" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_what_a_schema_cannot_say_is_on_the_page(callbench: Callbench, folder: Path) -> None:
    """Of a service's run, whose folder has the schema."""
    losses = '[[loss]]\nproblem = "no decimals"\nmapped = "a text"\nplaces = ["a", "b", "c", "d", "e"]\n'
    (folder / "service.toml").write_text(f'name = "orders"\n{losses}')
    callbench("advise", folder, "--link", "1ms,1mbit", "--no-measure", "--undecided", "pass", check=True)
    shown = callbench("show", folder / "advice.json", check=True).stdout
    assert "no decimals" in shown
    assert "a, b, c and 2 more" in shown


def test_the_page_has_the_situation_and_what_was_not_said(callbench: Callbench, folder: Path, tmp_path: Path) -> None:
    """And what an early import did not keep, above it."""
    (folder / "service.toml").write_text('name = "orders"\n')
    (tmp_path / "situation.toml").write_text(SITUATION)
    callbench("advise", folder, "--situation", "situation.toml", "--no-measure", "--undecided", "pass", check=True)
    page = callbench("report", folder / "advice.json", "--format", "csv", check=True)
    rows = list(csv.reader((tmp_path / page.stdout.strip()).read_text().splitlines()))
    table = {row[0]: tuple(row[1:]) for row in rows[rows.index(["Your situation"]) + 2 :] if len(row) == 3}
    assert table["calls a second"] == ("500", "given")
    assert table["link office"] == ("70 % of the traffic", "given")
    assert table["objective"] == ("p99 under 500 ms", "given")
    assert table["who calls"] == ("programs of your own", "default")
    assert table["processor-hour"] == ("0.04 EUR (server)", "given")
    assert table["a move is worth, a month"] == ("50 EUR", "default")
    assert table["difference that does not matter"] == ("5 %", "default")
    text = (folder / "advice.html").read_text()
    assert "Your situation" in text
    assert "imported before Callbench kept which answers were given" in text


def test_an_advice_has_every_format(callbench: Callbench, folder: Path, tmp_path: Path) -> None:
    callbench("advise", folder, "--link", "1ms,1mbit", "--no-measure", "--undecided", "pass", check=True)
    for form in ("csv", "parquet", "json", "html"):
        written = callbench("report", folder / "advice.json", "--format", form, check=True)
        assert PROTOBUF.encode() in (tmp_path / written.stdout.strip()).read_bytes() or form == "parquet"
    assert json.loads((folder / "advice.json").read_text())["kind"] == "advice"


def test_a_page_can_be_written_alone(callbench: Callbench, folder: Path, tmp_path: Path) -> None:
    options = ["--link", "1ms,1mbit", "--undecided", "pass", "--page", "there.html"]
    ended = callbench("advise", folder, *options, "--no-measure", check=True)
    assert "<svg" in (tmp_path / "there.html").read_text()
    assert "there.html" in ended.stdout
    assert "advice.json" not in ended.stdout
    assert not [file.name for file in folder.iterdir() if file.name.startswith("advice")]
    refused = callbench("advise", folder, *options)
    assert refused.returncode == 2
    assert_one_sentence(refused.stderr.strip(), ["--page there.html", "needs --no-measure"])
