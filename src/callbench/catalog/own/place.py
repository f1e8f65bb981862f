"""Which folder holds an imported service. This file imports nothing that takes time."""

from pathlib import Path

SERVICE = "service.toml"
SCHEMA = "schema.proto"


def is_service(folder: Path) -> bool:
    """Whether a folder holds an imported service."""
    return (folder / SERVICE).is_file() and (folder / SCHEMA).is_file()
