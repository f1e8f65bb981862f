"""The first screen of a run's page: one sentence, one chart, three lines, and everything else folded below."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from browser import FLAGS
from callbench.analysis.judge.effects import Influence
from callbench.analysis.run.rankings import in_process
from callbench.analysis.run.subject import Subject, subject
from callbench.analysis.run.tables import Row, TableCell
from callbench.analysis.wording.naming import named
from callbench.report.charts.first import first_chart
from callbench.report.export.formats import TEXTS
from callbench.report.text.answer import answer, leading
from callbench.report.text.run_opening import run_title
from callbench.report.text.section import Chart
from callbench.report.text.summary import summary
from callbench.stats.decide.ranking import standings
from callbench.store.record import Record
from report.synthetic import write

MOST_WORDS = 300
MOST_BYTES = 1_000_000
FEW = ("native/soap+supertcp", "native/bin+library", "native/bincomp+http")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    return subject(Record(write(tmp_path_factory.mktemp("runs") / "whole")))


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    return subject(Record(write(tmp_path_factory.mktemp("runs") / "few", only=FEW)))


class Folded(HTMLParser):
    """Gathers the words that stand outside of everything folded, and what links lead to."""

    def __init__(self) -> None:
        """Begin at the top of a page."""
        super().__init__()
        self.words: list[str] = []
        self.targets: list[str] = []
        self.ids: set[str] = set()
        self._folded = 0
        self._unread = 0
        self._summary = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        assert not (tag == "details" and "open" in given)
        self._folded += tag == "details"
        self._unread += tag in {"svg", "style", "title"}
        self._summary = self._summary or (tag == "summary" and self._folded == 1)
        self.ids |= {given["id"] or ""} if "id" in given else set()
        address = given.get("href") or ""
        self.targets += [address[1:]] if address.startswith("#") else []

    def handle_endtag(self, tag: str) -> None:
        self._folded -= tag == "details"
        self._unread -= tag in {"svg", "style", "title"}
        self._summary = self._summary and tag != "summary"

    def handle_data(self, data: str) -> None:
        if not self._unread and (self._summary or not self._folded):
            self.words += data.split()


def folded(page: str) -> Folded:
    parser = Folded()
    parser.feed(page)
    return parser


def test_a_reader_has_at_most_300_words_before_unfolding_anything(whole: Subject) -> None:
    page = TEXTS["html"](whole)
    seen = folded(page)
    assert {"Certain", "Open", "Warnings", "Claims"} <= set(seen.words)
    assert len(seen.words) <= MOST_WORDS
    assert len(page.split()) > 10 * MOST_WORDS


def test_the_page_of_every_message_over_every_channel_is_small(whole: Subject) -> None:
    page = TEXTS["html"](whole)
    assert len(page.encode()) < MOST_BYTES
    assert page.count("<details class=values>") == page.count("<figure") > 0, (
        "the marks of each chart say what they are"
    )


def test_links_lead_into_what_is_folded(whole: Subject) -> None:
    """A browser opens what a link leads into: the place must lie within, not on its summary."""
    seen = folded(TEXTS["html"](whole))
    assert seen.targets
    assert set(seen.targets) <= seen.ids


def test_a_value_of_the_other_idle_states_leads_to_its_own_row(few: Subject) -> None:
    own, *_ = few.results.cells
    cell = replace(own, attributes={**own.attributes, "cell": f"{own.id}-as-it-is"})
    other = replace(few, results=replace(few.results, cells=[cell]))
    table = replace(few.tables[0], id="other", rows=[Row("", "row", "", [TableCell("1", cell=cell.id)])])
    seen = folded(TEXTS["html"](replace(few, tables=[*few.tables, table], others={"as it is": other})))
    assert cell.id in seen.targets
    assert set(seen.targets) <= seen.ids


def test_printing_opens_everything(few: Subject, tmp_path: Path) -> None:
    page = TEXTS["html"](few)
    folded_, unfolded = (printed_pages(text, tmp_path) for text in (page, page.replace("<details", "<details open")))
    hidden = page.replace("details::details-content", "details::nothing")
    assert folded_ == unfolded > printed_pages(hidden, tmp_path)


def printed_pages(page: str, folder: Path) -> int:
    """Print a page as Debian's Chromium does. Return how many sheets it takes."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("Chromium is not installed: setup/system chromium")
    file, out = folder / "page.html", folder / "page.pdf"
    file.write_text(page)
    words = [chromium, *FLAGS, f"--user-data-dir={folder / 'profile'}", f"--print-to-pdf={out}", f"file://{file}"]
    subprocess.run(words, capture_output=True, timeout=170, check=False)
    return len(re.findall(rb"/Type /Page\b", out.read_bytes()))


def texts(chart: Chart | None) -> list[str]:
    assert chart is not None
    wide, _, _ = str(chart.svg).partition('<div class="narrow">')
    return re.findall(r">([^<]+)</text>", wide)


def test_the_chart_has_every_message_over_every_channel_with_the_published_value(whole: Subject) -> None:
    chart = first_chart(whole, summary(whole).choices)
    shown = texts(chart)
    assert {"Sum", "GetPersons", "GetBinaryData", "soap", "bincomp", "supertcp", "http-keepalive"} <= set(shown)
    # Table 1 of the article: SOAP over HTTP, and over HTTP that keeps its connections.
    assert {"23.85", "405.84"} <= set(shown)
    assert chart is not None
    assert "published" in chart.about


