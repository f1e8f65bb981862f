"""The page in Debian's Chromium: clicks, keys, widths, and what axe-core finds.

One test has it started as a person starts it. In the others this process serves it, whose commands are loaded already.
"""

import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Frame, Page, sync_playwright

from callbench.store.head import head
from callbench.store.progress import ProgressFile
from callbench.store.record_writer import RecordWriter
from callbench.web.services import Services
from conftest import ROOT
from report import synthetic
from report.test_marks import placed
from web_page import RANKED, claimed_server

pytest_plugins = ["web_page"]

RULES = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]

pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("nothing_left")]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser, started before a test marks what it starts."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("Chromium is not installed: setup/system chromium")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def window(browser: Browser, served_here: str) -> Iterator[Page]:
    """A window that has opened it."""
    with opened(browser, served_here) as page:
        yield page


@contextmanager
def opened(browser: Browser, address: str) -> Iterator[Page]:
    """Open it in a window with cookies of its own, whose scripts complain of nothing."""
    said: list[str] = []
    with browser.new_context() as context:
        page = context.new_page()
        # However long a busy machine takes for a report.
        page.set_default_timeout(120_000)
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda failure: said.append(str(failure)))
        page.goto(address)
        yield page
    assert not said


@pytest.fixture
def claimed(window: Page, folder: Path) -> Iterator[None]:
    """A command that serves, by its files alone; they go before the window's page ends what was started."""
    assert window.url
    with claimed_server(folder):
        yield


def test_a_person_searches_reads_renames_and_deletes(browser: Browser, address: str, folder: Path) -> None:
    with opened(browser, address) as window:
        a_person_searches_reads_renames_and_deletes(window, folder)


def a_person_searches_reads_renames_and_deletes(window: Page, folder: Path) -> None:
    assert "token" not in window.url
    window.get_by_label("Search").fill("soak")
    window.get_by_label("Search").press("Enter")
    window.wait_for_url("**/?q=soak&**")
    window.get_by_role("link", name="soak of").press("Enter")
    window.frame_locator("iframe").get_by_role("heading", level=1).wait_for()
    a_chart_answers_to_keys_and_to_the_pointer(window)
    a_table_is_sorted_searched_and_cut_down(window)
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


def a_chart_answers_to_keys_and_to_the_pointer(window: Page) -> None:
    frame = window.frame_locator("iframe")
    slider, said, texts = frame.get_by_role("slider"), frame.locator(".answer p"), frame.locator(".values li")
    slider.press("ArrowRight")
    assert said.inner_text() == slider.get_attribute("aria-valuetext") == texts.nth(1).text_content()
    drawing = frame.locator("svg[data-at]").filter(visible=True)
    x, y = map(float, placed(drawing.get_attribute("data-at") or "")[2])
    scale = drawing.evaluate("drawing => drawing.getBoundingClientRect().width / drawing.viewBox.baseVal.width")
    drawing.hover(position={"x": x * scale, "y": y * scale})
    assert said.inner_text() == texts.nth(2).text_content()
    assert drawing.locator("circle[visibility=visible]").get_attribute("cx") == f"{x:.0f}"


