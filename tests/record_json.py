"""`record.json` for the folders that tests write themselves."""

from collections.abc import Mapping
from typing import Any

from callbench.store.head import head

# What the file has beside the request.
MEMBERS = ("format", "kind", "callbench", "title", "started", "finished", "state")


def record_json(kind: str, flat: Mapping[str, Any]) -> dict[str, Any]:
    """Return a file's content: the members named as those above, all others under `request`."""
    request = {name: value for name, value in flat.items() if name not in MEMBERS}
    return {**head(kind, "", request), **{name: value for name, value in flat.items() if name in MEMBERS}}
