"""The native adapter with the calls of the service with everything: the cache keeps it, for all tests and for later."""

from pathlib import Path

from everything_service import SERVICE

from callbench.catalog import catalogue
from callbench.catalog.manifest import Manifest
from callbench.catalog.own import folder
from callbench.runner.plan import own_service


def compiled(within: Path) -> Manifest:
    """Writes the service's folder into another one, and compiles its calls unless the cache has them."""
    folder.write(within / "everything", SERVICE)
    return own_service.added(catalogue.load(), within / "everything").adapter("native").manifest
