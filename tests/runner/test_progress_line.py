"""The progress display: a line that moves on a terminal and is gone at the end, and lines that stay everywhere."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from callbench.runner.live.progress_line import ProgressLine
from callbench.runner.peer.live import PeerProgress
from callbench.store.head import head
from callbench.store.progress import read
from callbench.store.record_writer import RecordWriter

REMOVED = "\x1b[2K"
PEER: Any = SimpleNamespace(requested=lambda _: SimpleNamespace(rounds=3), path=Path("no-such-record"))
CELL: Any = SimpleNamespace(group="Sum", stack="native/json+http", load=SimpleNamespace(clients=8))
ROUND: Any = SimpleNamespace(
    ours=SimpleNamespace(rate_per_s=2000.0), peers=SimpleNamespace(rate_per_s=1000.0), unsteady=""
)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written is taken for a terminal."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")


@pytest.mark.usefixtures("terminal")
def test_a_terminal_shows_a_line_and_what_stands_below_it(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressLine(quiet=False, below=lambda: "so far: nothing") as line:
        assert line.moving
        line.show("fork [1], round 2")
        line.say("left out: [all]")
    said = capsys.readouterr().err
    assert "fork [1], round 2" in said
    assert "so far: nothing" in said
    assert REMOVED in said
    assert "left out: [all]" in said
    assert said.rindex("so far: nothing") < said.rindex(REMOVED)


def test_elsewhere_only_lines_that_stay_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressLine(quiet=False) as line:
        assert not line.moving
        line.show("moving")
        line.say("staying")
    assert capsys.readouterr() == ("", "staying\n")


@pytest.mark.usefixtures("terminal")
def test_quiet_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressLine(quiet=True) as line:
        line.show("moving")
        line.say("staying")
    assert capsys.readouterr() == ("", "")


def test_a_study_with_the_peer_writes_a_line_for_each_round(capsys: pytest.CaptureFixture[str]) -> None:
    with PeerProgress(PEER, quiet=False) as progress:
        progress.show_plan(6, 120)
        progress.show_drive(0, CELL)
        progress.show_round(0, CELL, ROUND)
        progress.show_failure(CELL, "it died")
    plan, first, failure = capsys.readouterr().err.splitlines()
    assert plan.startswith("6 drives by the load driver and ")
    assert first.startswith("round 1 of 3: Sum native/json+http at 8: 2,000 and 1,000 calls/s, ")
    assert failure == "left out: Sum native/json+http at 8: it died"


@pytest.mark.usefixtures("terminal")
def test_a_study_with_the_peer_shows_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    with PeerProgress(PEER, quiet=False) as progress:
        progress.show_plan(6, 120)
        progress.show_round(0, CELL, ROUND)
        progress.show_drive(1, CELL)
    assert "round 2/3 native/json+http, 8 clients: 1 of 6 drives by both, 0 min left" in capsys.readouterr().err


@pytest.mark.usefixtures("terminal")
def test_the_record_has_the_line_of_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with RecordWriter.create(tmp_path / "one", head("run", "One", {}), {}) as record:
        with ProgressLine(quiet=False) as line:
            line.keep_in(record.path, lambda: {"slices": 3})
            line.show("fork 1,  round 2")
            kept = read(record.path)
        assert kept is not None
        assert {"doing": "fork 1, round 2", "slices": 3}.items() <= kept.items()
        assert read(record.path) is None
    assert "fork 1,  round 2" in capsys.readouterr().err
