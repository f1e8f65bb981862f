"""Commands that serve, as the page and the API start, show, switch and stop them."""

import json
import os
import shutil
import signal
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from starlette.testclient import TestClient

from callbench.model.errors import BadInput, MachineFailure
from callbench.store.served_state import ServedState
from callbench.store.shelf import Shelf
from callbench.web.application import Pages
from callbench.web.forms import command_line
from callbench.web.jobs import Job, Jobs
from callbench.web.serving import Serving
from conftest import eventually
from loaded_program import Begin
from web_page import HOSTILE, claimed_server

pytest_plugins = ["web_page"]
pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("nothing_left")]

ASKED = {"every": "yes", "channels": "http,tcp"}
JSON = "native/json+http"
SUM = b'{"jsonrpc":"2.0","id":1,"method":"Sum","params":{"a":1,"b":2}}'


def served(page: TestClient, name: str, fits: Callable[[ServedState], object] = bool) -> ServedState:
    """What it serves as soon as that fits."""
    found: list[ServedState] = []

    def looked() -> bool:
        answer = page.get(f"/api/serving/{name}")
        found[:] = [ServedState.model_validate(answer.json())] if answer.status_code == 200 else []
        return bool(found and fits(found[0]))

    assert eventually(looked), found
    return found[0]


def address(state: ServedState, stack: str = JSON) -> str:
    (found,) = (
        found for server in state.servers for part in server.parts for found in part.endpoints if found.stack == stack
    )
    return found.endpoint


def summed(url: str) -> int:
    with urllib.request.urlopen(urllib.request.Request(url, data=SUM), timeout=60) as answer:
        return int(json.loads(answer.read())["result"])


@pytest.fixture
def claimed(jobs: Jobs) -> Iterator[Job]:
    """A command that serves, by its files alone."""
    with claimed_server(jobs.folder) as job:
        yield job


def test_it_is_started_shown_switched_and_stopped(page: TestClient, jobs: Jobs) -> None:
    assert "callbench serve --all --channels=http,tcp" in page.get("/new/serve", params=ASKED).text
    name = page.post("/new/serve", data=ASKED).headers["location"].removeprefix("/watch/")
    before = served(page, name)
    url = address(before)
    assert summed(url) == summed(url) == 3
    state = served(page, name, lambda state: state.answered == 2)
    text = page.get(f"/watch/{name}").text
    assert f"<code>{url}</code>" in text
    assert '<p data-moves="native">2 calls answered: 2 Sum</p>' in text
    assert f'<p data-moves="{JSON}">2 calls answered: 2 Sum</p>' in text
    assert '<p data-moves="native/soap+http">0 calls answered</p>' in text
    assert '<span data-moves="native http">2 calls answered</span></summary>' in text
    assert f"curl -s {url} -d &#39;{{" in text
    assert f"{state.on} endpoints are on; 2 calls answered." in page.get("/new/serve").text
    assert page.post(f"/watch/{name}/switch", data={"part": "http", "on": "no"}).status_code == 303
    off = page.get(f"/watch/{name}").text
    assert f"<code>{url}</code>" not in off
    assert "Switch http on" in off
    with pytest.raises(urllib.error.URLError):
        summed(url)
    answer = page.post(f"/api/serving/{name}/switch", json={"part": "http", "on": True})
    again = ServedState.model_validate(answer.json())
    assert again.on == before.on
    assert summed(address(again)) == 3
    served(page, name, lambda state: state.answered == 3)
    page.post(f"/watch/{name}/stop")
    assert eventually(lambda: not jobs.job(name).running)
    assert page.get(f"/api/serving/{name}").status_code == 409
    assert not jobs.job(name).status.exists()


def test_it_outlives_a_page_and_another_one_stops_it(page: TestClient, jobs: Jobs, folder: Path, begin: Begin) -> None:
    """The first page is killed: its pipe is no end of input, and the second one finds all of it by its files."""
    with begin("ui", folder) as first:
        assert first.stdout
        assert first.stdout.readline()
        name = jobs.start(command_line("serve", ASKED)).name
        served(page, name)
        first.send_signal(signal.SIGINT)
        said = first.stdout.read()
    job = jobs.job(name)
    assert f"{name} goes on: stop it on a page of {folder.resolve()}, or with: kill -INT {job.pid}" in said
    other = Jobs(Shelf(folder))
    assert other.job(name).running
    assert Serving(other).switch(name, "tcp", on=False).part("tcp") is not None
    other.stop(name)
    assert eventually(lambda: not other.job(name).running)


def test_nobody_can_lose_it(page: TestClient, jobs: Jobs, folder: Path) -> None:
    """With its folder goes all that leads to it, so it ends."""
    name = jobs.start(command_line("serve", ASKED)).name
    served(page, name)
    process = psutil.Process(jobs.job(name).pid)
    shutil.rmtree(folder)
    assert eventually(lambda: not process.is_running() or process.status() == psutil.STATUS_ZOMBIE)


