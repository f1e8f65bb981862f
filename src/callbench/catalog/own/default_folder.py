"""Where an import puts the folder of a service, if nobody names a folder."""

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from callbench.model.service.imported import Imported


def default_folder(documents: Sequence[str], service: Imported) -> Path:
    """Return the folder: the first document's name without its endings, under the current folder.

    A folder of samples already has that name, and payloads that come along have no file. Then it is the service's name.
    """
    text = documents[0] if documents else ""
    document = Path(urlsplit(text).path) if "://" in text else Path(text)
    stem = document.name.partition(".")[0]
    named = Path(stem)
    if stem and (document.is_file() or "://" in text) and not named.is_file():
        return named
    return Path(service.schema.name)
