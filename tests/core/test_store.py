"""A run on disk: complete lines are read, half a line is not, and damage is reported in one sentence."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis.strategies as some
import pytest
from hypothesis import HealthCheck, given, settings

from callbench.model.cell import Cell, Load, Stack
from callbench.model.errors import BadInput, CallbenchError
from callbench.runner.plan import plan
from callbench.store import journal, tables
from callbench.store.head import FORMAT
from callbench.store.record import Record
from callbench.store.record_writer import RecordWriter
from record_json import record_json

INFO: dict[str, Any] = record_json(
    "run",
    {
        "callbench": "0.1.0",
        "study": "small",
        "title": "Small",
        "seed": 1,
        "quick": False,
        "forks": 1,
        "rounds": 2,
        "select": [],
        "settings": {},
        "started": "2026-11-21T03:00:00.000Z",
        "finished": None,
        "state": "running",
    },
)
CPU = {"user_ns": "1000", "system_ns": "500"}
LATER = {"user_ns": "5000", "system_ns": "1500"}


def trial(number: int, buckets: list[list[int]] | None = None) -> dict[str, Any]:
    buckets = [[100, 2], [256, 1], [909, 3]] if buckets is None else buckets
    histogram = {"count": 6, "sum_ns": "28000", "min_ns": 100, "max_ns": 9030, "buckets": buckets}
    done = {
        "is": "done",
        "id": 3,
        "calls": 6,
        "errors": {"timeout": 2, "closed": 1},
        "elapsed_ns": 2_000_000_000,
        "timed": "each",
        "batch": 1,
        "latency": histogram,
        "service": None,
        "lateness": None,
        "in_call_ns": "9007199254740993",
        "think_ns": "0",
        "processor": {"start": CPU, "end": LATER},
        "threads": 1,
        "intervals": [[100_000_000, 3, 0], [200_000_000, 6, 3]],
    }
    counted = {"calls": {"Sum": 8}, "processor": {"start": CPU, "end": LATER}}
    place = {"fork": 0, "start": 0, "order": 0, "cell": "c001", "started": "2026-11-21T03:00:00.000Z"}
    return {
        "kind": "trial",
        "trial": number,
        **place,
        "warm_up": [[1, 2]],
        "done": done,
        "counted": counted,
        "agree": True,
    }


@pytest.fixture
def run(tmp_path: Path) -> Iterator[RecordWriter]:
    stack = Stack("honest/tcp", "honest", "json", "tcp", "python", "", "", card={"roles": "both"})
    cell = Cell("c001", "Sum", "honest/tcp", "Sum", {"a": 1, "b": 2}, Load(1, 6, 1.0))
    record = plan.make_plan([cell], [stack], 1).record()
    files = {"study.toml": b"", "plan.json": json.dumps(record).encode(), "environment.json": b"{}"}
    with RecordWriter.create(tmp_path / "run", INFO, files) as writer:
        yield writer


def asked(run: Record, sql: str, *values: object) -> list[tuple[Any, ...]]:
    with run.connection() as connection:
        return connection.execute(sql, values).fetchall()


def test_a_trial_becomes_rows(run: RecordWriter) -> None:
    run.append(trial(0))
    assert asked(
        run, "SELECT calls, error_count, rate_per_s, count, sum_ns, in_call_ns, clients, agree FROM trials"
    ) == [(6, 3, 3.0, 6, 28000, 9007199254740993, 1, True)]
    assert asked(run, "SELECT user_ns, system_ns, server_user_ns, server_system_ns FROM trials") == [
        (4000, 1000, 4000, 1000)
    ]
    assert json.loads(asked(run, "SELECT errors FROM trials")[0][0]) == {"timeout": 2, "closed": 1}
    assert asked(run, "SELECT at_ns, calls, errors FROM intervals") == [(100_000_000, 3, 0), (200_000_000, 6, 3)]
    assert asked(run, 'SELECT cell, "group", stack, message, clients FROM cells') == [
        ("c001", "Sum", "honest/tcp", "json", 1)
    ]


@given(some.lists(some.integers(0, 2**42 - 1), min_size=20, max_size=60, unique=True))
@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_bucket_holds_the_times_that_the_contract_puts_there(run: RecordWriter, times: list[int]) -> None:
    """Many times stand in one journal, since each reading of it makes the tables again."""
    for ns in times:
        top = ns.bit_length() - 1
        index = ns if ns < 128 else 128 * (top - 6) + (ns >> (top - 7)) - 128
        run.append(trial(ns, [[index, 1]]))
    held = {ns: (low, width) for ns, low, width in asked(run, "SELECT trial, low_ns, width_ns FROM histograms")}
    assert set(times) <= set(held)
    for ns in times:
        low, width = held[ns]
        assert low <= ns < low + width
        assert width <= max(1, ns / 127)


def test_tables_follow_the_journal(run: RecordWriter) -> None:
    run.append(trial(0))
    assert asked(run, "SELECT count(*) FROM trials") == [(1,)]
    run.append(trial(1))
    assert asked(run, "SELECT count(*) FROM trials") == [(2,)]
    made = (run.path / "parquet" / "trials.parquet").stat().st_mtime_ns
    assert asked(run, "SELECT count(*) FROM trials") == [(2,)]
    assert (run.path / "parquet" / "trials.parquet").stat().st_mtime_ns == made, "made again without need"


@pytest.mark.parametrize("last", [False, True])
def test_a_line_longer_than_all_others_is_read_whole(run: RecordWriter, last: bool) -> None:
    """What a line may be long follows from the journal: a round of a thousand slices has megabytes."""
    long = trial(0, [[bucket, 1] for bucket in range(5376)])
    long["why"] = "long " * 700_000
    for one in [trial(1), long] if last else [long, trial(1)]:
        run.append(one)
    assert asked(run, "SELECT count(*) FROM trials") == [(2,)]
    assert asked(run, "SELECT count(*) FROM histograms WHERE trial = 0 AND name = 'latency'") == [(5376,)]


def test_tables_of_another_version_are_rewritten(run: RecordWriter, monkeypatch: pytest.MonkeyPatch) -> None:
    run.append(trial(0))
    with monkeypatch.context() as before:
        before.setitem(tables.QUERIES, "trials", "SELECT 1 AS one")
        assert asked(run, "SELECT * FROM trials") == [(1,)]
    assert asked(run, "SELECT count(elapsed_ns) FROM trials") == [(1,)]


@given(cut=some.integers(1, 2000))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_half_a_line_is_dropped_by_readers_and_cut_off_by_writers(run: RecordWriter, cut: int) -> None:
    os.truncate(run.journal_file, 0)
    whole = json.dumps(trial(0)).encode() + b"\n"
    half = json.dumps(trial(1)).encode()[:cut]
    run.journal_file.write_bytes(whole + half)
    assert [line["trial"] for line in run.lines()] == [0]
    assert asked(run, "SELECT trial FROM trials") == [(0,)]
    journal.Journal(run.journal_file).close()
    assert run.journal_file.read_bytes() == whole


def test_no_table_has_rows_before_anything_is_measured(run: RecordWriter) -> None:
    for name in ("trials", "histograms", "intervals", "codecs", "excluded", "starts"):
        assert asked(run, "SELECT count(*) FROM query_table(?)", name) == [(0,)]


def test_a_line_that_does_not_fit_leaves_nothing_behind(run: RecordWriter, monkeypatch: pytest.MonkeyPatch) -> None:
    run.append(trial(0))
    before = run.journal_file.read_bytes()
    real = os.write

    def read_full(fd: int, data: bytes) -> int:
        if len(data) > 100:
            return real(fd, data[:100])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", read_full)
    with pytest.raises(
        CallbenchError, match=r"No space left on device; make room.*what was measured before is kept"
    ) as raised:
        run.append(trial(1) | {"pad": "x" * 37})
    monkeypatch.undo()
    assert raised.value.exit_code == 2
    assert run.journal_file.read_bytes() == before


def test_a_second_writer_is_refused(run: RecordWriter) -> None:
    with pytest.raises(BadInput, match="another callbench is writing"):
        RecordWriter(run.path)


def test_a_folder_that_is_taken_is_refused(run: RecordWriter, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is there already: give --resume"):
        RecordWriter.create(run.path, INFO, {})
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    with pytest.raises(BadInput, match="is there already: give another --out"):
        RecordWriter.create(tmp_path / "mine", INFO, {})


def damaged(run: RecordWriter, how: str) -> None:  # noqa: C901 - a list of ways
    match how:
        case "no such folder":
            run.path.rename(run.path.with_name("elsewhere"))
        case "no record.json":
            (run.path / "record.json").unlink()
        case "record.json is not JSON":
            (run.path / "record.json").write_bytes(b"\xff{")
        case "record.json is half written":
            (run.path / "record.json").write_text((run.path / "record.json").read_text()[:40])
        case "record.json has no state":
            (run.path / "record.json").write_text(json.dumps({key: INFO[key] for key in INFO if key != "state"}))
        case "a request is none" | "a seal is none":
            members: dict[str, object] = (
                {"request": 7} if "request" in how else {"journal": {"bytes": "7", "sha256": ""}}
            )
            (run.path / "record.json").write_text(json.dumps({**INFO, **members}))
        case "newer":
            (run.path / "record.json").write_text(json.dumps(INFO | {"format": FORMAT + 1}))
        case "no plan":
            (run.path / "plan.json").unlink()
        case "plan is not a plan":
            (run.path / "plan.json").write_text('{"cells": 7}')
        case "no journal":
            run.journal_file.unlink()
        case "journal has a line of noise":
            run.journal_file.write_bytes(
                json.dumps(trial(0)).encode() + b"\n\x00\x00\x00\n" + json.dumps(trial(1)).encode() + b"\n"
            )
        case "journal has a trial of another kind":
            run.journal_file.write_text(json.dumps(trial(0) | {"done": "all"}) + "\n")


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("no such folder", "is not a record: there is no such folder"),
        ("no record.json", "is not a record: it has no record.json"),
        ("record.json is not JSON", "record.json is damaged: it is not JSON"),
        ("record.json is half written", "record.json is damaged: it is not JSON"),
        ("record.json has no state", "record.json is damaged: state is missing"),
        ("a request is none", "record.json is damaged: request is not an object"),
        ("a seal is none", "record.json is damaged: journal.bytes is not a whole number"),
        ("newer", "was written by a newer Callbench (format 3, this one reads up to 2)"),
        ("no plan", "is damaged: it has no plan.json"),
        ("plan is not a plan", "is damaged: "),
        ("no journal", "is damaged: it has no journal.jsonl"),
        ("journal has a line of noise", "is damaged: line 2 is not a journal line"),
        ("journal has a trial of another kind", "is damaged: "),
    ],
)
def test_what_is_damaged_is_one_sentence(run: RecordWriter, how: str, says: str) -> None:
    run.append(trial(0))
    damaged(run, how)
    with pytest.raises(BadInput) as raised:
        asked(Record(run.path), "SELECT * FROM trials")
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_run_that_cannot_be_written_is_read_all_the_same(run: RecordWriter, monkeypatch: pytest.MonkeyPatch) -> None:
    run.append(trial(0))
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and real(path, mode))
    assert asked(Record(run.path), "SELECT calls FROM trials") == [(6,)]


@pytest.mark.parametrize("kind", ["run", "load", "comparison"])
def test_a_finished_journal_that_was_cut_or_altered_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / kind
    with RecordWriter.create(path, record_json(kind, {**INFO, "kind": kind}), {}) as writer:
        for number in range(3):
            writer.append(trial(number))
        writer.end("finished")
    whole = writer.journal_file.read_bytes()
    assert len(list(Record(path).lines())) == 3
    line = whole.index(b"\n") + 1
    for damaged, says in (
        (whole[:line], f"was cut: it has {line:,} of {len(whole):,} bytes"),
        (whole[:-10], "was cut"),
        (whole.replace(b"trial", b"trail"), "was altered since its work ended"),
        (whole + whole[:line], "was altered since its work ended"),
    ):
        writer.journal_file.write_bytes(damaged)
        with pytest.raises(BadInput, match=says):
            Record(path).lines()
        with pytest.raises(BadInput, match=says):
            Record(path).connection()
        with pytest.raises(BadInput, match=says):
            RecordWriter(path)


def test_a_record_that_is_continued_is_sealed_anew(tmp_path: Path) -> None:
    path = tmp_path / "run"
    with RecordWriter.create(path, INFO, {}) as first:
        first.append(trial(0))
        first.end("stopped")
    with RecordWriter(path) as again:
        again.append(trial(1))
        # Killed here, its last line would be torn: it has no seal then.
        assert len(list(Record(path).lines())) == 2
        again.end("finished")
        again.note("after its end")
        assert len(list(Record(path).lines())) == 3
        again.end("finished")
        assert len(list(Record(path).lines())) == 3


def damaged_tables() -> list[Any]:
    """Return each way to damage a table of a run, by its name."""

    def cut(file: Path) -> None:
        file.write_bytes(file.read_bytes()[:-20])

    def emptied(file: Path) -> None:
        file.write_bytes(b"")

    def altered(file: Path) -> None:
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 0xFF
        file.write_bytes(content)

    return [pytest.param(one, id=one.__name__) for one in (cut, emptied, altered, Path.unlink)]


@pytest.mark.parametrize("damage", damaged_tables())
@pytest.mark.parametrize("name", ["trials", "histograms", "cells"])
def test_a_damaged_table_is_made_again(run: RecordWriter, damage: Callable[[Path], None], name: str) -> None:
    run.append(trial(0))
    run.end("finished")
    with Record(run.path).connection() as connection:
        before = connection.execute(f"SELECT * FROM {name}").fetchall()  # noqa: S608 - ours
    damage(run.path / "parquet" / f"{name}.parquet")
    with Record(run.path).connection() as connection:
        assert connection.execute(f"SELECT * FROM {name}").fetchall() == before  # noqa: S608 - ours


def test_a_record_is_its_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with RecordWriter.create(tmp_path / "run", INFO, {"plan.json": b"{}"}) as writer:
            writer.append(trial(0))
            writer.end("finished")
    finally:
        os.umask(before)
    assert (tmp_path / "run").stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in (tmp_path / "run").iterdir()} == {0o600}
