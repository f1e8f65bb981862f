"""A record as one file, as an answer."""

import tempfile
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.responses import FileResponse

from callbench.model.errors import CallbenchError
from callbench.store import packed


def exported(record: Path, kept: Path) -> FileResponse:
    """Return a record as one file, which is removed when it was sent.

    Args:
        record: its folder.
        kept: a folder for the file.

    Raises:
        CallbenchError: it cannot be packed.
    """
    with tempfile.NamedTemporaryFile(dir=kept, suffix=".zip", delete=False) as made:
        file = Path(made.name)
    try:
        packed.pack(record, file)
    except CallbenchError:
        file.unlink()
        raise
    return FileResponse(
        file, media_type="application/zip", filename=f"{record.name}.zip", background=BackgroundTask(file.unlink)
    )
