"""What a comparison is asked for: its two operands, shares and times."""

import re
from typing import Any

import pytest

from callbench.analysis.compare.comparison import RuleOptions
from callbench.catalog import catalogue
from callbench.cli.recorded.command import Ending
from callbench.cli.recorded.compare import CompareCommand
from callbench.model import quantities
from callbench.model.errors import BadInput
from callbench.runner.compare import command as command_
from callbench.runner.compare import operands
from callbench.runner.compare.execution import ComparisonRequest
from conftest import MISBEHAVING


@pytest.mark.parametrize(
    ("a", "b", "wish", "says"),
    [
        ("honest/tcp", None, {}, "compare honest/tcp with what?"),
        ("honest/tcp", "honest/tpc", {}, "did you mean honest/tcp"),
        ("honest/tcp", "honest/tcp@nowhere", {}, "there is no adapter.toml and no program at nowhere"),
        ("honest/tcp", f"honest/udp@{MISBEHAVING / 'honest'}", {}, "has no stack honest/udp: it has honest/inproc, "),
        ("honest/tcp", "honest/tcp@/etc/hostname", {}, "honest/tcp cannot run here: its program /etc/hostname is not"),
        ("honest/*", "honest/nothing*", {}, "there is no stack 'honest/nothing*'"),
        ("honest/tcp", "honest/tcp?slow", {}, "'slow' is not NAME=NUMBER"),
        ("honest/tcp", "honest/tcp?burn_us=1e3", {}, "'burn_us=1e3' is not NAME=NUMBER"),
        ("honest/tcp", "honest/tcp", {"calls": ["Som"]}, "Sum"),
        ("honest/tcp", "honest/tcp", {"calls": ["GetPersons"]}, "arguments.n is missing"),
        ("honest/tcp", "honest/tcp", {"calls": ["GetPersons:250"]}, "'250' is not NAME=VALUE"),
        ("honest/tcp", "honest/tcp", {"groups": ["Sum"]}, "--group needs --study"),
        ("honest/tcp", "honest/tcp", {"study": "remobjects", "calls": ["Sum"]}, "either --call or --study"),
        ("honest/tcp", "honest/tcp", {"study": "remobjects", "groups": ["Som"]}, 'has no group "Som"'),
    ],
)
def test_what_is_wrong_is_one_sentence(a: str, b: str | None, wish: dict[str, Any], says: str) -> None:
    request, limits = ComparisonRequest(a, b or "", **wish), RuleOptions()
    command = CompareCommand(request, limits, catalogue.load([MISBEHAVING]), Ending())
    with pytest.raises(BadInput, match=re.escape(says)):
        command.tell(command_.read_stored(a, b, limits) or command.result(command.measured()))


def test_several_are_paired_by_name() -> None:
    known = catalogue.load([MISBEHAVING])
    both, other = operands.candidates("honest", known), operands.candidates("lies/*", known)
    assert [(one.stack.id, two.stack.id) for one, two in operands.pairs(both, [*other, both[0]])] == [
        ("honest/inproc", "honest/inproc"),
        ("honest/tcp", "lies/tcp"),
    ]
    with pytest.raises(BadInput, match="no stack of the first has the name of one of the second"):
        operands.pairs(both[:1], [one for one in [*other, *other] if one.name == "tcp"])


@pytest.mark.parametrize(("text", "is_"), [("2%", 0.02), ("0.02", 0.02), (" 0.5 % ", 0.005)])
def test_shares(text: str, is_: float) -> None:
    assert quantities.share(text, "--until") == pytest.approx(is_)


@pytest.mark.parametrize("text", ["", "much", "0%", "100%", "-1%", "nan", "2 m", "1e-3%"])
def test_what_is_no_share(text: str) -> None:
    with pytest.raises(BadInput, match="--until"):
        quantities.share(text, "--until")


@pytest.mark.parametrize(("text", "is_"), [("10m", 600), ("90s", 90), ("1.5h", 5400), ("7", 7)])
def test_times(text: str, is_: float) -> None:
    assert quantities.seconds(text, "--budget") == is_


@pytest.mark.parametrize("text", ["", "soon", "0s", "-3s", "10 days", "2%"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(BadInput, match="--budget"):
        quantities.seconds(text, "--budget")
