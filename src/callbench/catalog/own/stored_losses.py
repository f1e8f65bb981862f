"""What a schema could not say of an imported service: from `service.toml` alone, so that reports need no compiler."""

import tomllib
from pathlib import Path

from callbench.catalog.own.place import SERVICE
from callbench.model.errors import BadInput
from callbench.model.service.schema import Loss


def stored_losses(folder: Path) -> list[Loss]:
    """Return the losses of a service, or none where the folder has no service.

    Raises:
        BadInput: the file is damaged.
    """
    file = folder / SERVICE
    if not file.is_file():
        return []
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
        return [
            Loss(str(place), str(loss["problem"]), str(loss["mapped"]))
            for loss in document.get("loss", ())
            for place in loss["places"]
        ]
    except (OSError, ValueError, KeyError, TypeError) as failure:
        raise BadInput(f"{file} is damaged: {' '.join(str(failure).split())}; import the service again") from failure
