"""A study that the program makes itself: its parts as objects, and no file of a person's."""

from pathlib import Path

import tomli_w

from callbench.catalog.own import study as own_study
from callbench.catalog.study.check import check
from callbench.catalog.study.load import Study
from callbench.catalog.study.model import StudyPart


def made(name: str, part: StudyPart, service: Path | None = None) -> Study:
    """Return a study of parts that are known already. Its text, which a run keeps a copy of, says the same.

    Args:
        name: as a file name without its ending.
        part: what it measures.
        service: the folder of the imported service whose calls it makes; None: Callbench's own calls.

    Raises:
        BadInput: the parts do not fit together, or the folder of the service cannot be read.
    """
    file = f"{name}.toml" if service is None else own_study.STUDY
    path = (service or Path()) / file
    check(part, None, str(path), () if service is None else own_study.calls(service))
    text = tomli_w.dumps(part.model_dump(exclude_defaults=True, exclude_none=True))
    return Study(
        name=name,
        path=path,
        source=text.encode(),
        part=part,
        published=None,
        published_source=None,
        parameters=part.parameters,
    )
