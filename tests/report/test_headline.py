"""The headline is made of the ranking: it names who leads and who cannot be told from them, for every load and link."""

import re
from pathlib import Path
from typing import Any, cast

import pytest

from callbench.report import headline
from callbench.report.effects import effects
from callbench.report.rankings import Ranking, rankings
from callbench.report.story import sentences
from callbench.report.subject import Subject, subject
from callbench.results import Latency, Result
from callbench.stats.interval import geometric_mean
from callbench.stats.ranking import standings
from callbench.store import Run
from report.synthetic import write

FIRST, LAST = "the fastest was {} (100 calls/s)", "the slowest {} (10 calls/s)"
STEADY = (1.0, 1.01, 0.99, 1.02, 0.98)


def result(stack: str, rates: tuple[float, ...], **attributes: str) -> Result:
    """A cell with a rate in each block."""
    adapter, _, name = stack.partition("/")
    message, _, channel = name.partition("+")
    own = {"cell": stack, "stack": stack, "adapter": adapter, "message": message, "channel": channel or "tcp"}
    return Result(
        attributes={**own, "group": "g", "clients": "1", "link": "loopback", **attributes},
        arguments={},
        calls=10,
        errors={},
        trials=len(rates),
        by_block={"rate_per_s": dict(enumerate(rates))},
        rate=geometric_mean(rates),
        latency=Latency(None, None, None),
        batched=False,
        agree=True,
    )


def at(rate: float, noise: tuple[float, ...] = STEADY) -> tuple[float, ...]:
    return tuple(rate * one for one in noise)


def ranked(cells: list[Result], clients: str = "1", link: str = "loopback") -> Ranking:
    return Ranking("g", clients, link, cells, cells, standings([one.by_block["rate_per_s"] for one in cells]))


class Asked:
    """What a headline asks of a subject."""

    every_name: dict[str, str] = {}  # noqa: RUF012 - never changed
    cards: dict[str, Any] = {}  # noqa: RUF012 - never changed


def told(*tables: Ranking) -> str:
    return headline.of_group(cast("Subject", Asked()), "g", tables)


def plain(text: str) -> str:
    """Leave the decimals of a figure out, which are not what is told here."""
    return re.sub(r"\.\d+(?= calls/s)", "", text)


def test_stacks_that_tie_are_not_called_fastest_and_slowest() -> None:
    noisy = [(50.0, 180.0, 90.0, 130.0, 75.0), (160.0, 60.0, 140.0, 80.0, 110.0), (90.0, 70.0, 190.0, 55.0, 120.0)]
    cells = [result(f"a/m{place}", rates) for place, rates in enumerate(noisy)]
    text = told(ranked(cells))
    assert text.startswith("the 3 cannot be told apart: from ")
    assert "fastest" not in text


def test_who_shares_the_first_place_is_named_with_it() -> None:
    alike = (1.02, 0.99, 1.01, 0.98, 1.0)
    cells = [result("a/slow", at(10)), result("a/one", at(100)), result("a/other", at(99.5, alike))]
    text = plain(told(ranked(cells)))
    assert (
        text == f"{FIRST.format('one over tcp')}, not told apart from other over tcp, {LAST.format('slow over tcp')}."
    )


def test_every_load_and_link_is_told_and_which() -> None:
    near = ranked([result("a/x", at(100)), result("a/y", at(50))])
    far = ranked([result("a/x", at(10)), result("a/y", at(20))], "50", "wan50")
    there = "the fastest was y over tcp (20 calls/s), the slowest x over tcp (10 calls/s)"
    here = "the fastest was x over tcp (100 calls/s), the slowest y over tcp (50 calls/s)"
    assert plain(told(near, far)) == f"with 1 client over loopback: {here}; with 50 clients over wan50: {there}."


def test_more_places_than_are_told_are_counted() -> None:
    tables = [ranked([result("a/x", at(100)), result("a/y", at(50))], str(clients)) for clients in range(1, 10)]
    assert told(*tables).endswith("The ranking has 3 more loads and links of this group.")


def test_languages_are_not_compared_as_messages() -> None:
    """What came of it: cold Java beside Rust, told as a message that mattered by a factor of 120."""
    cells = [result("java/soap+tcp", at(10)), result("rust/bin+tcp", at(1200)), result("rust/bin+http", at(600))]
    assert effects(cells, {}) == {}
    assert "matter" not in told(ranked(cells))


def crossed(**rates: float) -> list[Result]:
    return [result(f"rust/{name.replace('_', '+')}", at(rate)) for name, rate in rates.items()]


def test_message_and_channel_are_compared_where_one_adapter_has_them_crossed() -> None:
    cells = crossed(soap_tcp=10, soap_http=5, bin_tcp=80, bin_http=40)
    text = effects([*cells, result("java/soap+tcp", at(1))], {})
    assert list(text) == ["rust"]
    said = "the message mattered more; the message changed the rate by a factor of 8 (soap to bin), the channel by 2 ("
    assert re.sub(r"\.0+(?= )", "", text["rust"]).startswith(said)


def test_a_message_with_two_libraries_is_not_compared_over_channels() -> None:
    cards = {"rust/soap+tcp": {"library": "one"}, "rust/soap+http": {"library": "other"}}
    assert effects(crossed(soap_tcp=10, soap_http=5, bin_tcp=80, bin_http=40), cards) == {}


def test_effects_that_are_alike_are_not_put_in_an_order() -> None:
    noise = ((1.0, 1.3, 0.8), (0.9, 1.0, 1.2), (1.2, 0.8, 1.0), (0.8, 1.1, 1.1))
    names = ("soap+tcp", "soap+http", "bin+tcp", "bin+http")
    cells = [
        result(f"rust/{name}", tuple(rate * one for one in own))
        for name, rate, own in zip(names, (20, 10, 40, 20), noise, strict=True)
    ]
    assert effects(cells, {})["rust"].startswith("which of message and channel matters more cannot be told")


@pytest.mark.parametrize("only", [("native/bin+tcp",), ("native/bin+tcp", "native/bin+http")])
def test_a_run_of_one_message_has_come_to_something(tmp_path: Path, only: tuple[str, ...]) -> None:
    """What came of it: "Nothing was measured" above full tables."""
    found = sentences(subject(Run(write(tmp_path / "run", only=only))))
    assert [one.about for one in found] == ["Sum", "GetPersons", "GetBinaryData", "Claims"]
    assert all("over tcp" in one.text for one in found[:-1])


def test_the_headline_names_the_first_and_the_last_of_the_table(tmp_path: Path) -> None:
    only = ("native/bin+tcp", "native/soap+tcp", "native/bin+http", "native/soap+http")
    about = subject(Run(write(tmp_path / "run", only=only, quick=False)))
    for table, one in zip(rankings(about), sentences(about), strict=False):
        places = {table.ranked[each.index].attributes["stack"]: each for each in table.standings}
        fastest, slowest = one.text.partition(", the slowest ")[::2]
        for stack, each in places.items():
            message, _, channel = stack.removeprefix("native/").partition("+")
            assert (f"{message} over {channel}" in fastest) == (not each.behind)
            last = all(place not in other.behind for other in table.standings for place in [each.index])
            assert (f"{message} over {channel}" in slowest.partition(". ")[0]) == last
