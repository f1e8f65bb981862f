"""Who can call over which channel, and what encrypts: what the manifests say, and what an advice makes of it."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from callbench.analysis.advice.advice import of_figures
from callbench.analysis.advice.figures import Every, Figures, OverLink
from callbench.analysis.advice.requirements import LeftOutStack, candidates, wants_tls
from callbench.catalog import catalogue
from callbench.catalog.callers import narrower, why_not_called_by
from callbench.catalog.reach import why_not_over
from callbench.model.cell import Stack
from callbench.model.objective import parse
from callbench.model.situation import Callers, Goal, Situation, SituationLink
from callbench.report.advice.calling import assumed, encryption

if TYPE_CHECKING:
    from callbench.model.card import StackCard

STACKS = {stack.id: stack for stack in catalogue.load().every}
BROWSERS = {"http", "http-keepalive", "http-keepalive-gzip", "https", "https-keepalive", "https-keepalive-gzip",
            "http2-tls", "http2-tls-gzip"}  # fmt: skip
OTHERS = BROWSERS | {"http2", "grpc", "grpc-tls", "http-keepalive-zstd", "https-keepalive-zstd", "http2-tls-zstd"}
FAR = OTHERS | {"tcp", "tcp-tls", "supertcp"}
PLAIN = {"tcp", "supertcp", "http", "http-keepalive", "http-keepalive-gzip", "http-keepalive-zstd", "http2", "grpc"}


def _native() -> list[Stack]:
    return [stack for stack in STACKS.values() if stack.adapter == "native"]


@pytest.mark.parametrize(("callers", "channels"), [(Callers.BROWSERS, BROWSERS), (Callers.OTHERS, OTHERS)])
def test_who_can_call_over_which_channel(callers: Callers, channels: set[str]) -> None:
    """No page opens a socket, speaks HTTP/2 without TLS or gRPC; nobody knows a framing of our own."""
    can = {one.channel for one in _native() if why_not_called_by(callers, one.channel, one.card) is None}
    assert can & FAR == channels
    assert not [one for one in _native() if why_not_called_by(Callers.OWN, one.channel, one.card)]


def test_what_leaves_the_host() -> None:
    assert {one.channel for one in _native() if why_not_over(one, "wan50") is None} == FAR


def test_what_encrypts() -> None:
    assert {one.channel for one in _native() if one.card.get("tls")} == FAR - PLAIN


@pytest.mark.parametrize(
    ("stack", "callers"),
    [
        ("java/rmi", Callers.OTHERS),
        ("java/grpc", Callers.OTHERS),
        ("go/json+nethttp", Callers.BROWSERS),
        ("cpp/corba-omniorb", Callers.OTHERS),
        ("dotnet/remoting-tcp", Callers.OWN),
    ],
)
def test_the_stacks_of_other_languages_say_it_too(stack: str, callers: Callers) -> None:
    assert STACKS[stack].card["callers"] == callers


def test_a_mixed_stack_is_called_by_who_can_call_both() -> None:
    assert narrower({"callers": "browsers"}, {"callers": "others"}) is Callers.OTHERS
    assert narrower({"callers": "browsers"}, {}) is Callers.OWN


_WAY = {
    "connections": 0.0,
    "packets": 1.0,
    "ip": 20.0,
    "tcp": 32.0,
    "payload": 100.0,
    "retransmitted": 0.0,
    "turns": 1.0,
}
ACCOUNT = [_WAY, _WAY]


def _every(*stacks: str) -> Every:
    there = OverLink({"mean_us": {1: 100.0, 2: 101.0}}, {}, {})
    figures = [
        Figures(name, "Order", "Order", STACKS[name].message, STACKS[name].channel, there, ACCOUNT, 100.0,
                card=STACKS[name].card)
        for name in stacks
    ]  # fmt: skip
    return {(one.stack, one.group): one for one in figures}


EVERY = _every(
    "native/protobuf+tcp", "native/protobuf+tcp-tls", "native/json+http-keepalive", "native/json+https-keepalive",
    "native/json+https-keepalive-gzip", "native/json+https-keepalive-zstd", "native/protobuf+grpc-tls",
    "native/json+http2-tls",
)  # fmt: skip
HERE = Situation([SituationLink("loopback", {}, 1.0)], goal=Goal.TIME)


def _kept(every: Every, situation: Situation) -> set[str]:
    names, _ = candidates(every, situation, {"Order": 1.0})
    return {name.removeprefix("native/") for name in names}


def test_calls_of_ones_own_go_over_tls_in_any_framing() -> None:
    assert _kept(EVERY, HERE) == {
        "protobuf+tcp-tls", "json+https-keepalive", "json+https-keepalive-gzip", "json+https-keepalive-zstd",
        "protobuf+grpc-tls", "json+http2-tls",
    }  # fmt: skip


def test_a_private_framing_is_ruled_out_where_others_call() -> None:
    """And the reason is on the page."""
    situation = replace(HERE, callers=Callers.OTHERS)
    names, out = candidates(EVERY, situation, {"Order": 1.0})
    assert "native/protobuf+tcp-tls" not in names
    assert (
        LeftOutStack("native/protobuf+tcp-tls", ["programs of others cannot call over the channel tcp-tls"], True)
        in out
    )
    assert "native/protobuf+grpc-tls" in names


def test_browsers_have_http_alone() -> None:
    assert _kept(EVERY, replace(HERE, callers=Callers.BROWSERS)) == {
        "json+https-keepalive", "json+https-keepalive-gzip", "json+http2-tls",
    }  # fmt: skip


def test_without_tls_if_that_is_said_or_today_is_plain() -> None:
    assert "json+http-keepalive" in _kept(EVERY, replace(HERE, tls=False))
    today = replace(HERE, today="native/json+http-keepalive")
    assert "protobuf+tcp" in _kept(EVERY, today)
    # What runs today is compared with the others, whatever it is.
    assert _kept(EVERY, replace(today, tls=True)) == _kept(EVERY, HERE) | {"json+http-keepalive"}


def test_what_was_not_measured_over_tls_is_compared_without_it() -> None:
    plain = _every("native/protobuf+tcp", "native/json+http-keepalive")
    assert _kept(plain, HERE) == {"protobuf+tcp", "json+http-keepalive"}


def test_tls_is_the_default() -> None:
    cards: dict[str, StackCard] = {"a/plain": {}, "a/secure": {"tls": True}}
    assert wants_tls(HERE, cards)
    assert not wants_tls(replace(HERE, today="a/plain"), cards)
    assert wants_tls(replace(HERE, today="a/secure"), cards)
    assert wants_tls(replace(HERE, today="a/plain", tls=True), cards)


@pytest.mark.parametrize(
    ("every", "said", "sentences"),
    [
        (EVERY, {}, ["Only programs of your own call, so any framing", "Calls go over TLS. If they do not"]),
        (EVERY, {"tls": True, "callers": Callers.OTHERS}, []),
        (EVERY, {"tls": False, "callers": Callers.BROWSERS}, []),
        (
            EVERY,
            {"today": "native/json+http-keepalive", "callers": Callers.OTHERS},
            ["Calls are not encrypted, because native/json+http-keepalive is not, which runs today."],
        ),
        (
            _every("native/protobuf+tcp", "native/json+http-keepalive"),
            {"callers": Callers.OWN},
            ["Only programs of your own", "because no candidate was measured over TLS"],
        ),
    ],
)
def test_what_nobody_said_is_named(every: Every, said: dict[str, Any], sentences: list[str]) -> None:
    found = list(assumed(of_figures(every, replace(HERE, **said))))
    assert len(found) == len(sentences)
    assert all(part in sentence for part, sentence in zip(sentences, found, strict=True))


def test_tls_was_measured_where_all_of_it_fails_the_objective() -> None:
    """None of it is a candidate any more; it was measured all the same."""
    advice = of_figures(EVERY, replace(HERE, objective=parse("mean under 0.01 ms")))
    assert set(advice.failing) >= {"native/protobuf+tcp-tls", "native/json+https-keepalive"}
    assert encryption(advice) == "TLS"
    assert [sentence for sentence in assumed(advice) if "encrypted" in sentence] == []
