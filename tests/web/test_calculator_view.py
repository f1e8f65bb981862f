"""The calculator: an advice for calls a second, a link and prices, which leaves its run as it is."""

import html
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from advice.counted import run
from callbench.store.shelf import Shelf
from callbench.web.calculating import Calculating
from callbench.web.reports import Reports
from web_page import names

pytest_plugins = ["web_page"]

ASKED = {"run": "a", "calls": "500", "link": "25ms,20mbit", "processor": "0.04", "gigabyte": "0.08"}


@pytest.fixture
def made(folder: Path) -> Path:
    return run(folder / "a")


def test_it_shows_the_page_of_the_command_and_leaves_the_run_as_it_is(
    page: TestClient, made: Path, callbench: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    before = set(names(made))
    assert 'href="/calculator?run=a"' in page.get("/records/a").text
    empty = page.get("/calculator", params={"run": "a"}).text
    assert "<iframe" not in empty, "nothing was asked yet"
    asked = page.get("/calculator", params=ASKED)
    assert asked.status_code == 200, asked.text
    assert 'name="calls" value="500"' in asked.text, "its address keeps what was asked"
    framed = re.search(r'<iframe[^>]* src="([^"]+)" sandbox="allow-scripts">', asked.text)
    assert framed
    answer = page.get(html.unescape(framed[1]))
    assert answer.status_code == 200, answer.text
    assert "sandbox" in answer.headers["content-security-policy"]
    assert not {"advice.json", "advice.html"} & (set(names(made)) - before)
    words = re.search(r"callbench (advise .*)</pre>", asked.text)
    assert words
    callbench(*html.unescape(words[1]).split(), "--undecided=pass", check=True)
    shown, written = (text.partition("<header>")[2] for text in (answer.text, (made / "advice.html").read_text()))
    assert without_time(shown) == without_time(written) != ""


def without_time(text: str) -> str:
    """A page but for when it was made."""
    return re.sub(r"2\d{3}-\d{2}-\d{2}[T ][\d:.]+(Z| UTC)?", "", text)


def test_a_page_is_made_once_and_only_the_newest_are_kept(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    monkeypatch.setattr("callbench.web.reports._MOST_CHOSEN", 2)
    started: list[list[str]] = []

    def said(words: list[str], _: object) -> str:
        started.append(words)
        Path(words[words.index("--page") + 1]).write_text(" ".join(words))
        return ""

    monkeypatch.setattr("callbench.web.calculating.said", said)
    calculating = Calculating(Shelf(made.parent), Reports(kept))
    one = calculating.page("a", ["--calls-per-second=1"])
    assert calculating.page("a", ["--calls-per-second=1"]) == one
    assert len(started) == 1
    for number in (2, 3):
        calculating.page("a", [f"--calls-per-second={number}"])
    assert len(names(kept)) == 2
    (made / "held-back-1").mkdir()
    (made / "held-back-1/record.json").write_text("{}")
    assert calculating.page("a", ["--calls-per-second=3"]) != one
    assert len(started) == 4, "what was measured over links since then counts"
    assert len(names(kept)) == 2


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"calls": "many"}, "calls-per-second"),
        ({"link": "nowhere"}, "nowhere"),
        ({"processor": "-1"}, "processor-hour"),
        ({"currency": "<b>\x07x"}, "printable"),
        ({"run": "soak"}, "soak"),
    ],
)
@pytest.mark.usefixtures("made")
def test_what_cannot_be_calculated_is_said(page: TestClient, changed: dict[str, str], says: str) -> None:
    answer = page.get("/calculator/page", params={**ASKED, **changed})
    assert answer.status_code == 400, answer.text
    assert says in answer.text
    assert "<b>" not in answer.text
    assert "Traceback" not in answer.text
    assert page.get("/calculator", params={**ASKED, "run": "../a"}).status_code == 404
