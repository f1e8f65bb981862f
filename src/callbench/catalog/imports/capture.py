"""Captures of packets, by tcpdump and others."""

from collections.abc import Sequence

from callbench.catalog.imports.samples import forms
from callbench.catalog.imports.source import Options, Source
from callbench.model.service.imported import Imported


def read(sources: Sequence[Source], options: Options) -> Imported:
    """Reads a capture.

    Raises:
        BadInput: it cannot be read, or its samples contradict each other.
    """
    return forms.read(sources, options, forms.CAPTURE)
