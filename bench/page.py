"""The page in a browser: how soon it is there, how much memory its server takes, and whether watching a run changes it.

`bench/run page`. The record of 1,000 cells is synthetic, as the tests of the report make it. A time ends when what was
asked for is on the screen, so it has the browser's part too. Runs with and without a viewer alternate in pairs, in
random order. On a machine with other things to do, times are upper bounds; the load is printed first.
Options: --pairs 20, --opened 100, --only PART of opening, memory, watching, lines.
"""

import argparse
import contextlib
import json
import math
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import psutil
from playwright.sync_api import Browser, BrowserContext, Page, Response, sync_playwright
from report_of_1000_cells import in_slices

from callbench.analysis.cells import read_results
from callbench.analysis.wording.words import counted
from callbench.stats.estimate.interval import CONFIDENCE
from callbench.stats.estimate.logratio import paired
from callbench.store.record import Record
from callbench.store.shelf import Shelf
from callbench.web.publishing import publish
from report.synthetic import write

ROOT = Path(__file__).resolve().parent.parent
CLIENTS = (1, 2, 4, 8, 16)
LISTED = 100
MARGIN = 0.01
LONGEST_MS = 600_000
# The program. It ends with this one, however that ends.
OURS = ("setpriv", "--pdeathsig", "INT", sys.executable, "-m", "callbench")
# What the issue asks for.
ASKED = {
    "ui to first paint": "1.5 s",
    "record of 1,000 cells, its report made already": "1 s",
    "noise of 1,000 cells hidden": "0.1 s",
    "rows of 1,000 cells found": "0.1 s",
    "rows of 1,000 cells sorted": "0.1 s",
    "list of 100 records": "1 s",
    "search in 100 records": "0.1 s",
}
# From an event until what it changed has been painted; in the page itself, so without the way to the browser.
TIMED = """() => new Promise((done) => {
    requestAnimationFrame(() => {
        const began = performance.now();
        %s;
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
    });
})"""
STUDY = """
title = "Watched"
about = "A few stacks, for runs with and without a viewer."
[load]
clients = [1]
calls = 20
seconds = 0.1
forks = 3
[quick]
calls = 20
seconds = 0.1
forks = 3
rounds = 10
[[cells]]
group = "Sum"
stacks = ["native/json+http", "native/protobuf+supertcp", "native/soap+http", "native/msgpack+unix"]
call = "Sum"
arguments = { a = 1, b = 2 }
"""


@dataclass
class Served:
    """`callbench ui`, and when it was started."""

    process: psutil.Process
    address: str
    began: float


@contextlib.contextmanager
def serving(runs: Path) -> Iterator[Served]:
    """Serve the page of a folder until the block ends."""
    began = time.monotonic()
    words = [*OURS, "ui", str(runs), "--port", "0"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    ) as server:
        try:
            found = re.search(r"http://\S+", server.stdout.readline() if server.stdout else "")
            if found is None:
                raise SystemExit("callbench ui gave no address")
            yield Served(psutil.Process(server.pid), found[0], began)
        finally:
            server.send_signal(signal.SIGINT)


def timed(what: str, work: Callable[[], object]) -> None:
    """Do something and print how long it took."""
    began = time.monotonic()
    work()
    told(what, time.monotonic() - began)


def told(what: str, seconds: float) -> None:
    """Print seconds, with what is asked."""
    asked = f" (asked: {ASKED[what]})" if what in ASKED else ""
    print(f"{what}: {seconds:.2f} s{asked}", flush=True)


def shelved(folder: Path) -> Path:
    """Make a folder with two runs of 1,000 cells and loads, 100 records in all."""
    runs = folder / "runs"
    for name, seed in (("big", 1), ("big-2", 2)):
        in_slices(write(runs / name, quick=False, clients=CLIENTS, seed=seed))
    for number in range(LISTED - 2):
        record = runs / f"load-{number:02d}"
        shutil.copytree(ROOT / "tests/records/load", record)
        head = json.loads((record / "record.json").read_text())
        head["started"] = f"2026-01-01T{number // 60:02d}:{number % 60:02d}:00Z"
        (record / "record.json").write_text(json.dumps(head))
    return runs


def read(page: Page, base: str, name: str) -> None:
    """Open a record and wait until its report stands there."""
    page.goto(f"{base}/records/{name}")
    page.frame_locator("iframe").get_by_role("heading", level=1).wait_for(timeout=LONGEST_MS)


