"""What this machine can run, as the page and the API show it; and what sets up the rest."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest
from starlette.testclient import TestClient

from callbench.web import settings
from callbench.web.jobs import Jobs
from conftest import eventually
from web_page import HOSTILE

pytest_plugins = ["web_page"]

FINDINGS = [
    {"subject": "memory", "state": "good", "found": "20 GiB available", "remedy": None},
    {"subject": HOSTILE, "state": "missing", "found": HOSTILE, "remedy": HOSTILE},
]
PARTS = [
    {"name": "there", "state": "set up", "needs": "Go", "why_not": None, "possible": True, "scripts": ["go"]},
    {"name": "no-such", "state": "not set up", "needs": "Go", "why_not": HOSTILE, "possible": True, "scripts": ["go"]},
    {
        "name": "far",
        "state": "needs a checkout",
        "needs": "Go",
        "why_not": "run `it <b>`",
        "possible": False,
        "scripts": ["go"],
    },
]
PRINTED = {"doctor": FINDINGS, "setup": PARTS, "cache": [{"entry": "a", "MB": 1.5}, {"entry": "b", "MB": 1608.3}]}


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A machine that lacks something, by what its commands print; the commands that were asked."""
    asked: list[str] = []

    def printed(words: Sequence[str]) -> str:
        assert words[1:] == ["--json"]
        asked.append(words[0])
        return json.dumps(PRINTED[words[0]])

    monkeypatch.setattr(settings, "said", printed)
    return asked


def test_it_looks_only_when_it_is_asked(page: TestClient, machine: list[str]) -> None:
    assert "Nobody has looked yet" in page.get("/settings").text
    assert "doctor" not in machine
    assert page.post("/settings/look").status_code == 303
    text = page.get("/settings").text
    assert "20 GiB available" in text
    assert "<script" not in text
    assert machine.count("doctor") == 1


def test_only_what_is_missing_and_possible_has_a_button(page: TestClient, machine: list[str]) -> None:
    text = page.get("/settings").text
    assert 'action="/settings/setup/no-such"' in text
    assert text.count('action="/settings/setup/') == 1
    assert "2 compiled services of your own, 1.6 GB" in text
    assert "run <code>it &lt;b&gt;</code>" in text
    for name in ("there", "far", "none"):
        for path in (f"/settings/setup/{name}", f"/api/setup/{name}"):
            assert page.post(path).status_code == 404
    assert "setup" in machine


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left", "machine")
def test_a_button_starts_the_command_and_shows_its_log(page: TestClient, jobs: Jobs) -> None:
    """The command is the real one, which knows no part of this name."""
    form = f"http://{page.base_url.host}/new/run?study=small&box=a%2Fb%22"
    answer = page.post("/settings/setup/no-such", headers={"Referer": form})
    assert answer.status_code == 303
    address = answer.headers["location"]
    assert "callbench setup no-such" in page.get(address).text
    name = address.removeprefix("/watch/")
    assert eventually(lambda: not jobs.job(name).running)
    assert (
        '<a href="/new/run?study=small&amp;box=a%2Fb%22">Back to New, with the same choices</a>'
        in page.get(address).text
    )
    assert "there is no part to set up &#x27;no-such&#x27;" in page.get(f"{address}/log").text
    assert page.post("/api/setup/no-such").json()["shell"] == "callbench setup no-such"
    assert not any(job.back for job in jobs.jobs() if job.name != name)


@pytest.mark.usefixtures("machine")
def test_one_of_a_kind_runs_at_a_time(page: TestClient, folder: Path) -> None:
    """The file of a command that runs: this process stands for it."""
    kept = folder / ".started"
    kept.mkdir()
    job = {"words": ["setup", "java"], "pid": os.getpid(), "born": psutil.Process().create_time()}
    (kept / "setup-1.json").write_text(json.dumps(job))
    answer = page.post("/settings/setup/no-such")
    assert answer.status_code == 409
    assert "callbench setup java is running" in answer.text
    assert [file.name for file in kept.iterdir()] == ["setup-1.json"]


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
def test_the_api_says_what_the_doctor_and_setup_say(page: TestClient) -> None:
    document = page.get("/api/openapi.json").json()
    for path, member, known in (("/api/doctor", "findings", "idle states"), ("/api/setup", "parts", "jmeter")):
        answer = page.get(path)
        assert answer.status_code == 200, answer.text
        assert path in document["paths"]
        rows = answer.json()[member]
        assert known in {row.get("subject", row.get("name")) for row in rows}
