"""The registry of metrics: what lists them has all of them, and nothing else."""

import json
from collections import Counter
from dataclasses import fields
from pathlib import Path

import pytest
from written import files

from callbench.analysis.cells.metric_queries import queries
from callbench.analysis.metrics import query
from callbench.analysis.metrics.metric_values import value_of, why_unknown
from callbench.analysis.run.subject import Subject, subject
from callbench.catalog.study import load
from callbench.model.errors import BadInput
from callbench.model.metrics.metric import Combination, StudyUse
from callbench.model.metrics.readings import READINGS
from callbench.model.metrics.registry import GROUPS, METRICS, PERCENTILES, VALUES, available_metrics
from callbench.model.process_readings import FullReading
from callbench.report.export.formats import TEXTS
from callbench.report.export.show import cell_records
from callbench.store.record import Record
from report.synthetic import write as synthetic

FEW = ("native/soap+supertcp", "native/bin+library")
STUDY = """
title = "One"
about = "One table."
[[cells]]
group = "Sum"
stacks = ["native/soap+supertcp"]
call = "Sum"
arguments = { a = 1, b = 2 }
[[tables]]
id = "one"
title = "One"
statistic = "STATISTIC"
rows = [{ label = "SOAP", where = { message = "soap" } }]
columns = [{ label = "TCP", where = { channel = "tcp" } }]
"""


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    return subject(Record(synthetic(tmp_path_factory.mktemp("runs") / "few", only=FEW)))


@pytest.mark.parametrize("file", files(), ids=lambda file: file.name)
def test_what_is_written_from_the_registry_is_as_it_says(file: Path) -> None:
    assert file.read_text() == files()[file], f"{file} is stale: python tests/metrics/written.py"


def test_each_name_is_there_once_and_has_all_that_a_reader_needs() -> None:
    assert Counter(one.name for group in GROUPS.values() for one in group).most_common(1)[0][1] == 1
    for one in METRICS.values():
        assert one.title
        assert one.about.endswith(".")
        assert one.unit or one.name == "limit"
        assert (one.share is not None) == (one.combined is Combination.HISTOGRAMS)
        assert one.rows is None or one.rows.value
    assert list(PERCENTILES.values()) == sorted(PERCENTILES.values())


def test_the_probe_reads_what_is_declared() -> None:
    assert {one.name for one in READINGS} == {one.name for one in fields(FullReading)}


def test_all_that_is_computed_is_declared_and_shown(few: Subject) -> None:
    found = {name for one in few.results.cells for name in one.by_fork}
    assert found <= VALUES.keys(), "computed under a name that no metric has"
    assert {"rate_per_s", "p999_us", "max_us", "echoes", "client_user_us", "bytes"} <= found
    for cell, one in zip(cell_records(few)["cells"], few.results.cells, strict=True):
        known = {name for name, each in cell["metrics"].items() if each["value"] is not None}
        assert {name for name in VALUES if value_of(one, name) is not None} == known
        assert {name for name in VALUES if why_unknown(one, name)} == cell["metrics"].keys() - known
        assert cell["metrics"]["rate_per_s"]["low"] < cell["metrics"]["rate_per_s"]["value"]
    batched = cell_records(few)["cells"][1]
    assert batched["timed"] == "batch"
    assert batched["metrics"].keys().isdisjoint({"p50_us", "max_us"})


def test_what_is_measured_once_is_given_as_it_is(few: Subject) -> None:
    one = few.results.cells[0]
    (size,) = set(one.by_fork["bytes"].values())
    assert cell_records(few)["cells"][0]["metrics"]["bytes"] == {"value": size, "low": size, "high": size}


def test_the_greatest_latency_is_that_of_all_forks(few: Subject) -> None:
    one = few.results.cells[0]
    found = value_of(one, "max_us")
    assert found is not None
    assert found.middle == max(one.by_fork["max_us"].values()) == one.latency.max
    assert (found.low, found.high) == (None, None)


def test_csv_has_the_metrics_of_the_run_and_no_empty_ones(few: Subject) -> None:
    columns = TEXTS["csv"](few).partition("\r\n")[0].split(",")
    assert {"rate_per_s", "rate_per_s_low", "rate_per_s_high", "p99_us", "cpu_us"} <= set(columns)
    assert "wire_bytes" not in columns


def test_a_query_has_a_row_for_each_cell_and_fork(few: Subject) -> None:
    names, rows = query.answered(few.run, "SELECT * FROM metrics ORDER BY cell, fork")
    assert names == ["cell", "fork", *VALUES]
    assert len(rows) == sum(one.forks for one in few.results.cells)
    first = dict(zip(names, rows[0], strict=True))
    one = few.results.cells[0]
    assert (first["cell"], first["fork"]) == (one.id, 0)
    assert first["p99_us"] == one.by_fork["p99_us"][0]
    assert first["bytes"] == one.by_fork["bytes"][0]
    assert first["wire_bytes"] is None
    joined = "SELECT count(*) FROM metrics JOIN trials USING (cell, fork) JOIN cells USING (cell)"
    assert query.answered(few.run, joined)[1] == [(len(rows),)]
    with pytest.raises(BadInput, match=r"cheese.*tables: metrics, "):
        query.answered(few.run, "SELECT cheese FROM metrics")


def test_the_query_of_a_metric_runs_by_itself(few: Subject) -> None:
    """A report shows it as the source of a table."""
    with few.run.connection() as connection:
        for one in METRICS.values():
            for text in queries([one]):
                cursor = connection.execute(text)
                assert [column[0] for column in cursor.description or []] == ["cell", "fork", one.name]


@pytest.mark.parametrize("name", [*available_metrics(StudyUse.TABLES)])
def test_a_study_can_ask_for_each(name: str, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(STUDY.replace("STATISTIC", name))
    assert load(tmp_path / "s.toml").tables[0].statistic == name


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("p95_us", 'tables[1] (one).statistic: "p95_us" is not a metric that can be shown here: did you mean "p9'),
        ("break_even_mbit", '"break_even_mbit" is not a metric that can be shown here'),
    ],
)
def test_another_name_is_one_sentence_with_the_nearest(name: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(STUDY.replace("STATISTIC", name))
    with pytest.raises(BadInput) as refused:
        load(tmp_path / "s.toml")
    assert sentence in str(refused.value)


def test_the_schema_has_no_other_metric() -> None:
    schema = json.loads(next(file for file in files() if file.suffix == ".json").read_text())
    assert list(schema["$defs"]["metrics"]["properties"]) == list(VALUES)