def opening(browser: Browser, runs: Path) -> None:
    """Print how soon views are there, and the bytes of scripts that they fetch."""
    scripts: dict[str, int] = {}
    with serving(runs) as served, in_window(browser) as page:
        page.on("response", lambda answer: count_script(answer, scripts))
        page.goto(served.address)
        page.get_by_role("heading", name="Records").wait_for()
        told("ui to first paint", time.monotonic() - served.began)
        base = page.url.rstrip("/")
        timed("list of 100 records", lambda: page.goto(base + "/"))
        page.get_by_label("Search").fill("load-42")
        timed("search in 100 records", lambda: searched(page))
        timed("record of 1,000 cells, its report not made yet", lambda: read(page, base, "big"))
        page.goto(base + "/")
        timed("record of 1,000 cells, its report made already", lambda: read(page, base, "big"))
        of_table(page)
        compared = f"{base}/compare?run=big&run=big-2"
        timed("two runs of 1,000 cells, not compared yet", lambda: page.goto(compared))
        timed("two runs of 1,000 cells, compared already", lambda: page.goto(compared))
        took = page.evaluate(TIMED % "document.querySelector('#noise').click()")
        page.locator("tr.noise").first.wait_for(state="hidden")
        told("noise of 1,000 cells hidden", took / 1000)
        for view in ("new", "watch", "history", "settings"):
            page.goto(f"{base}/{view}")
        page.goto(f"{base}/watch/load-42")
    print(f"scripts of all views but a moving one: {sum(scripts.values()) / 1024:.1f} KiB (asked: 300)")
    published(runs)


@contextlib.contextmanager
def in_window(browser: Browser) -> Iterator[Page]:
    """Open a window with no cookies, until the block ends."""
    context: BrowserContext = browser.new_context()
    context.set_default_timeout(LONGEST_MS)
    try:
        yield context.new_page()
    finally:
        context.close()


def count_script(answer: Response, scripts: dict[str, int]) -> None:
    """Note the bytes of an answer that is a script."""
    if answer.request.resource_type == "script":
        scripts[answer.url] = len(answer.body())


def searched(page: Page) -> None:
    """Press Enter in the search, and wait for what fits."""
    page.get_by_label("Search").press("Enter")
    page.get_by_text(f"1 of {LISTED}").wait_for()


def of_table(page: Page) -> None:
    """Print how long the table of 1,000 cells takes to be searched and sorted, until it is on the screen."""
    frame = page.frames[-1]
    frame.locator("summary", has_text="All cells").click()
    frame.locator("#every .tools").wait_for()
    for what, work in (
        (
            "found",
            "const field = {}.querySelector('input'); field.value = 'soap'; field.dispatchEvent(new Event('input'))",
        ),
        ("sorted", "{}.querySelectorAll('thead th button')[4].click()"),
    ):
        took = frame.evaluate(TIMED % work.format("document.querySelector('#every')"))
        told(f"rows of 1,000 cells {what}", took / 1000)


def published(runs: Path) -> None:
    """Print what a publication of one run of 1,000 cells takes."""
    with tempfile.TemporaryDirectory(prefix="callbench-bench-") as folder:
        only = Path(folder) / "runs"
        only.mkdir()
        shutil.move(runs / "big-2", only / "big-2")
        cells = len(Record(only / "big-2").plan()["cells"])
        site = Path(folder) / "site"
        timed(f"publication of a run of {cells:,} cells", lambda: publish(Shelf(only), site, "", print))
        timed("the same again", lambda: publish(Shelf(only), site, "", print))
        size = sum(file.stat().st_size for file in site.rglob("*") if file.is_file())
        print(
            f"its bytes: {size / 1e6:.2f} MB for {cells:,} cells, {size / cells / 1e3:.2f} for 1,000 (asked: 5)",
            flush=True,
        )
        shutil.move(only / "big-2", runs / "big-2")


def memory(browser: Browser, runs: Path, opened: int) -> None:
    """Print the memory of the server before and after records are opened one after the other."""
    with serving(runs) as served, in_window(browser) as page:
        page.goto(served.address)
        base = page.url.rstrip("/")
        before = served.process.memory_info().rss
        names = [entry.name for entry in Shelf(runs).entries()][:opened]
        for name in names:
            read(page, base, name)
        after = served.process.memory_info().rss
        page.goto(f"{base}/compare?run=big&run=big-2")
        compared = served.process.memory_info().rss
    print(
        f"memory of the server: {before / 1e6:.0f} MB, after {counted(len(names), 'record')} {after / 1e6:.0f} MB,"
        f" after a comparison of 1,000 cells {compared / 1e6:.0f} MB (asked: 300)",
        flush=True,
    )


