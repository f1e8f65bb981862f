"""`callbench.open`: the same values as the files and the command line, in frames and charts."""

import csv
import io
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import callbench
from callbench.model.errors import BadInput
from report.synthetic import write


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # Here and where they are used, since each takes long to load, and every worker loads this file.
    for library in ("pandas", "polars", "altair"):
        pytest.importorskip(library)
    return write(
        tmp_path_factory.mktemp("runs") / "run", only=("native/soap+http", "native/json+http", "native/bin+http")
    )


def test_cells_are_those_of_the_csv(run: Path) -> None:
    opened = callbench.open(run)
    cells = opened.cells()
    assert isinstance(cells, pytest.importorskip("pandas").DataFrame)
    from callbench.report import records  # noqa: PLC0415 - beside what it is compared with

    rows = list(csv.DictReader(io.StringIO(records.write(run, "csv", run / "cells.csv").read_text())))
    assert list(cells.columns) == list(rows[0])
    assert len(cells) == len(rows)
    for place, row in enumerate(rows):
        assert float(row["rate_per_s"]) == pytest.approx(cells["rate_per_s"][place], rel=1e-5)
    assert (cells["rate_per_s_low"] < cells["rate_per_s"]).all()


def test_both_libraries_have_the_same_rows(run: Path) -> None:
    opened = callbench.open(str(run))
    for name in ("cells", "trials", "metrics"):
        assert name in opened.tables
        one, other = opened.table(name), opened.table(name, "polars")
        assert isinstance(other, pytest.importorskip("polars").DataFrame)
        assert (len(one), list(one.columns)) == (other.height, other.columns)
    counted = opened.query(
        "SELECT stack, count(*) AS trials FROM trials JOIN cells USING (cell) GROUP BY stack", "polars"
    )
    assert counted["trials"].sum() == len(opened.table("trials"))


def test_charts_are_drawn_by_altair_with_real_colours(run: Path) -> None:
    charts = callbench.open(run).charts()
    assert any(name.startswith("rate-") for name in charts)
    for chart in charts.values():
        assert isinstance(chart, pytest.importorskip("altair").TopLevelMixin)
        text = chart.to_json()
        assert "#c0000" not in text
        assert "#c000f" not in text


def test_the_record_is_what_show_prints(run: Path) -> None:
    opened = callbench.open(run)
    assert (opened.kind, repr(opened)) == ("run", f"callbench.open({str(run)!r})")
    assert {cell["stack"] for cell in opened.record["cells"]} == set(opened.cells()["stack"])


def test_what_is_wrong_is_one_sentence(run: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such folder"):
        callbench.open(tmp_path / "gone")
    with pytest.raises(BadInput, match=r"nothing.*trials"):
        callbench.open(run).table("nothing")
    with pytest.raises(BadInput, match="pandas or polars"):
        callbench.open(run).cells("arrow")  # type: ignore[call-overload]
    with pytest.raises(BadInput, match="query fails"):
        callbench.open(run).query("SELECT nothing FROM cells")


def test_importing_the_package_loads_nothing_else() -> None:
    """The program starts with it: help must not wait for what only a notebook needs."""
    code = "import sys, callbench; print(*sys.modules)"
    loaded = set(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    )
    assert not {one for one in loaded if one.startswith("callbench.")}
    assert not loaded & {"numpy", "scipy", "duckdb", "pydantic", "typer", "rich", "pandas", "polars", "pathlib"}


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_run_is_exported_as_rows(run: Path, tmp_path: Path, form: str) -> None:
    from callbench.report import records  # noqa: PLC0415 - beside what it is compared with

    file = records.write(run, form, tmp_path / f"cells.{form}")
    frame = pytest.importorskip("pandas").read_csv(file) if form == "csv" else duckdb.read_parquet(str(file)).df()
    cells = callbench.open(run).cells()
    assert list(frame.columns) == list(cells.columns)
    assert frame["stack"].tolist() == cells["stack"].tolist()
    assert frame["rate_per_s"].to_numpy() == pytest.approx(cells["rate_per_s"].to_numpy(), rel=1e-5)
    assert frame["clients"].dtype.kind == "i"
