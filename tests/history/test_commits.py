"""Records by the commit of what they measured: how it is named, and how a history stands in its order."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from callbench.analysis.history.history import history
from callbench.analysis.history.order import SeriesOrder
from callbench.analysis.history.series import collected
from callbench.cli.recorded.command import Ending
from callbench.model.errors import BadInput
from callbench.runner.machine.checkout import commit
from callbench.store.head import MeasuredCommit, commit_of
from callbench.store.shelf import Shelf
from conftest import assert_one_sentence
from records_over_time import write

Callbench = Callable[..., subprocess.CompletedProcess[str]]
OLD, NEW = "1111111aaaaa", "2222222bbbbb"


def git(folder: Path, *words: str) -> str:
    """What git says, as a person without any settings."""
    settings = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    words = ("git", "-C", str(folder), *settings, *words)
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with one commit, which is the current folder."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "server.py").write_text("pass\n")
    git(folder, "add", "server.py")
    git(folder, "commit", "--quiet", "--message", "first", "--date", "2026-02-01T10:00:00Z")
    monkeypatch.chdir(folder)
    return folder


def test_head_is_the_commit_of_the_current_folder(checkout: Path) -> None:
    known = git(checkout, "rev-parse", "HEAD")
    found = commit("HEAD")
    assert found is not None
    assert found.name == known[:12]
    assert found.at == git(checkout, "show", "-s", "--date=format-local:%Y-%m-%dT%H:%M:%SZ", "--format=%cd")
    assert commit(known) == found, "however it is named"
    (checkout / "server.py").write_text("raise SystemExit\n")
    changed = commit("HEAD")
    assert changed is not None
    assert changed.name == f"{known[:12]}-dirty"


def test_what_git_does_not_know_is_kept_as_it_is(checkout: Path) -> None:
    assert checkout.is_dir()
    assert commit("v2.1, built by hand") == MeasuredCommit("v2.1, built by hand")
    assert commit("ab" * 20) == MeasuredCommit("ab" * 6), "of another checkout"
    assert commit(None) is None


@pytest.mark.parametrize(
    ("text", "says"),
    [("HEAD", "in no git checkout"), ("", "give a commit or a version"), ("-x", "give a commit"), ("a\nb", "give a")],
)
def test_bad_names_are_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, says: str) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(BadInput) as refused:
        commit(text)
    assert_one_sentence(str(refused.value), ["--commit", says])


def test_a_record_that_is_continued_keeps_its_commit() -> None:
    with pytest.raises(BadInput, match="leave it out with --resume"):
        Ending(resume=True, commit=MeasuredCommit("x"))


def test_a_damaged_name_is_none() -> None:
    for info in ({}, {"commit": None}, {"commit": "x"}, {"commit": {"name": 7}}, {"commit": [1]}):
        assert commit_of(info) == MeasuredCommit("")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twenty days; the build of each day is another than that of the day before, and one is ten percent faster."""
    write(tmp_path / "runs", 20, 0, 1.0)
    for day in range(20):
        record = tmp_path / "runs" / f"load-{day:02d}"
        name_commit(record, NEW if day % 2 else OLD)
        lines = [json.loads(line) for line in (record / "journal.jsonl").read_text().splitlines()]
        for line in lines:
            if line["kind"] == "result" and day % 2:
                line["rate_per_s"] *= 1.1
        (record / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path / "runs"


def name_commit(record: Path, name: str, at: str = "") -> None:
    """Say what a record measured."""
    info = json.loads((record / "record.json").read_text())
    info["commit"] = {"name": name, "at": at}
    (record / "record.json").write_text(json.dumps(info))


def test_builds_that_were_measured_in_turn_are_told_apart_by_commit(folder: Path) -> None:
    assert not history(collected(Shelf(folder), ["rate_per_s"])).changes
    (change,) = history(collected(Shelf(folder), ["rate_per_s"], SeriesOrder.COMMIT)).changes
    assert (change.before.commit, change.before.record) == (OLD, "load-18")
    assert (change.after.commit, change.after.record) == (NEW, "load-01")
    assert change.better


def test_commits_stand_in_the_order_of_their_own_dates(folder: Path) -> None:
    for day in range(20):
        name_commit(
            folder / f"load-{day:02d}", *((NEW, "2026-01-01T00:00:00Z") if day % 2 else (OLD, "2026-02-01T00:00:00Z"))
        )
    (change,) = history(collected(Shelf(folder), ["rate_per_s"], SeriesOrder.COMMIT)).changes
    assert (change.before.commit, change.after.commit) == (NEW, OLD)
    assert not change.better


def test_the_command_names_both_commits_and_who_has_none(callbench: Callbench, folder: Path) -> None:
    write(folder.parent / "more", 1, 0, 1.0)
    (folder.parent / "more/load-00").rename(folder / "nameless")
    said = callbench("history", str(folder), "--by", "commit", check=True).stdout
    assert f"between load-18 ({OLD}, 2026-03-19 12:00) and load-01 ({NEW}, 2026-03-02 12:00)" in said
    assert "left out: nameless: it names no commit: --commit of the command that measures does" in said
    document = json.loads(callbench("history", str(folder), "--by", "commit", "--json", check=True).stdout)
    assert document["order"] == "commit"
    assert document["changes"][0]["after"]["commit"] == NEW


@pytest.mark.engine
def test_each_command_keeps_the_commit_in_its_record(callbench: Callbench, tmp_path: Path, study: Path) -> None:
    server = "--start=python3 -m http.server {port} --bind 127.0.0.1"
    kept = (
        ("load", server, "--path=/", "--clients=1", "--seconds=0.2"),
        ("soak", server, "--path=/", "--clients=1", "--seconds=0.2", "--rest=0"),
        ("capacity", server, "--path=/", "--seconds=2", "--most=2"),
        ("run", str(study), "--quick"),
    )
    for words in kept:
        out = tmp_path / words[0]
        ended = callbench(*words, "--commit", "v7", "--out", str(out))
        assert (out / "record.json").is_file(), ended.stderr
        assert Shelf(tmp_path).entry(words[0]).commit == "v7"
