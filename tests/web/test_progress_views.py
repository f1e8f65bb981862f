"""What a running command keeps of its progress, and the views that show it."""

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from starlette.testclient import TestClient

from callbench.adapter.contract import DriveInterval
from callbench.analysis.load.request import LoadRequest
from callbench.model import objective
from callbench.model.secrets import SECRETS
from callbench.runner.live.progress_line import ProgressLine
from callbench.runner.load.live import LoadProgress
from callbench.runner.stability.live import SliceProgress
from callbench.store import progress
from callbench.store.head import head
from callbench.store.lines.capacity import StepLine
from callbench.store.progress import ProgressFile, Thinned
from callbench.store.record_writer import RecordWriter
from callbench.store.shelf import Shelf
from callbench.web import watching
from callbench.web.jobs import Jobs
from callbench.web.watching import Watching
from conftest import ROOT, eventually
from web_page import HOSTILE, RANKED

pytest_plugins = ["web_page"]

SCHEMA = json.loads((files("callbench.store") / "progress.schema.json").read_text())
SERVER = "--start=python3 -m http.server {port} --bind 127.0.0.1"


# A load of a search for a capacity.
TRIED: StepLine = {
    "kind": "step", "phase": 0, "level": 4.0, "at_s": 1.0, "seconds": 1.0, "holds": True, "value_us": 3000.0,
    "errors": {}, "evidence": None, "load": {"clients": 4, "rate_per_s": 900.0, "calls": 900},
}  # fmt: skip


@pytest.fixture
def written(folder: Path) -> Iterator[Path]:
    """A record that a program writes now."""
    with RecordWriter.create(folder / "now", head("run", "Now", {"study": "x"}), {}) as record:
        yield record.path


def keep(record: Path, document: Mapping[str, Any]) -> None:
    ProgressFile(record).offer(lambda: document)


def test_the_file_is_replaced_once_a_second_at_most(written: Path) -> None:
    clock = iter([10.0, 10.5, 11.2, 11.3, 12.0])
    file = ProgressFile(written, lambda: next(clock))
    file.offer(lambda: {"doing": "first"})
    file.offer(lambda: pytest.fail("made for nothing"))
    assert (progress.read(written) or {})["doing"] == "first"
    file.offer(lambda: {"doing": "second"})
    assert (progress.read(written) or {})["doing"] == "second"
    assert [one.name for one in written.iterdir() if "progress" in one.name] == [progress.FILE]
    assert (written / progress.FILE).stat().st_mode & 0o777 == 0o600
    file.close()
    assert progress.read(written) is None


def test_what_a_killed_command_left_is_not_believed(folder: Path) -> None:
    with RecordWriter.create(folder / "now", head("run", "Now", {}), {}):
        keep(folder / "now", {"doing": "first"})
    assert (folder / "now" / progress.FILE).exists()
    assert progress.read(folder / "now") is None


@pytest.mark.parametrize("content", ["", "[]", "{", '{"format": 2, "doing": ""}', "\xff"])
def test_a_damaged_file_is_none(written: Path, content: str) -> None:
    (written / progress.FILE).write_bytes(content.encode("latin-1"))
    assert progress.read(written) is None


def test_a_disk_that_takes_nothing_ends_nothing(tmp_path: Path) -> None:
    keep(tmp_path / "no such folder", {"doing": "first"})


def test_secrets_are_masked(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SECRETS, "keep", False)
    keep(written, {"doing": "GET http://127.0.0.1/?api_key=Zebra-Quartz-77"})
    assert "Zebra" not in (written / progress.FILE).read_text()


def test_a_long_series_keeps_its_last_point_and_its_shape() -> None:
    series: Thinned[int] = Thinned(10)
    for number in range(1000):
        series.add(number)
        assert series.kept[-1] == number
    assert len(series.kept) <= 10
    assert series.kept == sorted(series.kept)
    assert series.kept[0] < 300
    points: Thinned[dict[str, object]] = Thinned(10, progress.both_points)
    for number in range(1000):
        kinds: dict[str, int] | None = {"timeout": number % 3} if number % 2 else None
        points.add(progress.progress_point(number, 1.0, number % 3, errors=kinds))
    assert sum(int(str(point["failed"])) for point in points.kept) == sum(number % 3 for number in range(1000))
    timeouts = [each.get("timeout", 0) for point in points.kept if isinstance(each := point["errors"], dict)]
    assert sum(timeouts) == sum(number % 3 for number in range(1, 1000, 2))


