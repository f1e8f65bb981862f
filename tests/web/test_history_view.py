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
    assert text.count('class="level"') == 2
    assert "soak: records of the kind soak have no series yet" in text
    assert len(names(days)) == 36


def test_the_address_keeps_the_search(page: TestClient, days: Path) -> None:
    assert "1 of 1 change" in page.get("/history", params={"q": "POOL better"}).text
    other = page.get("/history", params={"q": "pool worse"}).text
    assert "0 of 1 change" in other
    assert 'value="pool worse"' in other
    assert names(days)


def test_hostile_names_are_escaped(page: TestClient, days: Path) -> None:
    for record in days.iterdir():
        file = record / "record.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), "title": HOSTILE}))
    text = page.get("/history", params={"q": "alert(1)"}).text
    assert "1 of 1 change" in text
    assert "<script" not in text


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
    drawn = levels([100.0, 100.0, 200.0, 200.0], [0, 2], 2)
    low, high = drawn["dots"][0][1], drawn["dots"][3][1]
    assert high < low, "greater values stand higher"
    assert [level[2] for level in drawn["levels"]] == [low, high]
    assert drawn["at"] == 300.0
    assert levels([5.0], [0], 0)["dots"] == [(300.0, 84)]


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
        window.locator("summary").click()
        assert window.evaluate("document.documentElement.scrollWidth") <= width
        rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}
        assert not Axe().run(window, options=rules).response["violations"]
        window.get_by_role("link", name="load-20").click()
        window.get_by_role("link", name="All records").wait_for()
        browser.close()