def a_table_is_sorted_searched_and_cut_down(window: Page) -> None:
    """By keys and clicks, and once more by its address."""
    frame = window.frame_locator("iframe")
    frame.locator("summary", has_text="Processes").press("Enter")
    table = frame.get_by_role("region", name="Processes")
    names = table.get_by_role("rowheader")
    assert names.all_inner_texts() == ["1, server", "1, client", "2, server", "2, client"]
    head = table.get_by_role("button", name="processor µs per call")
    head.press("Enter")
    assert names.all_inner_texts() == ["1, client", "2, client", "2, server", "1, server"], (
        "by the number, not its text"
    )
    head.click()
    assert names.first.inner_text() == "1, server"
    tools = frame.locator("#health")
    tools.get_by_text("Find rows, hide columns").click()
    tools.get_by_label("Find rows").press_sequentially("server")
    tools.get_by_text("2 of 4 rows").wait_for()
    tools.get_by_text("Columns", exact=True).press("Enter")
    tools.get_by_role("checkbox", name="peak MiB").uncheck()
    frame.locator("summary", has_text="Environment").press("Enter")
    window.wait_for_url("**#health-1.find=server&health-1.sort=-1&health-1.without=3&unfolded=health+environment")
    window.get_by_role("link", name="Records").click()
    window.go_back()
    frame.locator("#environment").wait_for()
    tools.get_by_text("2 of 4 rows").wait_for(state="attached")
    assert names.filter(visible=True).all_inner_texts() == ["1, server", "2, server"]
    assert table.get_by_role("columnheader", name="processor µs").get_attribute("aria-sort") == "descending"
    assert table.get_by_role("columnheader").filter(visible=True).count() == 10


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
    window.get_by_label("Path (/hello)").fill("/")
    window.get_by_label("Seconds (10)").fill("1")
    window.get_by_role("button", name="Show the command").click()
    window.get_by_text("callbench load '--start=python3 -m http.server {port}").wait_for()
    # What is started is what the form says now, and no more what it said then.
    window.get_by_label("Seconds (10)").fill("600")
    window.get_by_label("Seconds (10)").blur()
    window.get_by_text("--seconds=600").wait_for()
    window.get_by_label("Seconds (10)").fill("601")
    window.get_by_role("button", name="Start").click()
    # Its log is sent as it grows, so the window is loaded only when the command has ended.
    window.wait_for_url("**/watch/load-*", wait_until="domcontentloaded")
    name = window.url.rpartition("/")[2]
    window.get_by_text("--seconds=601").first.wait_for()
    # It moves: nothing is clicked until the rate of the second second is there.
    window.get_by_role("img", name="Calls/s").wait_for(timeout=60_000)
    assert (folder / name / "progress.json").exists()
    assert window.locator("tbody tr").count() >= 2
    window.get_by_role("button", name="Stop").click()
    window.frame_locator("iframe").get_by_text("The command has ended.").wait_for(timeout=60_000)
    window.get_by_role("link", name="Look again").click()
    assert window.get_by_role("button", name="Stop").count() == 0


def test_boxes_choose_the_cells_of_a_study_and_the_command_follows_each(window: Page) -> None:
    window.get_by_role("link", name="New").click()
    window.get_by_role("link", name="Message formats over channels").press("Enter")
    shown = window.locator("#chosen")
    shown.get_by_text("callbench run remobjects --quick").wait_for()
    taken = window.locator("[data-taken=yes]")
    assert taken.count() > 80, "nothing is ticked"
    window.get_by_role("checkbox", name="soap", exact=True).press("Space")
    shown.get_by_text("callbench run remobjects '--select=message+channel=soap+*' --quick").wait_for()
    window.get_by_role("checkbox", name="json+unix").press("Space")
    shown.get_by_text("'--select=message+channel=soap+*' --select=message+channel=json+unix --quick").wait_for()
    shown.get_by_text("cells: about").wait_for()
    assert window.get_by_role("checkbox", name="json+unix").evaluate("box => box === document.activeElement")
    # A row takes what it has of each message.
    window.get_by_role("checkbox", name="pipe", exact=True).check()
    shown.get_by_text("--select=message+channel=*+pipe").wait_for()
    assert taken.count() == 13 + 1 + 6
    # The address keeps what was chosen.
    window.reload()
    assert window.get_by_role("checkbox", name="soap", exact=True).is_checked()
    assert not window.get_by_role("checkbox", name="xmlrpc", exact=True).is_checked()
    assert taken.count() == 13 + 1 + 6


def test_stacks_are_served_counted_and_switched(window: Page, folder: Path) -> None:
    """By keys alone. The numbers move, and leave what is unfolded and what has the focus as they are."""
    window.get_by_role("link", name="Serve", exact=True).press("Enter")
    window.get_by_label("Every native stack").press("Space")
    window.get_by_label("Of the native ones").fill("http,tcp")
    window.get_by_role("button", name="Show the command").press("Enter")
    window.get_by_text("callbench serve --all --channels=http,tcp").wait_for()
    window.get_by_role("button", name="Start").press("Enter")
    window.wait_for_url("**/watch/serve-*", wait_until="domcontentloaded")
    name = window.url.rpartition("/")[2]
    button = window.get_by_role("button", name="Switch http off", exact=True)
    button.wait_for(timeout=60_000)
    window.locator("summary", has_text="http:").press("Enter")
    example = window.locator("pre", has_text="jsonrpc").first
    button.focus()
    subprocess.run(["/bin/sh", "-c", example.inner_text()], check=True, capture_output=True)
    window.locator('[data-moves="native"]', has_text="1 call answered: 1 Sum").wait_for(timeout=60_000)
    assert example.is_visible()
    assert button.evaluate("button => button === document.activeElement")
    button.press("Enter")
    window.get_by_role("button", name="Switch http on", exact=True).wait_for(timeout=60_000)
    window.get_by_role("link", name="Serve", exact=True).click()
    window.get_by_role("button", name=f"Stop {name}").press("Enter")
    window.frame_locator("iframe").get_by_text("The command has ended.").wait_for(timeout=60_000)
    assert not list((folder / ".started").glob("*.status"))


