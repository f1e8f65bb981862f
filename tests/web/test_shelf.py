"""Records as a whole: which are written now, and what an archive may bring."""

import io
import json
import os
import runpy
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from callbench.model.errors import BadInput
from callbench.store import packed
from callbench.store.head import head
from callbench.store.record import is_written
from callbench.store.record_writer import RecordWriter, locked
from callbench.store.shelf import Shelf
from conftest import assert_one_sentence
from web_page import names

pytest_plugins = ["web_page"]


def archive(files: Mapping[str, bytes | str]) -> io.BytesIO:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as zipped:
        for name, content in files.items():
            zipped.writestr(name, content)
    made.seek(0)
    return made


def test_what_is_written_now_is_told_from_what_was_killed(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "runs")
    assert shelf.entries() == []
    with RecordWriter.create(tmp_path / "runs/now", head("soak", "Now", {}), {}):
        assert shelf.entry("now").state == "running"
        with pytest.raises(BadInput, match="is being written: stop its command first"):
            shelf.remove("now")
        with pytest.raises(BadInput, match="is being written: stop its command first"):
            shelf.rename("now", "then")
    assert shelf.entry("now").state == "cut off"
    shelf.rename("now", "then")
    shelf.remove("then")
    assert names(tmp_path / "runs") == []


def test_each_state_has_its_own_word(shelf: Shelf, folder: Path) -> None:
    """What is damaged is known at a glance: a list of a hundred records reads no journal that was left alone."""
    journals = {name: folder / name / "journal.jsonl" for name in ("soak", "load", "torture", "capacity")}
    assert {shelf.entry(name).state for name in journals} == {"finished"}
    journals["soak"].write_bytes(journals["soak"].read_bytes()[:-10])
    text = journals["load"].read_bytes()
    journals["load"].write_bytes(text.replace(b"1", b"2"))
    journals["torture"].unlink()
    head_ = folder / "overload/record.json"
    head_.write_text(json.dumps({**json.loads(head_.read_text()), "format": 1}))
    (folder / "peer/record.json").write_text("{")
    found = {entry.name: (entry.state, entry.trouble) for entry in shelf.entries()}
    assert {name: state for name, (state, _) in found.items()} == {
        "capacity": "finished", "compare": "finished", "load": "damaged", "overload": "of another format",
        "peer": "damaged", "soak": "damaged", "torture": "damaged",
    }  # fmt: skip
    says = {"soak": "was cut", "load": "was altered", "torture": "has no journal.jsonl", "overload": "older Callbench"}
    assert all(words in found[name][1] for name, words in says.items())
    assert shelf.entry("soak").title != "soak", "the rest is known"
    os.utime(journals["load"], ns=(0, 0))
    assert shelf.entry("load").state == "finished", "its content is not read"


def test_looking_does_not_keep_a_writer_out(tmp_path: Path) -> None:
    with RecordWriter.create(tmp_path / "one", head("soak", "One", {}), {}):
        assert is_written(tmp_path / "one")
        with pytest.raises(BadInput, match="another callbench is writing"):
            locked(tmp_path / "one")
    assert not is_written(tmp_path / "one")
    os.close(locked(tmp_path / "one"))


def test_a_folder_of_records_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput) as failure:
        Shelf(tmp_path / "file")
    assert_one_sentence(str(failure.value), ["is a file", "name a folder"])


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../out/record.json", "lies in no folder"),
        ("/out/record.json", "lies in no folder"),
        ("record.json", "lies in no folder"),
        ("one\\..\\record.json", "lies in no folder"),
        ("one/../../record.json", "lies in no folder"),
        ("other/file", "needs one folder"),
        (".hidden/file", "needs one folder"),
    ],
)
def test_an_archive_leads_nowhere_else(shelf: Shelf, folder: Path, name: str, why: str) -> None:
    before = sorted(path for path in folder.parent.rglob("*"))
    file = archive({"one/record.json": (folder / "soak/record.json").read_bytes(), name: "x"})
    with pytest.raises(BadInput, match=why) as failure:
        packed.unpack(file, shelf)
    assert_one_sentence(str(failure.value), ["no packed record"])
    assert sorted(path for path in folder.parent.rglob("*")) == before


def test_a_link_in_an_archive_is_refused(shelf: Shelf, folder: Path) -> None:
    link = zipfile.ZipInfo("one/journal.jsonl")
    link.external_attr = 0o120777 << 16
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as zipped:
        zipped.writestr("one/record.json", (folder / "soak/record.json").read_bytes())
        zipped.writestr(link, "/etc/passwd")
    with pytest.raises(BadInput, match="is no ordinary file"):
        packed.unpack(made, shelf)


def test_an_archive_is_not_believed_what_it_says_of_its_size(
    shelf: Shelf, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "MOST_BYTES", 5_000_000)
    record = (folder / "soak/record.json").read_bytes()
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("one/record.json", record)
        zipped.writestr("one/journal.jsonl", bytes(6_000_000))
    with pytest.raises(BadInput, match="it has more than"):
        packed.unpack(made, shelf)
    assert "one" not in names(folder)
    assert not [name for name in names(folder) if name.startswith(".")]


