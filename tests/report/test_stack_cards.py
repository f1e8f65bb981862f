"""Cards of stacks on a page: each fact is said once, and none is lost."""

from typing import cast

from callbench.model.card import PlannedStack
from callbench.report.export.stack_cards import said_once


def stack(message: str, channel: str, about: str = "", **card: str) -> PlannedStack:
    made = {
        "id": f"native/{message}+{channel}",
        "adapter": "native",
        "message": message,
        "channel": channel,
        "language": "rust",
        "library": f"lib of {message}",
        "version": "1.0",
        "card": {"server_model": f"server of {channel}", "about": about, **card},
        "lacks": {"EchoString/nul": "XML cannot", "EchoString/control": "XML cannot"} if message == "soap" else {},
    }
    return cast("PlannedStack", made)


def test_what_stacks_have_alike_is_said_once_and_the_rest_of_each_by_itself() -> None:
    cards = said_once([
        stack("soap", "tcp", "SOAP; a socket"),
        stack("soap", "shm", "SOAP; memory", slow="at first"),
        stack("json", "tcp", "JSON; a socket"),
        stack("json", "shm", "JSON; memory"),
    ])  # fmt: skip
    assert {card.title: dict(card.facts) for card in cards} == {
        "native/soap+*: 2 stacks": {
            "language": "rust",
            "library": "lib of soap 1.0",
            "about": "SOAP",
            "lacks EchoString/nul, EchoString/control": "XML cannot",
        },
        "native/json+*: 2 stacks": {"language": "rust", "library": "lib of json 1.0", "about": "JSON"},
        "native/*+tcp: 2 stacks": {"server": "server of tcp", "about": "a socket"},
        "native/*+shm: 2 stacks": {"server": "server of shm", "about": "memory"},
        "native/soap+shm": {"slow": "at first"},
    }


def test_a_stack_alone_has_its_whole_card() -> None:
    (card,) = said_once([stack("soap", "tcp", "SOAP; a socket")])
    assert card.title == "native/soap+tcp"
    assert dict(card.facts)["about"] == "SOAP; a socket"