def test_one_call_to_a_server_of_ones_own_is_made_and_shown(window: Page) -> None:
    window.get_by_role("link", name="New").click()
    window.get_by_role("link", name="soak", exact=True).press("Enter")
    window.get_by_label("Or a command").fill("python3 -m http.server {port} --bind 127.0.0.1")
    window.get_by_label("Path (/hello)").fill("/")
    window.get_by_label("Headers").fill("X-Vault-Token: Zebra-Quartz-77")
    window.get_by_label("Clients of each step").fill("1,2")
    window.get_by_role("button", name="Make one call").press("Enter")
    window.get_by_role("heading", name="The answer is right").wait_for()
    window.get_by_text("The test takes about 2 minutes").wait_for()
    window.get_by_text("HTTP/1.0 200 OK").wait_for()
    assert "Zebra-Quartz-77" not in window.locator(".panel").inner_text()
    assert window.get_by_label("Headers").input_value() == "X-Vault-Token: Zebra-Quartz-77"
    assert "?" not in window.url


def test_a_dropped_file_becomes_a_service_and_a_question_for_advice(window: Page, folder: Path) -> None:
    window.get_by_role("link", name="New").click()
    window.get_by_role("link", name="a service of your own").press("Enter")
    drop = """async (field) => {
        const data = new DataTransfer();
        data.items.add(new File(['{"id": 4, "password": "Zebra-Quartz-77", "lines": ["a"]}'], "order.json"));
        field.files = data.files;
        field.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
    }"""
    window.get_by_label("Drop a").evaluate(drop)
    window.get_by_role("button", name="Import").click()
    window.get_by_role("heading", name="order: 1 call understood").wait_for(timeout=60_000)
    window.get_by_text("Values that look like secrets were replaced").wait_for()
    window.get_by_role("region", name="Bytes of Order").get_by_role("rowheader", name="protobuf").wait_for()
    window.get_by_role("link", name="Ask for advice").click()
    window.get_by_label("Calls per second").fill("100")
    window.get_by_label("Browsers make the calls").check()
    window.get_by_role("button", name="Show the command").click()
    service = folder / ".services/order/service"
    window.get_by_text(f"callbench advise {service.resolve()} --calls-per-second=100 --browsers").wait_for()
    kept = [file for file in service.parent.rglob("*") if file.is_file()]
    assert kept
    assert not [file for file in kept if b"Zebra-Quartz-77" in file.read_bytes()]


def test_a_command_of_a_terminal_is_watched_until_it_ends(window: Page, folder: Path) -> None:
    with RecordWriter.create(folder / "now", head("run", "Now", {"study": "x"}), {}) as record:
        ProgressFile(record.path).offer(lambda: RANKED)
        window.goto(window.url)
        window.route("**/events", lambda asked: asked.fulfill(content_type="text/event-stream", body=""))
        window.get_by_role("link", name="Watch", exact=True).last.click()
        window.get_by_text("No news comes from the page any more").wait_for()
        window.unroute("**/events")
        window.get_by_role("link", name="Look again").first.click()
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
    # The same run twice: nothing is told apart.
    noise = window.locator("tr.noise:not(.later)")
    assert noise.count() == noise.filter(visible=True).count() > 0
    window.get_by_label("Hide noise").check()
    noise.first.wait_for(state="hidden")
    assert noise.filter(visible=True).count() == 0
    window.get_by_label("Hide noise").uncheck()
    noise.first.wait_for(state="visible")
    window.get_by_label("Hide noise").check()
    window.get_by_role("button", name="Show", exact=True).click()
    window.wait_for_url("**/compare?run=*&run=*&noise=hidden")
    assert window.get_by_label("Hide noise").is_checked()
    # The table answers as those of reports do, and its state stands in the address.
    window.get_by_label("Find rows").fill("json p99")
    window.get_by_role("button", name="Change", exact=True).click()
    window.wait_for_url("**#main.find=json+p99&main.sort=2")
    window.reload()
    assert window.get_by_label("Find rows").input_value() == "json p99"
    a_value_leads_to_its_cell(window)