def test_a_cut_journal_is_not_imported(shelf: Shelf, folder: Path) -> None:
    files = {f"one/{name}": (folder / "soak" / name).read_bytes() for name in ("record.json", "journal.jsonl")}
    info = json.loads(files["one/record.json"])
    assert "journal" in info
    files["one/journal.jsonl"] = files["one/journal.jsonl"][:-10]
    with pytest.raises(BadInput, match="was cut"):
        packed.unpack(archive(files), shelf)
    assert "one" not in names(folder)


def test_what_an_archive_brings_is_nobody_elses(shelf: Shelf, folder: Path, tmp_path: Path) -> None:
    (folder / "soak/lock").write_text("")
    (folder / "soak/progress.json").write_text("{}")
    packed.pack(folder / "soak", tmp_path / "packed.zip")
    with (tmp_path / "packed.zip").open("rb") as file:
        name = packed.unpack(file, shelf)
    brought = folder / name
    assert not (brought / "lock").exists()
    assert not (brought / "progress.json").exists()
    assert brought.stat().st_mode & 0o777 == 0o700
    assert {one.stat().st_mode & 0o777 for one in brought.iterdir()} == {0o600}


def content(folder: Path) -> dict[str, bytes]:
    """What a record has, but for what a packed one leaves out."""
    return {one.name: one.read_bytes() for one in folder.iterdir() if one.name != "lock"}


def test_a_small_archive_is_taken_back_as_it_was(shelf: Shelf, folder: Path, tmp_path: Path) -> None:
    plain, small = tmp_path / "plain.zip", tmp_path / "small.zip"
    packed.pack(folder / "soak", plain)
    packed.pack(folder / "soak", small, small=True)
    assert small.stat().st_size < plain.stat().st_size
    with small.open("rb") as file:
        name = packed.unpack(file, shelf)
    assert content(folder / name) == content(folder / "soak")


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take small journals apart too."""
    monkeypatch.setattr(packed, "APART_BYTES", 0)


@pytest.mark.usefixtures("apart")
def test_a_large_journal_is_in_parts_and_put_together_here_and_elsewhere(
    shelf: Shelf, folder: Path, tmp_path: Path
) -> None:
    packed.pack(folder / "soak", tmp_path / "small.zip", small=True)
    with (tmp_path / "small.zip").open("rb") as file:
        name = packed.unpack(file, shelf)
    assert content(folder / name) == content(folder / "soak")
    with zipfile.ZipFile(tmp_path / "small.zip") as opened:
        opened.extractall(tmp_path)
    runpy.run_path(str(tmp_path / "soak/journal/whole.py"), run_name="__main__")
    assert (tmp_path / "soak/journal.jsonl").read_bytes() == (folder / "soak/journal.jsonl").read_bytes()


@pytest.mark.usefixtures("apart")
@pytest.mark.parametrize("lacking", ["numbers", "wrong numbers"])
def test_parts_of_a_journal_that_do_not_fit_are_refused_in_a_sentence(
    shelf: Shelf, folder: Path, tmp_path: Path, lacking: str
) -> None:
    packed.pack(folder / "soak", tmp_path / "small.zip", small=True)
    made = io.BytesIO()
    with zipfile.ZipFile(tmp_path / "small.zip") as whole, zipfile.ZipFile(made, "w") as zipped:
        for info in whole.infolist():
            if not info.filename.endswith(".numbers"):
                zipped.writestr(info.filename, whole.read(info))
            elif lacking != "numbers":
                zipped.writestr(info.filename, b"1")
    with pytest.raises(BadInput) as failure:
        packed.unpack(made, shelf)
    assert_one_sentence(str(failure.value), ["is damaged", "export the record again"])


@pytest.mark.parametrize("small", [False, True])
@pytest.mark.usefixtures("apart")
def test_what_is_packed_already_is_known_by_its_bytes(folder: Path, tmp_path: Path, *, small: bool) -> None:
    record, file = folder / "soak", tmp_path / "soak.zip"
    assert not packed.is_packed(record, file, small=small)
    packed.pack(record, file, small=small)
    assert packed.is_packed(record, file, small=small)
    assert not packed.is_packed(record, file, small=not small)
    assert not packed.is_packed(folder / "load", file, small=small)
    whole = file.read_bytes()
    file.write_bytes(whole[:-30])
    assert not packed.is_packed(record, file, small=small)
    file.write_bytes(whole)
    journal = (record / "journal.jsonl").read_bytes()
    (record / "journal.jsonl").write_bytes(journal.replace(b"1", b"2", 1))
    assert not packed.is_packed(record, file, small=small)
    (record / "journal.jsonl").write_bytes(journal + b"\n")
    assert not packed.is_packed(record, file, small=small)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_archive_is_refused_in_a_sentence(shelf: Shelf, folder: Path, method: int) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as zipped:
        zipped.write(folder / "soak/record.json", "one/record.json")
        zipped.write(folder / "soak/journal.jsonl", "one/journal.jsonl")
    damaged = bytearray(made.getvalue())
    at = damaged.index(b"one/journal.jsonl") + 100
    damaged[at : at + 400] = bytes(400)
    with pytest.raises(BadInput) as failure:
        packed.unpack(io.BytesIO(bytes(damaged)), shelf)
    assert_one_sentence(str(failure.value), ["is damaged", "export the record again"])
    assert "one" not in names(folder)
