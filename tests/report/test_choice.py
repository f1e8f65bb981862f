"""The choice follows from the ranking: the first stack, the next ones, and ties, by load and link."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from callbench.analysis.cells.results import Latency, Result, Results
from callbench.analysis.judge.effects import effects
from callbench.analysis.run import headline
from callbench.analysis.run.rankings import Ranking, rankings
from callbench.analysis.run.subject import Subject, subject
from callbench.report.text.choice import MOST_ROWS, RankingChoice, choices, sheet
from callbench.report.text.summary import summary
from callbench.stats.decide.ranking import standings
from callbench.stats.estimate.interval import geometric_mean
from callbench.store.record import Record
from report.synthetic import write

if TYPE_CHECKING:
    from callbench.model.card import PlannedStacks

STEADY = (1.0, 1.01, 0.99, 1.02, 0.98)


def result(stack: str, rates: tuple[float, ...], **attributes: str) -> Result:
    """A cell with a rate in each fork."""
    adapter, _, name = stack.partition("/")
    message, _, channel = name.partition("+")
    own = {"cell": stack, "stack": stack, "adapter": adapter, "message": message, "channel": channel or "tcp"}
    return Result(
        attributes={**own, "group": "g", "clients": "1", "link": "loopback", **attributes},
        arguments={},
        calls=10,
        errors={},
        trials=len(rates),
        by_fork={"rate_per_s": dict(enumerate(rates))},
        rate=geometric_mean(rates),
        latency=Latency(None, None, None),
        batched=False,
        agree=True,
    )


def at(rate: float, noise: tuple[float, ...] = STEADY) -> tuple[float, ...]:
    return tuple(rate * one for one in noise)


def ranked(cells: list[Result], clients: str = "1", link: str = "loopback") -> Ranking:
    return Ranking("g", clients, link, cells, cells, standings([one.by_fork["rate_per_s"] for one in cells]))


class Asked:
    """What a choice asks of a subject."""

    every_name: dict[str, str] = {}  # noqa: RUF012 - never changed
    # Of no cells, so that nothing is lent to a ratio that its own forks do not say.
    results = Results([], [], [])

    def __init__(self, *inside: str) -> None:
        """Takes the stacks of which one process plays both sides."""
        self.cards: dict[str, Any] = {stack: {"card": {"roles": "in-process"}} for stack in inside}


def chosen(*tables: Ranking, inside: tuple[str, ...] = ()) -> list[RankingChoice]:
    return choices(cast("Subject", Asked(*inside)), tables)


def stack_of(one: RankingChoice) -> str:
    """Name the stack that a choice names; nothing where it is not known."""
    return one.best.attributes["stack"] if one.best else ""


def plain(text: str) -> str:
    """Remove the decimals of a value, which do not matter here."""
    return re.sub(r"\.\d+", "", text)


def test_stacks_that_tie_are_named_with_the_best() -> None:
    noisy = [(50.0, 180.0, 90.0, 130.0, 75.0), (160.0, 60.0, 140.0, 80.0, 110.0), (90.0, 70.0, 190.0, 55.0, 120.0)]
    (one,) = chosen(ranked([result(f"a/m{place}", rates) for place, rates in enumerate(noisy)]))
    assert not one.shown
    assert len(one.ties) == 2
    assert one.sure_in_short == "ties with the next and 1 more"
    assert one.sure.startswith("not distinguished from the next, nor from m")


def test_who_shares_the_first_place_is_named_and_who_does_not_is_not() -> None:
    alike = (1.02, 0.99, 1.01, 0.98, 1.0)
    cells = [result("a/slow", at(10)), result("a/one", at(100)), result("a/other", at(99.5, alike))]
    (one,) = chosen(ranked(cells))
    assert stack_of(one) == "a/one"
    assert (one.sure, one.sure_in_short) == ("not distinguished from the next", "ties with the next")
    assert plain(one.in_words()).startswith("one over tcp (100 calls/s), 1 (0 to 1) times as fast as other over tcp")


def test_who_is_shown_to_be_faster_than_all_is_so_with_the_ratio_to_the_next() -> None:
    noise = (1.0, 1.03, 0.98, 1.01, 0.99)
    (one,) = chosen(ranked([result("a/x", at(100)), result("a/y", at(50, noise)), result("a/z", at(20))]))
    assert (one.shown, one.sure, one.ties) == (True, "shown", [])
    assert one.next is not None
    assert one.next.attributes["stack"] == "a/y"
    assert one.ratio is not None
    assert one.ratio.low is not None
    assert one.ratio.low < 2 < cast("float", one.ratio.high)


def test_what_its_own_interval_shows_and_the_ranking_does_not_is_likely() -> None:
    noise = ((1.0, 1.01, 0.99), (0.99, 1.0, 1.01), (1.01, 0.99, 1.0))
    cells = [result(f"a/m{place}", tuple(100 * 1.06**place * one for one in noise[place % 3])) for place in range(12)]
    (one,) = chosen(ranked(cells))
    assert one.ratio is not None
    assert one.ratio.low is not None
    assert one.ratio.low > 1
    assert one.sure.startswith("likely, but not shown")
    assert "not distinguished from m" in one.sure


def test_a_noisy_one_further_behind_is_a_tie_all_the_same() -> None:
    wild = (20.0, 500.0, 3.0, 300.0, 9.0)
    (one,) = chosen(ranked([result("a/x", at(100)), result("a/y", at(50)), result("a/wild", wild)]))
    assert one.sure == "faster than the next; not distinguished from wild over tcp, known less well"
    # Beside "1.30 (1.25 to 1.36) times as fast as the next", "one of 2 that tie" meant another than the next.
    assert one.sure_in_short == "ties with wild over tcp, known less well"


def test_stacks_within_one_process_are_chosen_from_apart() -> None:
    rates = {"a/x+inproc": 1000, "a/y+inproc": 500, "a/x+tcp": 100, "a/y+tcp": 50}
    cells = [result(stack, at(rate)) for stack, rate in rates.items()]
    found = chosen(ranked(cells), inside=("a/x+inproc", "a/y+inproc"))
    told = [(one.where, stack_of(one)) for one in found]
    assert told == [("g, between processes", "a/x+tcp"), ("g, in one process", "a/x+inproc")]
    assert [one.where for one in chosen(ranked(cells))] == ["g"]


def test_one_stack_of_its_kind_is_no_choice_and_two_of_two_kinds_are_one() -> None:
    cells = [result("a/x+inproc", at(1000)), result("a/x+tcp", at(100)), result("a/y+tcp", at(50))]
    assert [one.where for one in chosen(ranked(cells), inside=("a/x+inproc",))] == ["g, between processes"]
    (one,) = chosen(ranked(cells[:2]), inside=("a/x+inproc",))
    assert (one.where, stack_of(one), one.shown) == ("g", "a/x+inproc", True)


def test_every_load_and_link_has_a_choice_of_its_own() -> None:
    near = ranked([result("a/x", at(100)), result("a/y", at(50))])
    far = ranked([result("a/x", at(10)), result("a/y", at(20))], "50", "wan50")
    found = [(one.where, stack_of(one)) for one in chosen(near, far)]
    assert found == [("g", "a/x"), ("g, 50 clients, over wan50", "a/y")]


def test_more_than_are_shown_are_counted() -> None:
    tables = [ranked([result("a/x", at(100)), result("a/y", at(50))], str(clients)) for clients in range(1, 31)]
    found = sheet(chosen(*tables))
    assert len(found.rows) == MOST_ROWS
    assert found.note.endswith(f"{30 - MOST_ROWS} more loads and links are in the ranking.")


def test_one_fork_distinguishes_nothing_and_a_single_stack_is_no_choice() -> None:
    (one,) = chosen(ranked([result("a/x", (100.0,)), result("a/y", (50.0,))]))
    assert one.sure == "unknown: one fork gives no interval"
    assert chosen(ranked([result("a/x", at(100))])) == []


def test_languages_are_not_compared_as_messages() -> None:
    """A former defect: cold Java beside Rust was reported as a message that mattered by a factor of 120."""
    cells = [result("java/soap+tcp", at(10)), result("rust/bin+tcp", at(1200)), result("rust/bin+http", at(600))]
    assert effects(cells, {}) == {}
    assert headline.of_group(cast("Subject", Asked()), "g", [ranked(cells)]) == ""


def crossed(**rates: float) -> list[Result]:
    return [result(f"rust/{name.replace('_', '+')}", at(rate)) for name, rate in rates.items()]


def test_message_and_channel_are_compared_where_one_adapter_has_them_crossed() -> None:
    cells = crossed(soap_tcp=10, soap_http=5, bin_tcp=80, bin_http=40)
    text = effects([*cells, result("java/soap+tcp", at(1))], {})
    assert list(text) == ["rust"]
    said = "the message mattered more. The message changed the rate by a factor of 8 (soap to bin), the channel by 2 ("
    assert re.sub(r"\.0+(?= )", "", text["rust"]).startswith(said)


def test_a_message_with_two_libraries_is_not_compared_over_channels() -> None:
    libraries = {"rust/soap+tcp": "one", "rust/soap+http": "other"}
    cards = cast("PlannedStacks", {stack: {"library": name, "version": "1"} for stack, name in libraries.items()})
    assert effects(crossed(soap_tcp=10, soap_http=5, bin_tcp=80, bin_http=40), cards) == {}


def test_effects_that_are_alike_are_not_put_in_an_order() -> None:
    noise = ((1.0, 1.3, 0.8), (0.9, 1.0, 1.2), (1.2, 0.8, 1.0), (0.8, 1.1, 1.1))
    names = ("soap+tcp", "soap+http", "bin+tcp", "bin+http")
    cells = [
        result(f"rust/{name}", tuple(rate * one for one in own))
        for name, rate, own in zip(names, (20, 10, 40, 20), noise, strict=True)
    ]
    assert effects(cells, {})["rust"].startswith("it is undecided whether message or channel matters more")


@pytest.mark.parametrize("only", [("native/bin+supertcp",), ("native/bin+supertcp", "native/bin+http")])
def test_a_run_of_one_message_has_come_to_something(tmp_path: Path, only: tuple[str, ...]) -> None:
    """A former defect: "Nothing was measured" above full tables."""
    found = summary(subject(Record(write(tmp_path / "run", only=only)))).sentences
    told = {one.about: one.text for one in found}
    assert [told[group] for group in ("Sum", "GetPersons", "GetBinaryData") if "over supertcp" not in told[group]] == []


def test_the_choice_is_the_first_of_the_table(tmp_path: Path) -> None:
    only = ("native/bin+supertcp", "native/soap+supertcp", "native/bin+http", "native/soap+http")
    about = subject(Record(write(tmp_path / "run", only=only, quick=False)))
    every = rankings(about)
    found = choices(about, every)
    assert len(found) == len(every) == 3
    for table, one in zip(every, found, strict=True):
        first = table.standings[0]
        assert one.best is table.ranked[first.index]
        assert {each.id for each in one.ties} == {table.ranked[place].id for place in first.ties}
