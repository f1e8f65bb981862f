"""The payloads that come along."""

from callbench.catalog.imports.fleet import named

COLUMNS = ("payloads", "about")


def rows() -> list[dict[str, str]]:
    """Each with one sentence."""
    return [{"payloads": name, "about": about} for name, about in named.names().items()]
