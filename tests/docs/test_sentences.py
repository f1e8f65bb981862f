"""Pages in plain English: short sentences, and the terms of docs/glossary.md instead of older words."""

import re
from collections.abc import Iterator

import pytest

from conftest import ROOT

MOST_WORDS = 25
GUIDES = (
    "add-a-message",
    "advise",
    "believe-a-figure",
    "bring-your-own-client",
    "compare",
    "cpp",
    "datasnap",
    "dotnet",
    "external-servers",
    "gateway",
    "hosts",
    "install",
    "java",
    "links",
    "load",
    "load-a-server",
    "new-language",
    "node",
    "page",
    "nominet",
    "python",
    "python-api",
    "read-a-report",
    "rest-servers",
    "run-a-study",
    "stability",
    "windows",
    "wire-ledger",
    "your-payloads",
)
CONTRACTS = ("CONTRACT", "LOOP", "RUNNER", "SERVICE", "golden/traces/README", "golden/transcripts/README")
MIDDLEWARE = (
    "README",
    "burlap",
    "corba",
    "dcom",
    "dotnet-remoting",
    "grpc",
    "hessian",
    "httpinvoker",
    "remobjects",
    "rest-json",
    "rmi",
    "rmi-iiop",
    "soap-document-literal",
    "soap-rpc-encoded",
    "wcf",
    "xml-rpc",
)
REFERENCES = (
    "channels",
    "channels-supertcp",
    "command-line",
    "instrument",
    "links",
    "messages",
    "run-folder",
    "journal-lines",
    "situation",
    "study",
    "wire-ledger",
)
# A page that is rewritten in plain English is added here.
PAGES = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "docs/README.md",
    *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs" / "decisions").glob("*.md")),
    "docs/architecture.md",
    "docs/glossary.md",
    *(f"contract/{name}.md" for name in CONTRACTS),
    *(f"docs/guide/{name}.md" for name in GUIDES),
    *(f"docs/middleware/{name}.md" for name in MIDDLEWARE),
    *(f"docs/reference/{name}.md" for name in REFERENCES),
)
OLD_WORDS = re.compile(
    r"\b(made again|held against|reckon\w*|octets?|whoever|so sure|in the place of|what came out)\b", re.IGNORECASE
)
# What bench/middleware_pages.py writes.
_GENERATED = re.compile(r"<!-- (?:captured|costs): .*?<!-- end -->", re.DOTALL)
_FENCE = re.compile(r"^ *```.*?^ *```[^\n]*$", re.MULTILINE | re.DOTALL)
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_CODE = re.compile(r"``.*?``|`[^`]*`", re.DOTALL)
# A list item or a heading ends the paragraph before it.
_ITEM = re.compile(r"[-*] |\d+\. |#")
_END = re.compile(r"(?<=[.!?])[\"')*]*\s+| · ")


def paragraphs(page: str) -> Iterator[str]:
    """The text of a page without blocks of code, generated blocks, tables and pictures; code in a line is one word."""
    text = _CODE.sub("code", _LINK.sub(r"\1", _IMAGE.sub("", _FENCE.sub("", _GENERATED.sub("", page)))))
    lines: list[str] = []
    for line in (*text.splitlines(), ""):
        stripped = line.strip()
        if lines and (not stripped or stripped.startswith("|") or _ITEM.match(stripped)):
            yield " ".join(lines)
            lines = []
        if stripped and not stripped.startswith("|"):
            lines.append(stripped)


def sentences(page: str) -> Iterator[tuple[int, str]]:
    """Each sentence with its number of words."""
    for paragraph in paragraphs(page):
        for sentence in _END.split(paragraph):
            yield sum(bool(re.search(r"\w", word)) for word in sentence.split()), sentence


@pytest.mark.parametrize("page", PAGES)
def test_sentences_are_short(page: str) -> None:
    found = [sentence for words, sentence in sentences((ROOT / page).read_text()) if words > MOST_WORDS]
    assert not found, f"more than {MOST_WORDS} words"


@pytest.mark.parametrize("page", PAGES)
def test_no_older_words_are_left(page: str) -> None:
    text = _CODE.sub("code", _FENCE.sub("", (ROOT / page).read_text()))
    assert not OLD_WORDS.findall(text)


def test_a_long_sentence_is_found() -> None:
    long = "word " * 25 + "`and more` [word](link)."
    page = f"# A heading\n\nShort. {long}\n\n```\n{'code ' * 30}\n```\n| {'cell ' * 30}|\n"
    assert [words for words, _ in sentences(page)] == [2, 1, 27]
