"""Samples of requests and answers: files, logs, HAR files and captures, and the schema that is inferred from them."""

from collections.abc import Sequence

from callbench.catalog.imports.source import Options, Source
from callbench.model.service.imported import Imported


def read(sources: Sequence[Source], options: Options) -> Imported:
    """Reads samples: `NAME.json`, `NAME.request.json` with `NAME.answer.json`, and files of the other forms.

    Raises:
        BadInput: a file cannot be read, or samples contradict each other.
    """
    from callbench.catalog.imports.samples import forms  # noqa: PLC0415 - it needs this package

    return forms.read(sources, options)
