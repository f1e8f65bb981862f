"""A folder with records of every kind that the tests have, and the page over it."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
import uvicorn
from starlette.testclient import TestClient

from callbench.store.progress import ProgressFile
from callbench.store.shelf import Shelf
from callbench.web.application import Pages
from callbench.web.guard import Guard
from callbench.web.jobs import Job, Jobs
from conftest import ROOT, eventually
from loaded_program import Begin, LoadedProgram

PORT = 8123
BASE = f"http://127.0.0.1:{PORT}"
HOSTILE = "<script>alert(1)</script>\"' onload=x"
RANKED: dict[str, Any] = {
    "doing": f"fork 1, {HOSTILE}",
    "fork": 1,
    "forks": 6,
    "round": 2,
    "slices": 1234,
    "left_s": 200.0,
    "excluded": 0,
    "echoes": [[0.0, 1.0], [1.0, 0.9]],
    "steal_share": 0.012,
    "disturbed": 2,
    "more_rankings": 3,
    "rankings": [
        {
            "name": HOSTILE,
            "open": 1,
            "more": 0,
            "stacks": [
                {
                    "stack": "a/b",
                    "rate_per_s": 1000.0,
                    "low_per_s": 900.0,
                    "high_per_s": 1100.0,
                    "at_least": True,
                    "slices": 3,
                    "apart": False,
                },
                {
                    "stack": HOSTILE,
                    "rate_per_s": 950.0,
                    "low_per_s": None,
                    "high_per_s": None,
                    "at_least": False,
                    "slices": 1,
                    "apart": False,
                },
            ],
        }
    ],
}  # fmt: skip
SERVED: dict[str, Any] = {
    "servers": [
        {
            "name": HOSTILE,
            "calls": {HOSTILE: 1234},
            "parts": [
                {
                    "name": HOSTILE,
                    "endpoints": [
                        {"stack": HOSTILE, "endpoint": HOSTILE, "calls": {HOSTILE: 1234}, "example": HOSTILE}
                    ],
                },
                {"name": "off", "endpoints": []},
            ],
        },
        {
            "name": "uncounted/x",
            "calls": None,
            "parts": [
                {
                    "name": "tcp",
                    "endpoints": [{"stack": "a/b", "endpoint": "127.0.0.1:1", "calls": None, "example": None}],
                }
            ],
        },
    ]
}
KINDS = ("capacity", "compare", "load", "overload", "peer", "soak", "torture")


def names(folder: Path) -> list[str]:
    """The names of what lies in a folder."""
    return sorted(one.name for one in folder.iterdir())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of records, a copy of each kind. Its commands do not wait for those of other tests."""
    monkeypatch.setenv("CALLBENCH_TURN", str(tmp_path / "turn"))
    runs = tmp_path / "runs"
    for kind in KINDS:
        shutil.copytree(ROOT / "tests/records" / kind, runs / kind)
    return runs


@contextmanager
def claimed_server(folder: Path) -> Iterator[Job]:
    """A command that serves, by its files alone. This process stands for it, so they go before anyone stops it."""
    kept = folder / ".started"
    kept.mkdir(exist_ok=True)
    born = psutil.Process().create_time()
    words = {"words": ["serve", HOSTILE], "pid": os.getpid(), "born": born}
    (kept / "serve-1.json").write_text(json.dumps(words))
    (kept / "serve-1.log").write_text("Serving.")
    ProgressFile(kept, name="serve-1.status").offer(lambda: SERVED)
    try:
        yield Jobs(Shelf(folder)).job("serve-1")
    finally:
        (kept / "serve-1.json").unlink(missing_ok=True)


@pytest.fixture
def shelf(folder: Path) -> Shelf:
    return Shelf(folder)


@pytest.fixture
def pages(shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loaded_program: LoadedProgram) -> Pages:
    """The pages. What they ask a command is answered by the loaded program; those of `address` start each one anew."""

    def ended(words: Sequence[str], longest_s: float) -> subprocess.CompletedProcess[str]:
        return loaded_program.run(words, Path.cwd(), longest_s)

    monkeypatch.setattr("callbench.web.program._ended", ended)
    kept = tmp_path / "kept"
    kept.mkdir()
    return Pages(shelf, kept)


@pytest.fixture
def guard(pages: Pages) -> Guard:
    """The page, which nobody serves."""
    return Guard(pages.application(), PORT)


@pytest.fixture
def served_here(pages: Pages, shelf: Shelf) -> Iterator[str]:
    """The first address of the page as a thread of this process serves it: its commands do not start anew."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        guard = Guard(pages.application(), port)
        config = uvicorn.Config(guard, log_level="error", ws="none", lifespan="off", timeout_graceful_shutdown=2)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}/?token={guard.token}"
        finally:
            stop_all(shelf)
            server.should_exit = True
            thread.join(60)
    assert not thread.is_alive()


@pytest.fixture
def stranger(guard: Guard) -> Iterator[TestClient]:
    """A client that has not opened the first address."""
    with TestClient(guard, base_url=BASE, follow_redirects=False) as client:
        yield client


@pytest.fixture
def page(guard: Guard) -> Iterator[TestClient]:
    """A browser that has opened the first address, and sends forms as one."""
    with TestClient(guard, base_url=BASE, follow_redirects=False) as client:
        assert client.get(f"/?token={guard.token}").status_code == 303
        client.headers["origin"] = BASE
        yield client


@pytest.fixture
def jobs(shelf: Shelf) -> Iterator[Jobs]:
    """What a page started; all of it has ended afterwards."""
    found = Jobs(shelf)
    yield found
    for job in found.jobs():
        found.stop(job.name)
        assert eventually(lambda: not found.job(job.name).running)  # noqa: B023 - asked at once


def stop_all(shelf: Shelf) -> None:
    """Stop what a page has started."""
    jobs = Jobs(shelf)
    for job in jobs.jobs():
        jobs.stop(job.name)


@pytest.fixture
def address(folder: Path, begin: Begin) -> Iterator[str]:
    """The first address of `callbench ui`, which Ctrl-C ends."""
    with begin("ui", folder.name, within=folder.parent, session=True) as served:
        try:
            assert served.stdout
            line = served.stdout.readline()
            found = re.fullmatch(r"open (http://127\.0\.0\.1:\d+/\?token=\S+) \(Ctrl-C ends the page\)\n", line)
            assert found, line
            yield found[1]
        finally:
            stop_all(Shelf(folder))
            served.send_signal(signal.SIGINT)
            said = served.communicate(timeout=60)[1]
    assert "Traceback" not in said
    assert served.returncode == 130, said
