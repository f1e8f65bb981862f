"""The page in Debian's Chromium, started as a person starts it: clicks, keys, widths, and what axe-core finds."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, sync_playwright

from callbench.store.head import head
from callbench.store.progress import ProgressFile
from callbench.store.record_writer import RecordWriter
from report import synthetic
from web_page import RANKED

pytest_plugins = ["web_page"]

pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("nothing_left")]


@pytest.fixture
def window(address: str) -> Iterator[Page]:
    """A window that has opened it."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("Chromium is not installed: setup/system chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.goto(address)
        yield page
        browser.close()
    assert not said


def test_a_person_searches_reads_renames_and_deletes(window: Page, folder: Path) -> None:
    assert "token" not in window.url
    window.get_by_label("Search").fill("soak")
    window.get_by_label("Search").press("Enter")
    window.wait_for_url("**/?q=soak&**")
    window.get_by_role("link", name="soak of").press("Enter")
    window.frame_locator("iframe").get_by_role("heading", level=1).wait_for()
    window.get_by_text("Name, tags and commands").click()
    window.get_by_label("Name", exact=True).fill("monday")
    window.get_by_role("button", name="Rename").click()
    window.wait_for_url("**/records/monday")
    window.get_by_role("link", name="Delete").click()
    window.get_by_role("button", name="Delete").click()
    assert (folder / "monday").is_dir(), "the box is not ticked"
    window.get_by_label("I am sure").check()
    window.get_by_role("button", name="Delete").click()
    window.get_by_text("6 of 6").wait_for()
    assert not (folder / "monday").exists()


def test_a_record_is_exported_and_imported(window: Page, folder: Path, tmp_path: Path) -> None:
    window.goto(window.url + "records/load")
    with window.expect_download() as download:
        window.get_by_role("link", name="Export").click()
    download.value.save_as(tmp_path / "load.zip")
    window.get_by_role("link", name="Records").click()
    window.get_by_label("File that").set_input_files(tmp_path / "load.zip")
    window.get_by_role("button", name="Import").click()
    window.wait_for_url("**/records/load-2")
    assert (folder / "load-2/record.json").is_file()


def test_a_command_is_started_watched_and_stopped(window: Page, folder: Path) -> None:
    window.get_by_role("link", name="New").click()
    window.get_by_role("link", name="load", exact=True).click()
    window.get_by_label("Or a command").fill("python3 -m http.server {port} --bind 127.0.0.1")
    window.get_by_label("Path").fill("/")
    window.get_by_label("Seconds").fill("600")
    window.get_by_role("button", name="Show the command").click()
    window.get_by_text("callbench load '--start=python3 -m http.server {port}").wait_for()
    window.get_by_role("button", name="Start").click()
    # Its log is sent as it grows, so the window is loaded only when the command has ended.
    window.wait_for_url("**/watch/load-*", wait_until="domcontentloaded")
    name = window.url.rpartition("/")[2]
    # It moves: nothing is clicked until the rate of the second second is there.
    window.get_by_role("img", name="Calls/s").wait_for(timeout=60_000)
    assert (folder / name / "progress.json").exists()
    assert window.locator("tbody tr").count() >= 2
    window.get_by_role("button", name="Stop").click()
    window.frame_locator("iframe").get_by_text("The command has ended.").wait_for(timeout=60_000)
    window.get_by_role("link", name="Look again").click()
    assert window.get_by_role("button", name="Stop").count() == 0


def test_a_command_of_a_terminal_is_watched_until_it_ends(window: Page, folder: Path) -> None:
    with RecordWriter.create(folder / "now", head("run", "Now", {"study": "x"}), {}) as record:
        ProgressFile(record.path).offer(lambda: RANKED)
        window.goto(window.url)
        window.get_by_role("link", name="Watch", exact=True).last.click()
        window.get_by_text("1 not told apart from the first yet").wait_for()
        ProgressFile(record.path).offer(lambda: {"doing": "fork 2, round 1"})
        window.get_by_text("fork 2, round 1").wait_for()
        record.end("finished")
    window.get_by_text("record: finished").wait_for()
    window.get_by_role("link", name="Report", exact=True).wait_for()
    assert window.get_by_text("fork 2, round 1").count() == 0


def test_two_runs_are_ticked_and_compared(window: Page, folder: Path) -> None:
    synthetic.write(folder / "a")
    shutil.copytree(folder / "a", folder / "b")
    window.goto(window.url)
    window.get_by_label("Compare a").check()
    window.get_by_label("Compare b").check()
    window.get_by_role("button", name="Compare the ticked runs").press("Enter")
    window.get_by_text("The greatest change by its noise first").wait_for()
    window.get_by_label("Hide noise").check()
    window.get_by_role("button", name="Show").click()
    window.wait_for_url("**/compare?run=*&run=*&noise=hidden")
    assert window.get_by_label("Hide noise").is_checked()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_every_view_fits_and_is_accessible(window: Page, folder: Path, width: int, scheme: str) -> None:
    (folder / "peer/record.json").write_text("{")
    synthetic.write(folder / "a")
    shutil.copytree(folder / "a", folder / "b")
    running = RecordWriter.create(folder / "now", head("run", "Now", {"study": "x"}), {})
    ProgressFile(running.path).offer(lambda: RANKED)
    window.set_viewport_size({"width": width, "height": 900})
    window.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    base = window.url.rstrip("/")
    new = "/new/run?study=remobjects&quick=yes"
    for path in (
        "/",
        "/?q=nothing+at+all",
        new,
        "/new/load",
        "/watch",
        "/records/soak",
        "/records/soak/delete",
        "/records/peer",
        "/watch/now",
        "/history",
        "/settings",
        "/compare?run=a&run=b",
    ):
        window.goto(base + path)
        for folded in window.locator("summary").all():
            folded.click()
        assert window.evaluate("document.documentElement.scrollWidth") <= width, path
        # Where there was no room for all views, their names were cut in two.
        assert window.evaluate("[...document.querySelectorAll('.top a')].every(view => view.offsetHeight < 40)"), path
        # What stands in the frame is the report, which has tests of its own.
        found = Axe().run(window, options={"iframes": False, "runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]})
        assert not found.response["violations"], path
    running.close()
