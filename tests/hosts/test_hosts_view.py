"""Other machines, as the page and the API show them; and who ran where, in a record."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from fleet_lab import made_keys, serving
from starlette.testclient import TestClient

from callbench.model.errors import BadInput
from callbench.store.shelf import Shelf
from callbench.web import hosts
from web_page import HOSTILE

pytest_plugins = ["web_page"]

GOOD = {
    "name": "alpha", "wrong": "", "address": "10.0.0.1", "version": "1", "system": HOSTILE, "processors": 4,
    "clock_ms": -1.25, "clock_bound_ms": 0.05, "round_trip_ms": 0.31, "adapters": 2, "lacking": [HOSTILE],
    "tools": {"tshark": False, "htb": None, "supervisor": True}, "rights": {"capture": "not permitted", "perf": None},
    "stream": {"to": HOSTILE, "mbit_s": 941.2, "seconds": 0.5, "why_not": ""},
}  # fmt: skip
BAD = {
    "name": HOSTILE, "wrong": f"host {HOSTILE} has no agent", "address": "", "version": "", "system": "",
    "processors": 0, "clock_ms": None, "clock_bound_ms": None, "round_trip_ms": None, "adapters": 0, "lacking": [],
    "tools": {}, "rights": {}, "stream": None,
}  # fmt: skip
LISTED = [
    {"host": "alpha", "connected": True, "address": "10.0.0.1", "version": "1", "does": "free"},
    {"host": HOSTILE, "connected": False, "address": "", "version": "", "does": "no agent is connected"},
]


def test_it_looks_only_when_it_is_asked(page: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Sequence[str]] = []

    def printed(words: Sequence[str], ends: Sequence[int] = (0,)) -> str:
        asked.append(words)
        assert (2 in ends) == (words[1] == "check")
        return json.dumps([GOOD, BAD] if words[1] == "check" else LISTED)

    monkeypatch.setattr(hosts, "said", printed)
    assert "Asked at" not in page.get("/hosts").text
    assert not asked
    for word in ("look", "check"):
        assert page.post(f"/hosts/{word}").status_code == 303
    text = page.get("/hosts").text
    assert text.count("Asked at") == 2
    assert "<strong>no agent is connected</strong>" in text
    assert "-1.25 ms ± 0.05" in text
    assert "2 of 3; not &lt;script&gt;" in text
    assert "941 Mbit/s to &lt;script&gt;" in text
    assert "<td>tshark</td><td>capture</td>" in text
    assert "has no agent</p>" in text
    assert "<script" not in text


def test_what_cannot_be_asked_stands_in_the_view(page: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(words: Sequence[str], ends: Sequence[int] = (0,)) -> str:
        raise BadInput(f"there are no keys in {HOSTILE}: {words} {ends}")

    monkeypatch.setattr(hosts, "said", refused)
    page.post("/hosts/look")
    assert "there are no keys in &lt;script&gt;" in page.get("/hosts").text
    assert page.get("/api/hosts").status_code == 400
    assert page.post("/api/hosts/check").status_code == 400


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
def test_hosts_that_are_there(page: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two have keys, and one has an agent."""
    own = made_keys(tmp_path / "keys", "alpha", "beta")
    monkeypatch.setenv("CALLBENCH_HOSTS", str(own.folder))
    assert "nobody listens" in page.get("/api/hosts").json()["sentence"]
    with serving(own, "alpha"):
        listed = page.get("/api/hosts").json()["hosts"]
        assert [(host["host"], host["connected"], host["does"]) for host in listed] == [
            ("alpha", True, "free"),
            ("beta", False, "no agent is connected"),
        ]
        page.post("/hosts/check")
        text = page.get("/hosts").text
        assert "host beta has no agent" in text
        assert "ms ±" in text


def test_a_record_says_who_ran_where(page: TestClient, folder: Path, shelf: Shelf) -> None:
    about = {"name": "alpha", "address": "10.0.0.1", "system": "Linux 6.1", "processors": [0, 1]}
    file = folder / "load/environment.json"
    file.write_text(
        json.dumps({**json.loads(file.read_text()), "hosts": {"server": about, "client": {"name": HOSTILE}}})
    )
    machine = shelf.entry("load").machine
    assert machine.startswith("server on alpha (Linux 6.1, 2 processors); client on <script>")
    assert "; core on " in machine
    text = page.get("/records/load").text
    assert "Machine: server on alpha (Linux 6.1, 2 processors); client on &lt;script&gt;" in text
    assert 'href="/records/load"' in page.get("/?q=alpha").text