def a_value_leads_to_its_cell(window: Page) -> None:
    """By keys, from the report of a run to what lies behind one of its values."""
    window.goto(window.url.partition("/compare")[0] + "/records/a")
    frame = window.frame_locator("iframe")
    # Of a table whose intervals have no heads, and of one that is unfolded after it.
    for section, column in (("Ranking", "calls/s: interval"), ("All cells", "p99 µs")):
        frame.locator("summary", has=frame.get_by_role("heading", name=section)).press("Enter")
        frame.get_by_role("button", name=column).first.wait_for()
    frame.locator("#c002").get_by_role("link").press("Enter")
    window.wait_for_url("**/records/a/cells#c002")
    frame.locator("#c002[open]").get_by_text("callbench run").wait_for()
    # Back to where the reader was; a link opens another window as any link does.
    window.go_back()
    with window.context.expect_page() as beside:
        frame.locator("#c002").get_by_role("link").click(modifiers=["ControlOrMeta"])
    beside.value.wait_for_url("**/records/a/cells#c002")
    assert window.url.partition("#")[0].endswith("/records/a")


UNFOLD = "all => { for (const folded of all) folded.open = true; }"
# What depends on colours, of what axe-core looks at; all else is the same in the dark.
OF_COLOURS = {
    "resultTypes": ["violations"],
    "iframes": False,
    "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]},
}
OF_ALL = {"resultTypes": ["violations"], "iframes": False, "runOnly": RULES}


@pytest.mark.usefixtures("nothing_left", "claimed")
def test_every_view_fits_and_is_accessible(window: Page, folder: Path) -> None:
    (folder / "peer/record.json").write_text("{")
    synthetic.write(folder / "a")
    shutil.copytree(folder / "a", folder / "b")
    with (ROOT / "tests/own/orders.proto").open("rb") as file:
        assert Services(folder).take([("orders.proto", file)], []) == "orders"
    running = RecordWriter.create(folder / "now", head("run", "Now", {"study": "x"}), {})
    ProgressFile(running.path).offer(lambda: RANKED)
    base = window.url.rstrip("/")
    new = "/new/run?study=remobjects&quick=yes"
    for path in (
        "/",
        "/?q=nothing+at+all",
        "/calculator?run=a&calls=100&link=lte",
        new,
        "/new/load?server=http%3A%2F%2F127.0.0.1%3A1%2F",
        "/new/torture",
        "/new/compare",
        "/watch",
        "/records/soak",
        "/records/soak/delete",
        "/records/peer",
        "/watch/now",
        "/history",
        "/settings",
        "/hosts",
        "/new/serve",
        "/watch/serve-1",
        "/services",
        "/services/orders",
        "/new/advise?of=x",
        "/compare?run=a&run=b",
        "/history?by=commit",
        "/records/a/cells",
        "/records/a/latency?q=soap&cell=c001&cell=c002",
    ):
        # The log of what serves is sent as it grows.
        window.goto(base + path, wait_until="domcontentloaded" if path.endswith("serve-1") else "load")
        window.locator("details").evaluate_all(UNFOLD)
        seen: list[Page | Frame] = [window]
        if path == "/records/soak":
            # A frame without an origin is looked into from within.
            seen.append(window.frames[-1])
            seen[-1].locator("details").evaluate_all(UNFOLD)
            assert seen[-1].locator(".tools").count() == 2
        for width in (360, 1280):
            assert_fits_and_is_accessible(window, seen, width)
    running.close()


def assert_fits_and_is_accessible(window: Page, seen: Sequence[Page | Frame], width: int) -> None:
    """At a width, in the light and in the dark; with the frames that are looked into."""
    window.set_viewport_size({"width": width, "height": 900})
    assert window.evaluate("document.documentElement.scrollWidth") <= width, window.url
    # Where there was no room for all views, their names were cut in two.
    assert window.evaluate("[...document.querySelectorAll('.top a')].every(view => view.offsetHeight < 40)"), window.url
    for one in seen:
        assert one.evaluate("document.documentElement.scrollWidth <= innerWidth"), one.url
        for scheme, options in (("light", OF_ALL), ("dark", OF_COLOURS)):
            window.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            assert not violations(one, options), (one.url, width, scheme)


def violations(one: Page | Frame, options: Mapping[str, object]) -> list[object]:
    """What axe-core finds. It is given to a page once: half a megabyte took longer to read than to look."""
    if not one.evaluate("'axe' in window"):
        one.evaluate(Axe().axe_script)
    found: list[object] = one.evaluate("async options => (await axe.run(document, options)).violations", options)
    return found
