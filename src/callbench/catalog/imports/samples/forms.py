"""Samples of any form, one after the other, as one service."""

from collections.abc import Iterator, Sequence

from callbench.catalog.imports.samples import files
from callbench.catalog.imports.samples.collect import Collector
from callbench.catalog.imports.samples.exchange import Exchange
from callbench.catalog.imports.samples.left_out import LeftOut
from callbench.catalog.imports.samples.secrets import SampleSecrets
from callbench.catalog.imports.source import Options, Source
from callbench.model.service.imported import Imported

CAPTURE, HAR, LOG, SAMPLES = "capture", "har", "log", "samples"
CAPTURES = (b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\xc3\xd4", b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d", b"\x0a\x0d\x0d\x0a")
SUFFIXES = (".json", ".har", *files.LINES)


def read(sources: Sequence[Source], options: Options, form: str = "") -> Imported:
    """The service that samples show.

    Args:
        sources: files, of any of the forms.
        options: what the user allows.
        form: of all of them; otherwise each by its name and its first bytes.

    Raises:
        BadInput: a file cannot be read, samples contradict each other, or there is none.
    """
    secrets, left_out = SampleSecrets(keep=options.secrets), LeftOut()
    collector = Collector(secrets, unions=options.unions)
    for exchange in exchanges(sources, form, secrets, left_out):
        collector.add(exchange)
    forms = {form or _form(source) for source in sources}
    names = ", ".join(source.name for source in sources[:3]) + (f" and {len(sources) - 3} more" if sources[3:] else "")
    name = options.name or files.call_of(sources[0])
    return collector.service(name, names, " and ".join(sorted(forms)), left_out.notes(), options.answers)


def exchanges(sources: Sequence[Source], form: str, secrets: SampleSecrets, left_out: LeftOut) -> Iterator[Exchange]:
    """The samples of files, one after the other.

    Args:
        sources: of any of the forms.
        form: of all of them; otherwise each by its name and its first bytes.
        secrets: what counts headers with secrets.
        left_out: what counts requests that are no samples.

    Raises:
        BadInput: a file cannot be read.
    """
    forms = [form or _form(source) for source in sources]
    yield from files.exchanges([source for source, of in zip(sources, forms, strict=True) if of == SAMPLES], left_out)
    for source, of in zip(sources, forms, strict=True):
        yield from _exchanges(source, of, secrets, left_out)


def _form(source: Source) -> str:
    if source.head.startswith(CAPTURES):
        return CAPTURE
    if source.suffix == ".har":
        return HAR
    return LOG if source.suffix in files.LINES else SAMPLES


def _exchanges(source: Source, form: str, secrets: SampleSecrets, left_out: LeftOut) -> Iterator[Exchange]:
    if form == LOG:
        return files.in_lines(source, left_out)
    if form == HAR:
        from callbench.catalog.imports.samples import har  # noqa: PLC0415 - others need not wait for it

        return har.exchanges(source, secrets, left_out)
    if form == CAPTURE:
        from callbench.catalog.imports.samples import capture  # noqa: PLC0415 - its libraries take time to load

        return capture.exchanges(source, secrets, left_out)
    return iter(())