def test_a_view_shows_rankings_and_escapes_everything(page: TestClient, written: Path) -> None:
    keep(written, RANKED)
    jsonschema.validate(json.loads((written / progress.FILE).read_text()), SCHEMA)
    answer = page.get("/watch/now")
    assert answer.text.count("<script") == 1, "the page's own"
    assert 'src="/moving.js"' in answer.text
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert "fork 1 of 6 · round 2 · 1,234 slices · about 3 min to go" in answer.text
    assert "1 not told apart from the first yet" in answer.text
    assert "≥ 1,000" in answer.text
    assert "900 to 1,100" in answer.text
    assert "Speed of the echo, % of its first, 1 s: 90 now, 90 to 100" in answer.text
    assert "Steal: 1.2 % of the processor time; 2 slices driven again because others had a processor." in answer.text
    assert "3 more groups are not shown" in answer.text
    assert 'href="/watch/now"' in page.get("/").text


def test_points_have_kinds_of_errors_and_who_used_the_processors(page: TestClient, written: Path) -> None:
    lines = map(json.loads, (ROOT / "tests/records/soak/journal.jsonl").read_text().splitlines())
    line: Any = next(line for line in lines if line["kind"] == "slice")
    line["errors"] = {"timeout": 2, HOSTILE: 1}
    line["machine"] |= {"elapsed_ns": 10**9, "busy_ns": 10**9, "ours_ns": 5 * 10**8, "steal_ns": 10**8}
    line["sides"]["server"] |= {"user_ms": 300, "system_ms": 150}
    with SliceProgress(written, quiet=True) as display:
        display.hold_to(objective.parse("p99 under 5 ms"))
        display.add_load(TRIED)
        display.add_load({**TRIED, "at_s": 5.0, "value_us": 2000.0})
        display.show_slice(line)
        jsonschema.validate(progress.read(written), SCHEMA)
        text = page.get("/watch/now").text
    row = re.findall(r'<td class="number">(.*?)</td>', text)
    assert row[3] == "3 (timeout 2, &lt;script&gt;alert(1)&lt;/script&gt;&#34;&#39; onload=x 1)"
    assert row[7:10] == ["0.45", "25", "5"]
    assert "what the objective limits 2 now, 2 to 3; limit: p99 under 5 ms" in text
    assert text.count('class="limit"') == 1
    kinds = text.partition("Failed calls")[2].partition("</figure>")[0]
    assert "timeout 2 now, 0 to 2" in kinds
    assert kinds.count("<polyline") == 2
    assert "<script>alert" not in kinds