@pytest.mark.usefixtures("claimed")
def test_texts_of_others_are_escaped(page: TestClient) -> None:
    for path in ("/watch/serve-1", "/new/serve"):
        text = page.get(path).text.replace('<script src="/moving.js" defer></script>', "")
        assert "<script" not in text
        assert "1,234 calls answered" in text
        assert f"kill -INT {os.getpid()}" in text or path == "/new/serve"
    text = page.get("/watch/serve-1").text
    assert "calls are not counted" in text
    assert "<p>off: off</p>" in text
    assert text.count('<button name="on"') == 3


def test_what_cannot_be_switched_says_why(
    page: TestClient, jobs: Jobs, claimed: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    serving = Serving(jobs)
    with pytest.raises(BadInput, match="no part 'udp'"):
        serving.switch("serve-1", "udp", on=True)
    assert serving.switch("serve-1", "tcp", on=True).on == 2, "it is on"
    with pytest.raises(MachineFailure, match="cannot be told anything"):
        serving.switch("serve-1", "tcp", on=False)
    # A file that is no pipe is not written to.
    claimed.orders.touch()
    with pytest.raises(BadInput, match="is no pipe"):
        serving.switch("serve-1", "tcp", on=False)
    assert not claimed.orders.read_bytes()
    claimed.orders.unlink()
    os.mkfifo(claimed.orders)
    reader = os.open(claimed.orders, os.O_RDONLY | os.O_NONBLOCK)
    monkeypatch.setattr("callbench.web.serving._PATIENCE_S", 0.2)
    with pytest.raises(MachineFailure, match="stays as it was: its log says why"):
        serving.switch("serve-1", "tcp", on=False)
    assert os.read(reader, 100) == b"off tcp\n"
    os.close(reader)
    claimed.status.write_text('{"format": 1, "servers": 3}')
    with pytest.raises(BadInput, match="serves nothing yet"):
        serving.state("serve-1")
    assert page.get("/watch/serve-1").status_code == 200
    assert page.get("/api/serving/serve-1").status_code == 409


def test_a_log_goes_on_without_its_folder(shelf: Shelf, jobs: Jobs, tmp_path: Path) -> None:
    """The answer broke off with an error. The page's server ends at the second look here."""
    looks = iter([False, True])

    def ending() -> bool:
        shutil.rmtree(jobs.folder / ".started", ignore_errors=True)
        return next(looks)

    with claimed_server(jobs.folder):
        text = TestClient(Pages(shelf, tmp_path, ending).application()).get("/watch/serve-1/log").text
    assert text.endswith("Serving.")


@pytest.mark.parametrize("line", ["tcp\noff http", "tcp\x00", ""])
@pytest.mark.usefixtures("claimed")
def test_a_part_is_no_order_of_its_own(page: TestClient, line: str) -> None:
    answer = page.post("/watch/serve-1/switch", data={"part": line, "on": "yes"})
    assert answer.status_code == 400
    assert "to switch" in answer.text


def test_other_commands_are_told_nothing(page: TestClient, jobs: Jobs) -> None:
    job = jobs.start(["load", "http://127.0.0.1:1/"])
    assert page.post(f"/watch/{job.name}/switch", data={"part": "tcp", "on": "yes"}).status_code == 409
    assert eventually(lambda: not jobs.job(job.name).running)
    with pytest.raises(BadInput, match="serves nothing any more"):
        jobs.tell(job.name, "off tcp")
    assert not job.orders.exists()


def test_stacks_by_name_are_words_and_no_options() -> None:
    assert command_line("serve", {"stacks": "a/b c/d", "port": "80"}) == ["serve", "a/b", "c/d", "--port=80"]
    assert command_line("serve", {"channels": "tcp"}) == []
    with pytest.raises(BadInput, match="would be an option"):
        command_line("serve", {"stacks": "a/b --host=0.0.0.0"})


@pytest.mark.usefixtures("claimed")
def test_a_stream_has_what_it_serves(shelf: Shelf, tmp_path: Path) -> None:
    """Until the page's server ends, which it does at the second look here."""
    looks = iter([False, True])
    pages = Pages(shelf, tmp_path, ending=lambda: next(looks))
    text = TestClient(pages.application()).get("/api/watch/serve-1/events").text
    assert text.startswith("event: progress\ndata: {")
    state = json.loads(text.splitlines()[1].removeprefix("data: "))
    assert [server["name"] for server in state["servers"]] == [HOSTILE, "uncounted/x"]


def test_the_window_is_in_the_description(page: TestClient) -> None:
    document = page.get("/api/openapi.json").json()
    assert "/api/serving/{name}" in document["paths"]
    assert "ServedState" in document["components"]["schemas"]
