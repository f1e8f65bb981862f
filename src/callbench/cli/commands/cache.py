"""`callbench cache`."""

from typing import Annotated

import typer

from callbench.cli.options.parameters import AsJson
from callbench.cli.outcome.output import print_line, show_rows


def command(
    clear: Annotated[bool, typer.Option("--clear", help="Remove everything that no program uses now.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show or clear what was compiled for services of your own.

    The cache is limited to CALLBENCH_CACHE_GB, 2 by default. The least recently used entries are removed first.
    """
    from callbench.adapter.generators import compiled_cache

    if clear:
        print_line(f"removed {compiled_cache.trim(0) / 1e6:,.1f} MB from {compiled_cache.place()}")
        return
    root = compiled_cache.place()
    rows = [
        {"entry": str(entry.path.relative_to(root)), "MB": round(entry.size / 1e6, 1)}
        for entry in reversed(compiled_cache.entries())
    ]
    show_rows(rows, ("entry", "MB"), as_json=as_json)