def test_the_highest_rate_of_each_kind_has_a_frame_and_so_have_those_that_may_be_as_fast(whole: Subject) -> None:
    choices = summary(whole).choices
    chart = first_chart(whole, choices)
    assert chart is not None
    assert chart.spec is not None
    marked: dict[str, list[tuple[str, str]]] = {"first": [], "tie": []}
    for panel in chart.spec["hconcat"]:
        for one in panel["data"]["values"]:
            if one["standing"]:
                marked[one["standing"]].append((one["message"], one["channel"]))
    panels = {one.ranking.group for one in leading(choices)}
    own = [one for one in choices if one.ranking.group in panels and one.ranking.clients == "1"]
    best = [one.best for one in own if one.best is not None]
    assert sorted(marked["first"]) == sorted((one.attributes["message"], one.attributes["channel"]) for one in best)
    others = [each for one in own for each in one.ties]
    assert sorted(marked["tie"]) == sorted((one.attributes["message"], one.attributes["channel"]) for one in others)


def test_frames_and_ranking_are_one_decision(whole: Subject) -> None:
    """Frames were of those that may be the fastest, and the table named others by a test of all pairs."""
    differ = 0
    for one in summary(whole).choices:
        assert one.first is not None
        table, first = one.ranking, one.first
        row = next(row for row in table.standings if table.ranked[row.index] is first)
        ties = {table.contenders[place].id for place in row.ties if not table.contenders[place].at_least}
        kind = {each.id for each in table.ranked if in_process(whole, each) == in_process(whole, first)}
        assert {each.id for each in one.ties} == (ties & kind if one.kind else ties)
        assert one.shown == (not one.ties and not one.reaching and not any(each.at_least for each in one.below))
        rates = [each.by_fork["rate_per_s"] for each in table.contenders]
        pairs = {row.index: row for row in standings(rates, prior=whole.results.prior)}
        differ += len(pairs[row.index].ties) != len(row.ties)
    assert differ, "no table of this record differs by the two tests"


def test_stacks_that_are_not_crossed_stand_in_a_ranking(few: Subject) -> None:
    choices = summary(few).choices
    (choice,) = leading(choices)
    shown = texts(first_chart(few, choices))
    assert {choice.name(one) for one in choice.ranking.cells} <= set(shown)
    assert choice.best is not None
    said = answer(few, summary(few))
    assert choice.name(choice.best) in said.sentence
    assert said.sentence == f"{choice.where}: {choice.in_words()}"


def test_what_is_within_one_process_and_what_has_no_rank_have_a_colour_and_a_name(few: Subject) -> None:
    """Both were grey, as what is slower is, and stood first."""
    (choice,) = leading(summary(few).choices)
    inside = next(cell for cell in choice.ranking.cells if in_process(few, cell))
    first = next(cell for cell in choice.ranking.cells if cell is not inside)
    shown = drawn_standings(first_chart(few, [replace(choice, kind="between processes", first=first)]))
    assert shown[choice.name(inside)] == "within one process"
    assert shown[choice.name(first)] == "first in the ranking"


def drawn_standings(chart: Chart | None) -> dict[str, str]:
    """How each stack of a ranking stands, as the legend has it."""
    assert chart is not None
    assert chart.spec is not None
    return {row["name"]: row["standing"] for row in chart.spec["data"]["values"]}


def test_a_run_of_one_stack_shows_its_rate(few: Subject) -> None:
    one = few.results.cells[0]
    alone = replace(few, results=replace(few.results, cells=[one]), judged=[], tables=[])
    found = summary(alone)
    assert run_title(alone, found).startswith(f"{named(one)}: ")
    said = answer(alone, found).sentence
    assert re.fullmatch(rf"{re.escape(named(one))}: [\d,]+ calls/s ± \d+ %\. No stack is compared with it\.", said)
    assert drawn_standings(first_chart(alone, found.choices)) == {named(one): "measured"}


def test_what_is_certain_and_what_is_not_is_said_in_three_lines(whole: Subject) -> None:
    said = answer(whole, summary(whole))
    assert [line.about for line in said.lines] == ["Certain", "Open", "Valid for"]
    certain, open_, valid = (line.text for line in said.lines)
    assert "channels change the rate" in certain
    assert "not shown" in open_ or "undecided" in open_
    assert valid.startswith("This quick run")


def test_what_is_shown_above_is_not_denied_below(few: Subject) -> None:
    """The sentence ended with "shown", and the line below said that no stack is shown to be the fastest."""
    (first,) = leading(summary(few).choices)
    alone = replace(summary(few), choices=[first])
    assert first.lasts
    (certain,) = (line.text for line in answer(few, alone).lines if line.about == "Certain")
    assert first.best is not None
    assert certain == f"Shown to be the fastest: {first.name(first.best)} in {first.where}."
    open_ = replace(alone, choices=[replace(first, shown=False)])
    assert answer(few, open_).lines[0].text == "No stack is shown to be the fastest."


def test_only_a_factor_that_is_told_from_1_is_certain(whole: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Influence, "shown", property(lambda influence: "shm" in influence.best))
    certain = answer(whole, summary(whole)).lines[0].text
    assert "channels change the rate" in certain
    assert "messages" not in certain


def test_a_run_that_was_stopped_says_so_on_its_first_screen(tmp_path: Path) -> None:
    folder = write(tmp_path / "stopped", only=FEW)
    record = json.loads((folder / "record.json").read_text())
    # Of one that was killed, the file still says that it runs.
    for state, told in (("stopped", "is stopped"), ("running", "was cut off")):
        (folder / "record.json").write_text(json.dumps({**record, "state": state}))
        ended = subject(Record(folder))
        said = answer(ended, summary(ended))
        assert f"The run {told}: values are missing." in said.lines[-1].text