def test_a_load_has_the_kinds_of_its_errors(page: TestClient, written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY_S", 0.0)
    with ProgressLine(quiet=True) as line:
        load = LoadProgress(LoadRequest("http://x"), line, written, tuple)
        for second, kinds in enumerate(({}, {"timeout": 2}, {"timeout": 2, "reset": 3}), 1):
            load.update(DriveInterval(second * 10**9, second * 100, sum(kinds.values()), kinds))
        jsonschema.validate(progress.read(written), SCHEMA)
        text = page.get("/watch/now").text
    assert re.findall(r'<td class="number">(.*?)</td>', text)[3] == "3 (reset 3)"
    drawn = text.partition("Failed calls")[2].partition("</figure>")[0]
    assert "timeout 2 now, 0 to 2" in drawn
    assert "reset 3 now, 0 to 3" in drawn


@pytest.mark.parametrize(
    "document",
    [
        {"doing": "x", "rankings": [{"name": 3}]},
        {"doing": "x", "echoes": [["a", 1], [1, 2]]},
        {"doing": "x", "points": [{"at_s": 1}]},
        {"doing": "x", "points": 3},
        {"doing": "x", "echoes": [[0, 1e999], [1, 1]], "rankings": {"a": 1}},
    ],
)
def test_a_progress_that_is_none_says_so(page: TestClient, written: Path, document: dict[str, Any]) -> None:
    keep(written, document)
    answer = page.get("/watch/now")
    assert answer.status_code == 200
    assert "cannot be read" in answer.text


def test_a_record_that_has_ended_has_no_progress_and_no_script(page: TestClient, folder: Path) -> None:
    keep(folder / "soak", RANKED)
    answer = page.get("/watch/soak")
    assert "<script" not in answer.text
    assert "1,234 slices" not in answer.text
    assert 'href="/records/soak"' in answer.text
    assert page.get("/watch/soak/events").text.startswith("event: ended\ndata: ")
    assert page.get("/watch/none").status_code == 404
    assert page.get("/watch/none/events").status_code == 404


def _events(shelf: Shelf, name: str, *, ending: bool = False) -> AsyncIterator[str]:
    made = Watching(shelf, Jobs(shelf), lambda: ending)
    return made._followed_progress(name, made._part, lambda watched: watched.record)


def test_events_follow_what_changes_until_the_end(shelf: Shelf, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "_LOOK_S", 0.01)
    monkeypatch.setattr(watching, "_BEAT_S", 0.05)

    async def followed() -> list[str]:
        seen = []
        with contextlib.ExitStack() as owned:
            owned.enter_context(RecordWriter.create(folder / "now", head("run", "Now", {}), {}))
            keep(folder / "now", RANKED)
            events = _events(shelf, "now")
            seen.append(await anext(events))
            seen.append(await anext(events))
            keep(folder / "now", {"doing": "two\nlines"})
            while "event" not in (event := await anext(events)):
                pass
            seen.append(event)
        seen.extend([event async for event in events])
        return seen

    first, beat, second, end = asyncio.run(followed())
    assert first.startswith("event: progress\ndata: ")
    assert "1,234 slices" in first
    assert beat == ": still here\n\n"
    assert "two" in second
    assert all(line.startswith(("event: ", "data: ")) for line in second.rstrip("\n").split("\n"))
    assert end.startswith("event: ended\n")


@pytest.mark.usefixtures("written")
def test_viewers_are_bounded(page: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "MOST_VIEWERS", 0)
    answer = page.get("/watch/now/events")
    assert answer.status_code == 503
    assert "close one" in answer.text


@pytest.mark.usefixtures("written")
def test_a_server_that_ends_lets_its_viewers_go(shelf: Shelf) -> None:
    async def followed() -> list[str]:
        return [event async for event in _events(shelf, "now", ending=True)]

    assert asyncio.run(followed()) == []


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize(
    ("words", "member"),
    [
        (["run", "{study}", "--forks=500"], "rankings"),
        (["load", SERVER, "--path=/", "--clients=1", "--seconds=600"], "points"),
        (["soak", SERVER, "--path=/", "--clients=1", "--seconds=600"], "points"),
        (["overload", SERVER, "--path=/", "--capacity=50", "--clients=2", "--seconds=2", "--times=2,3,4,5"], "points"),
        (["capacity", SERVER, "--path=/", "--seconds=600"], "points"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_each_command_keeps_its_progress(
    page: TestClient, jobs: Jobs, study: Path, words: list[str], member: str
) -> None:
    folder = jobs.folder
    name = jobs.start([word.format(study=study, port="{port}") for word in words]).name
    seen: dict[str, Any] = {}

    def known() -> bool:
        seen.update(progress.read(folder / name) or {})
        return bool(seen.get(member)) or not jobs.job(name).running

    assert eventually(known, 120)
    assert seen.get(member), page.get(f"/watch/{name}/log").text
    # Of a load too: a server that is started here is seen.
    assert words[0] != "load" or seen["points"][0]["memory_bytes"] > 0
    jsonschema.validate(seen, SCHEMA)
    text = page.get(f"/watch/{name}").text
    assert "cannot be read" not in text
    jobs.stop(name)
    assert eventually(lambda: not jobs.job(name).running)
    assert not (folder / name / progress.FILE).exists()
