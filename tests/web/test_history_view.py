"""The history on the page and in a publication: changes with their series, and links to the two records."""

import json
import re
import shutil
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright
from starlette.testclient import TestClient

from callbench.store.shelf import Shelf
from callbench.web.histories import Histories, levels
from callbench.web.publishing import publish
from records_over_time import write
from web_page import HOSTILE, names

pytest_plugins = ["web_page"]


@pytest.fixture
def days(folder: Path) -> Path:
    """Thirty days beside the records of other kinds; from the 21st on, ten percent more calls a second."""
    shutil.rmtree(folder / "load")
    write(folder, 30, 20, 1.1)
    return folder


def test_a_change_leads_to_its_two_records(page: TestClient, days: Path) -> None:
    text = page.get("/history").text
    assert "1 of 1 change in" in text
    assert 'href="/records/load-19"' in text
    assert 'href="/records/load-20"' in text
    assert re.search(r"2 clients: \+\d+\.\d %", text)
    assert text.count("<circle") == 30
    assert re.search(
        r"2 clients</th><td>rate, calls/s</td>(<td class=.number.>[\d,.]+( %)?</td>){3}<td class=.number.>1<", text
    )
    assert text.count('class="level"') == 2
    assert "torture: records of the kind torture have no series" in text
    assert len(names(days)) == 36


def test_the_address_keeps_the_search(page: TestClient, days: Path) -> None:
    assert "1 of 1 change" in page.get("/history", params={"q": "POOL better"}).text
    other = page.get("/history", params={"q": "pool worse"}).text
    assert "0 of 1 change" in other
    assert 'value="pool worse"' in other
    assert names(days)


def test_builds_are_told_apart_by_commit_and_the_address_keeps_it(page: TestClient, days: Path) -> None:
    name_commits(days)
    assert "by time</option>" in page.get("/history").text
    text = page.get("/history", params={"by": "commit", "q": "old-build"}).text
    assert "1 of 1 change in" in text
    assert '<option value="commit" selected>' in text
    assert "<code>old-build</code>" in text
    assert 'href="/history?by=commit"' in text
    assert "soak: it names no commit" in text
    assert "commit <code>new-build</code>" in page.get("/").text
    assert "commit <code>new-build</code>" in page.get("/records/load-25").text
    answered = page.get("/api/history", params={"by": "commit"}).json()
    assert answered["order"] == "commit"
    assert answered["changes"][0]["before"]["commit"] == "old-build"


def test_a_publication_has_both_orders_if_records_name_commits(shelf: Shelf, days: Path, tmp_path: Path) -> None:
    for record in [*days.glob("load-0*"), days / "load-28", days / "load-29"]:
        shutil.rmtree(record)
    site = tmp_path / "site"
    publish(shelf, site, "", lambda _: None)
    assert not (site / "commits.html").exists()
    name_commits(days)
    publish(shelf, site, "", lambda _: None)
    assert 'href="commits.html"' in (site / "history.html").read_text()
    text = (site / "commits.html").read_text()
    assert 'aria-current="page">By commit' in text
    assert re.search(r'<a href="records/load-[0-9a-f-]+\.html">load-19</a> \(<code>old-build', text)


def name_commits(days: Path) -> None:
    """Name what the loads measured: another build from the day of the change on."""
    for record in days.glob("load-*"):
        file = record / "record.json"
        build = "new-build" if record.name >= "load-20" else "old-build"
        file.write_text(json.dumps({**json.loads(file.read_text()), "commit": {"name": build, "at": ""}}))


def test_hostile_names_are_escaped(page: TestClient, days: Path) -> None:
    for record in days.iterdir():
        file = record / "record.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), "title": HOSTILE}))
    text = page.get("/history", params={"q": "alert(1)"}).text
    assert "1 of 1 change" in text
    assert text.count("<script") == 1, "the page's own"


def test_an_empty_folder_says_so(page: TestClient, shelf: Shelf, folder: Path) -> None:
    for name in names(folder):
        shelf.remove(name)
    answer = page.get("/history")
    assert answer.status_code == 400
    assert "measure something first" in answer.text


def test_it_is_made_once_until_a_record_changes(shelf: Shelf, days: Path) -> None:
    histories = Histories(shelf)
    first = histories.text()
    assert histories.text() is first
    shutil.rmtree(days / "load-29")
    assert json.loads(histories.text())["records"] == json.loads(first)["records"] - 1


def test_values_lie_where_they_are() -> None:
    known = [(100.0, None, None), (100.0, 50.0, 150.0), (200.0, None, None), (200.0, 150.0, 250.0)]
    drawn = levels(known, [0, 2], 2)
    low, high = drawn["dots"][0][1], drawn["dots"][3][1]
    assert high < low, "greater values stand higher"
    assert [level[2] for level in drawn["levels"]] == [low, high]
    assert drawn["at"] == 300.0
    bars = drawn["intervals"]
    assert [bar[0] for bar in bars] == [225.0, 525.0], "only those with an interval have one"
    assert bars[0][1] > low > bars[0][2]
    assert bars[1][1] == bars[0][2]
    assert bars[1][2] == 6.0, "the greatest end is drawn whole"
    assert levels([(5.0, None, None)], [0], 0)["dots"] == [(300.0, 84)]


@pytest.mark.parametrize("width", [360, 1280])
def test_a_publication_has_it_and_its_links_lead_to_pages(shelf: Shelf, days: Path, tmp_path: Path, width: int) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("Chromium is not installed: setup/system chromium")
    for day in range(19):
        if day % 2:
            shutil.rmtree(days / f"load-{day:02d}")
    publish(shelf, tmp_path / "site", "", lambda _: None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        window = browser.new_page(viewport={"width": width, "height": 900})
        window.goto(f"file://{tmp_path / 'site/index.html'}")
        window.get_by_role("link", name="History").click()
        window.get_by_text("1 of 1 change").wait_for()
        for folded in window.locator("summary").all():
            folded.click()
        assert window.evaluate("document.documentElement.scrollWidth") <= width
        rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}
        assert not Axe().run(window, options=rules).response["violations"]
        window.get_by_role("link", name="load-20").click()
        window.get_by_role("link", name="All records").wait_for()
        browser.close()
