"""The 27 documents of Viotti's size benchmark, each sent back as its own answer."""

from dataclasses import replace

from callbench.catalog.imports.fleet import published
from callbench.catalog.imports.samples import body
from callbench.catalog.imports.samples.collect import Collector
from callbench.catalog.imports.samples.exchange import Exchange
from callbench.catalog.imports.samples.secrets import SampleSecrets
from callbench.model.service.imported import Imported

NAME = "viotti"
ABOUT = "The 27 documents of Viotti's survey of JSON-compatible encodings, a call each."
_NOTES = (
    (
        "Documents: jviotti/binary-json-size-benchmark, commit 1075bc7, unchanged, Apache-2.0; "
        "they come from SchemaStore/schemastore, commit 0b6bd2a, Apache-2.0."
    ),
    "Licence and origin of each: studies/published/viotti/LICENSE and NOTICE.md of Callbench.",
    "A document is one sample, so its messages differ in words and numbers, but never in shape.",
)


def names() -> list[str]:
    """The documents."""
    return sorted(file.stem for file in (published.folder() / NAME).glob("*.json"))


def imported(documents: list[str], source: str) -> Imported:
    """The service of documents, with a call for each.

    Args:
        documents: their names.
        source: as the user named it.
    """
    collector = Collector(SampleSecrets(keep=True))
    for name in documents:
        value = body.parsed((published.folder() / NAME / f"{name}.json").read_bytes(), name)
        collector.add(Exchange(name, value, value, f"{name}#", f"{name}#", has_answer=False))
    service = collector.service(documents[0] if len(documents) == 1 else NAME, source, "fleet", [])
    return replace(service, notes=_NOTES)
