"""A load that was kept is shown again and reported, and what is no record is named."""

import csv
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from callbench.adapter.contract import DriveInterval
from callbench.adapter.placement import choose_placement
from callbench.analysis.load.request import LoadRequest
from callbench.runner.load import journal as journals
from callbench.store.head import MeasuredCommit
from sealed import sealed

if TYPE_CHECKING:
    from callbench.store.lines.load import LoadRecord

Program = Callable[..., subprocess.CompletedProcess[str]]


def written(path: Path, **other: Any) -> Path:
    """A load that never took place."""
    times = {"mean": 900.0, "min": 100.0, "p50": 812.0, "p99": 57_012.0, "max": 61_000.0}
    read = dict.fromkeys(
        ("processes", "threads", "user_ms", "system_ms", "minor_faults", "major_faults", "unique_bytes",
         "proportional_bytes", "files", "voluntary", "involuntary"), 1
    )  # fmt: skip
    ends = {name: {**read, "resident_bytes": size << 20} for name, size in (("begin", 5), ("end", 27))}
    server = {"processors": 2, "processor_ms": 3000, **ends}
    record: dict[str, Any] = {
        "url": "http://127.0.0.1:8080/hello", "protocol": "http1", "clients": 50, "connections": 50,
        "arrivals": "closed", "rate_asked_per_s": None, "seconds": 2.0, "calls": 12_345, "rate_per_s": 6172.5,
        "rate_missed": False, "backlog": None, "latency_us": times, "service_us": None, "lateness_us": None,
        "errors": {"status": 44}, "error_share": 44 / 12_389,
        "error_messages": {"status": "the answer's status is 500"}, "server": server,
        "verdict": {"limit": "server", "why": "it used 97 % of its processors"}, "histogram_ns": None,
        "calls_in_window": 12_345.4,
        "target": "http://127.0.0.1:8080/hello", "threads": 1, "driver_processors": [0], "stopped": None,
        "clients_unserved": 0, "thresholds": [], "failure": None, "client_processor_us_per_call": 5.5,
        "server_unseen": None, "processors": {}, "endpoints": None,
        "in_flight": 6, "last_answer_after_s": 4.5, "intervals": [[10**9, 6000, 20], [2 * 10**9, 12_345, 44]],
    }  # fmt: skip
    with journals.create(LoadRequest(record["url"], url=record["url"]), path, choose_placement()) as writer:
        journal = journals.LoadJournal(writer)
        for at_ns, calls, errors in record["intervals"]:
            journal.interval(DriveInterval(at_ns, calls, errors, None))
        journal.result(cast("LoadRecord", {**record, **other}))
        writer.name_commit(MeasuredCommit("1234567"))
        writer.end("finished")
    return path


def test_a_load_is_shown_again(callbench: Program, tmp_path: Path) -> None:
    written(tmp_path / "load")
    text = callbench("show", "load", check=True).stdout
    for said in (
        "12,345 calls",
        "57,012",
        "44 failed as status: the answer's status is 500",
        "Limited by: server.",
        "6 in flight at the end count in the rate only if they did not wait. The last one ended after 4.50 s.",
        "The server used 75 % of its 2 processors; memory 5.0 to 27.0 MiB.",
    ):
        assert said in text
    record = sealed("load", callbench("show", "load", "--json", check=True).stdout)
    assert (record["kind"], record["calls"], record["findings"]) == ("load", 12_345, [])
    assert record["commit"] == {"name": "1234567", "at": ""}
    assert record["environment"]["processors"]


def test_calls_that_were_sent_again_are_said(callbench: Program, tmp_path: Path) -> None:
    written(tmp_path / "load", sent_again=1_234)
    said = "1,234 calls were sent again: the server had closed the kept connection."
    assert said in callbench("show", "load", check=True).stdout
    assert json.loads(callbench("show", "load", "--json", check=True).stdout)["sent_again"] == 1_234


def test_a_server_that_died_heads_the_load(callbench: Program, tmp_path: Path) -> None:
    died = "the server died (exit code 3)"
    written(tmp_path / "load", server_death=died, failure=f"Failed: {died}.")
    shown = callbench("show", "load", check=True).stdout
    assert "Failed: the server died; 12,345 calls answered" in shown
    assert f"Failed: {died}." in shown


def test_a_load_has_a_report_in_every_format(callbench: Program, tmp_path: Path) -> None:
    before = (written(tmp_path / "load") / "journal.jsonl").read_bytes()
    for form in ("html", "md", "csv", "json"):
        ended = callbench("report", "load", "--format", form, check=True)
        assert ended.stdout.strip() == f"load/report.{form}"
    page = (tmp_path / "load" / "report.html").read_text()
    assert "load of http://127.0.0.1:8080/hello" in page
    assert "<svg" in page
    assert "57,012" in (tmp_path / "load" / "report.md").read_text()
    rows = list(csv.reader((tmp_path / "load" / "report.csv").read_text().splitlines()))
    assert ["latency_us", "p99", "57012.0"] in rows
    assert json.loads((tmp_path / "load" / "report.json").read_text())["calls"] == 12_345
    assert (tmp_path / "load" / "journal.jsonl").read_bytes() == before
    wrong = callbench("report", "load", "--format", "xml")
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)


def test_what_is_no_record_is_named(callbench: Program, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello\n")
    with journals.create(LoadRequest("http://x"), tmp_path / "cut", choose_placement()) as writer:
        journals.LoadJournal(writer).interval(DriveInterval(10**9, 5, 0, {}))
        writer.end("stopped")
    (tmp_path / "empty").mkdir()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "adapter.toml").write_text("")
    (tmp_path / "runs").mkdir()
    written(tmp_path / "runs" / "load-1")
    cases = {
        "nowhere": "there is no such folder",
        "notes.txt": "notes.txt is not a record: it is a file",
        "cut": "has no result: the load was stopped",
        "empty": "it has no record.json",
        "mine": "it is an adapter's",
        "runs": "it holds 1 records: name one of them, such as runs/load-1",
    }
    for path, why in cases.items():
        for command in ("show", "report"):
            ended = callbench(command, path)
            assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
            assert why in ended.stderr
