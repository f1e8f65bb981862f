"""--select: one key's globs are alternatives, all keys must hold, and nothing is an error that says what there is."""

import hypothesis.strategies as some
import pytest
from hypothesis import given

from callbench.catalog import select
from callbench.model.cell import Cell, Load, Stack
from callbench.model.errors import BadInput

STACKS = {
    f"native/{message}+{channel}": Stack(f"native/{message}+{channel}", "native", message, channel, "rust", "", "")
    for message in ("soap", "bin", "bincomp")
    for channel in ("tcp", "http")
}
CELLS = [
    Cell(f"{group}-{stack}-{clients}", group, stack, call, {}, Load(clients, 1, 1))
    for stack in STACKS
    for group, call in (("Sum", "Sum"), ("zero", "GetBinaryData"))
    for clients in (1, 16)
]


def chosen(*texts: str) -> list[Cell]:
    return select.parse(texts).apply(CELLS, STACKS)


def test_no_selection_selects_all() -> None:
    assert chosen() == CELLS


@pytest.mark.parametrize(
    ("texts", "count"),
    [
        (["native/soap+tcp"], 4),
        (["native/bin*"], 16),
        (["*+tcp"], 12),
        (["message=bin"], 8),
        (["message=bin", "message=soap"], 16),
        (["message=bin", "channel=tcp"], 4),
        (["call=GetBinaryData", "clients=16"], 6),
        (["group=[sS]um", "link=loopback"], 12),
        (["stack=native/soap+tcp", "native/bin+tcp"], 8),
    ],
)
def test_globs(texts: list[str], count: int) -> None:
    assert len(chosen(*texts)) == count


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (["channel=udp"], "--select channel=udp matches nothing: the study has channel http, tcp"),
        (["message=bin", "clients=2"], "--select clients=2 matches nothing: the study has clients 1, 16"),
        (
            ["colour=blue"],
            "'colour' is not a key: stack, message, channel, message+channel, call, group, clients, arrivals, rate,",
        ),
        (
            ["message=bin", "message=xml"],
            "--select message=xml matches nothing: the study has message bin, bincomp, soap",
        ),
        (
            ["native/bin+tcp", "native/bin+tpc"],
            "stack=native/bin+tpc matches nothing: did you mean stack=native/bin+tcp?",
        ),
        (["tcp"], "--select stack=tcp matches nothing: did you mean channel=tcp?"),
        (["channel=TCP"], "did you mean channel=tcp?"),
        (["channel="], "has no pattern"),
        (["group=Sum", "call=GetBinaryData"], "no cell matches all keys"),
    ],
)
def test_what_selects_nothing_says_what_there_is(texts: list[str], says: str) -> None:
    with pytest.raises(BadInput) as raised:
        chosen(*texts)
    assert says in str(raised.value)


@given(
    some.lists(some.sampled_from(["message=bin", "message=soap", "channel=tcp", "clients=1", "*+http", "group=zero"]))
)
def test_more_alternatives_never_take_away(texts: list[str]) -> None:
    try:
        fewer = chosen(*texts)
    except BadInput:
        return
    more = chosen(*texts, *(f"{text.partition('=')[0]}=*" for text in texts if "=" in text))
    assert set(map(id, fewer)) <= set(map(id, more))
