"""The table of a record's hosts: who ran where, how well clocks were known, and who was lost."""

import json
from pathlib import Path

from callbench.analysis.run.subject import subject
from callbench.report.export.page import page
from callbench.report.sections import hosts
from callbench.report.text.hosts import hosts_section
from callbench.store.record import Record
from report.synthetic import write

ABOUT = {
    "address": "10.0.0.1",
    "version": "0.9",
    "model": "Some Processor",
    "processors": [0, 1, 2, 3],
    "memory_bytes": 8 << 30,
    "system": "Linux 6.1",
    "clock_bound_ns": 140_000,
    "round_trip_ns": 280_000,
}


def test_a_run_says_who_ran_where(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    write(folder)
    assert hosts.section(subject(Record(folder))) is None
    file = folder / "environment.json"
    # By ssh, the agent has another name than the host was given by.
    there = {"server": {"name": "ssh:me@10.0.0.1", "host": "10-0-0-1", **ABOUT}, "client 2": {"name": "beta", **ABOUT}}
    core = {"machine": {"model": "Mine", "memory_bytes": 1 << 30}, "processors": {"usable": [0]}, "kernel": {}}
    file.write_text(json.dumps({**json.loads(file.read_text()), **core, "hosts": there}))
    head = folder / "record.json"
    head.write_text(json.dumps({**json.loads(head.read_text()), "lost_hosts": {"beta": 2}}))
    lines = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
    for line in lines:
        if line["kind"] == "start":
            line["hello"]["hosts"] = {"beta": ["java 1 (OpenJDK 21)"]}
    (folder / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = subject(Record(folder))
    section = hosts.section(found)
    assert section is not None
    [sheet] = section.sheets
    core_row, server, client = (dict(zip(sheet.columns, row, strict=True)) for row in sheet.rows)
    assert (server["machine"], server["role"], server["lost"]) == ("10-0-0-1", "server", "0")
    assert (client["role"], client["lost"], client["adapters"]) == ("client", "2", "java 1 (OpenJDK 21)")
    assert (core_row["role"], core_row["processors"], core_row["memory"]) == ("core", "1 × Mine", "1.00 GiB")
    assert server["processors"] == "4 × Some Processor"
    assert (server["clock known to, µs"], server["round trip, µs"]) == ("140", "280")
    assert "java 1 (OpenJDK 21)" in page(found)


def test_records_of_before_have_no_round_trips() -> None:
    known = {key: value for key, value in ABOUT.items() if not key.endswith("_ns") and key != "model"}
    section = hosts_section({"hosts": {"client": {"name": "alpha", **known}}}, {}, {})
    assert section is not None
    [sheet] = section.sheets
    assert "round trip, µs" not in sheet.columns
    assert "adapters" not in sheet.columns
