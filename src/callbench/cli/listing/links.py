"""The links that come with Callbench."""

from typing import Any

from callbench.adapter.network import creation
from callbench.catalog.links import profile
from callbench.catalog.reach import LOOPBACK

COLUMNS = ("link", "to_server", "to_client", "maker", "about", "why_not")


def rows() -> list[dict[str, Any]]:
    """Every link that comes along, each tried out: whether it can be made here, and who makes it."""
    found: list[dict[str, Any]] = [
        {
            "link": LOOPBACK,
            "about": "client and server on this machine",
            "to_server": "",
            "to_client": "",
            "usable": True,
            "why_not": None,
            "maker": None,
            "why_emulated": None,
            "source": "",
        }
    ]
    for name, link in profile.builtin_links().items():
        attempt = creation.try_link(link.wire)
        found.append(
            {
                "link": name,
                "about": link.about,
                "to_server": link.describe("to_server"),
                "to_client": link.describe("to_client"),
                "usable": attempt.maker is not None,
                "why_not": attempt.why_not,
                "maker": attempt.maker,
                "why_emulated": attempt.why if attempt.maker else None,
                "source": link.source,
            }
        )
    return found