def watching(browser: Browser, folder: Path, pairs: int) -> None:
    """Print how runs with a viewer differ from runs without, and what the page's server takes meanwhile."""
    runs = folder / "watched"
    runs.mkdir()
    study = folder / "watched.toml"
    study.write_text(STUDY)
    ratios: dict[str, list[float]] = {}
    shares: list[float] = []
    for pair in range(pairs):
        rates: dict[bool, dict[str, float]] = {}
        for watched in random.sample([True, False], 2):
            out = runs / f"{pair}-{'watched' if watched else 'alone'}"
            if watched:
                shares.append(watched_run(browser, study, out))
            else:
                with starting(study, out) as run:
                    run.wait()
            rates[watched] = rates_of(out)
        for cell in rates[True].keys() & rates[False].keys():
            ratios.setdefault(cell, []).append(rates[True][cell] / rates[False][cell])
    apart = 0
    for cell, known in sorted(ratios.items()):
        if len(known) < 2:
            continue
        ratio = paired(known).interval(CONFIDENCE)
        beyond = ratio.low is not None and ratio.high is not None and abs(math.log(ratio.middle)) > math.log1p(MARGIN)
        apart += bool(beyond and ratio.low and ratio.high and not ratio.low <= 1 <= ratio.high)
        print(f"  {cell}: watched over alone {ratio.middle:.3f} ({ratio.low:.3f} to {ratio.high:.3f})")
    share = statistics.median(shares) * 100
    print(f"{pairs} pairs: {counted(apart, 'cell')} told apart (asked: 0 at 1 %); the page took {share:.2f} % of a")
    print("processor at the median (asked: under 1 %)", flush=True)


def starting(study: Path, out: Path) -> subprocess.Popen[bytes]:
    """Start a run as a terminal does."""
    words = [*OURS, "run", str(study), "--quick", "--no-baselines", "--out", str(out)]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


def watched_run(browser: Browser, study: Path, out: Path) -> float:
    """Make a run with its page open. Return the share of a processor that the page's server took meanwhile."""
    with serving(out.parent) as served, in_window(browser) as page:
        page.goto(served.address)
        base = page.url.rstrip("/")
        with starting(study, out) as run:
            while not (out / "record.json").exists() and run.poll() is None:
                time.sleep(0.05)
            page.goto(f"{base}/watch/{out.name}")
            began, before = time.monotonic(), processor_s(served.process)
            run.wait()
            return (processor_s(served.process) - before) / (time.monotonic() - began)


def processor_s(process: psutil.Process) -> float:
    """Return the processor time of a program and of what it waited for."""
    times = process.cpu_times()
    return float(times.user + times.system + times.children_user + times.children_system)


def rates_of(out: Path) -> dict[str, float]:
    """Return calls a second of each cell of a run."""
    cells = read_results.read(Record(out)).cells
    return {
        str(cell.attributes["stack"]): statistics.geometric_mean(by_fork.values())
        for cell in cells
        if (by_fork := cell.by_fork.get("rate_per_s", {}))
    }


def lines() -> None:
    """Print the lines of Python, templates and scripts of the page."""
    files = [file for file in (ROOT / "src/callbench/web").rglob("*") if file.suffix in {".py", ".j2", ".js", ".css"}]
    files += [ROOT / f"src/callbench/cli/commands/{name}.py" for name in ("ui", "publish", "history")]
    print(f"lines of {len(files)} files: {sum(len(file.read_text().splitlines()) for file in files):,} (asked: 6,000)")


def main() -> None:
    """Print figures beside what is asked for."""
    # Whoever ends this ends the browser, and removes the records.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=3, help="runs with a viewer, and as many without (default 3)")
    parser.add_argument("--opened", type=int, default=LISTED, help="records opened in turn (default 100)")
    parser.add_argument("--only", choices=("opening", "memory", "watching", "lines"), help="one part")
    asked = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}", flush=True)
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("Chromium is not installed: setup/system chromium")
    with tempfile.TemporaryDirectory(prefix="callbench-bench-") as name, sync_playwright() as playwright:
        folder = Path(name)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        parts: dict[str, Callable[[], None]] = {
            "opening": lambda: opening(browser, runs),
            "memory": lambda: memory(browser, runs, asked.opened),
            "watching": lambda: watching(browser, folder, asked.pairs),
            "lines": lines,
        }
        chosen = [asked.only] if asked.only else list(parts)
        runs = shelved(folder) if {"opening", "memory"} & set(chosen) else folder
        for part in chosen:
            parts[part]()
        browser.close()
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
