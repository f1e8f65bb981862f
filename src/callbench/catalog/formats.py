"""What is known of the messages and channels that stacks are made of, beyond what a measurement shows.

Who can read a message, whether a browser can make the call, and for which languages there is a library. A message that
is not listed is one of which nothing is known.
"""

from collections.abc import Mapping
from dataclasses import dataclass

_JVM = frozenset({"java"})
_DOTNET = frozenset({"c#"})
# What people also call a language, or one that uses the libraries of another.
ALSO = {
    "cpp": "c++", "csharp": "c#", "dotnet": "c#", "js": "javascript", "node": "javascript", "typescript": "javascript",
    "kotlin": "java", "scala": "java", "delphi": "pascal", "golang": "go",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Format:
    """A message format.

    Attributes:
        text: whether a person can read it without a program.
        languages: those with a library that is kept up; None: every common one.
        browser: whether a page in a browser can write and read it, with a library or without.
        source: who says so.
    """

    text: bool
    languages: frozenset[str] | None
    browser: bool
    source: str


_CORBA = frozenset({"c++", "java", "python"})
_OBJECTS = "the format of one runtime's own objects"
FORMATS: Mapping[str, Format] = {
    "json": Format(text=True, languages=None, browser=True, source="RFC 8259"),
    "xmlrpc": Format(text=True, languages=None, browser=True, source="xmlrpc.com, UserLand 1999"),
    "soap": Format(text=True, languages=None, browser=True, source="W3C SOAP 1.1 and 1.2"),
    "xml": Format(text=True, languages=None, browser=True, source="W3C XML 1.0"),
    "protobuf": Format(text=False, languages=None, browser=True, source="protobuf.dev, supported languages"),
    "msgpack": Format(text=False, languages=None, browser=True, source="msgpack.org, list of implementations"),
    "cbor": Format(text=False, languages=None, browser=True, source="RFC 8949; cbor.io, list of implementations"),
    "avro": Format(text=False, languages=None, browser=True, source="avro.apache.org, supported languages"),
    "flatbuffers": Format(text=False, languages=None, browser=True, source="flatbuffers.dev, supported languages"),
    "burlap": Format(text=True, languages=_JVM, browser=False, source="caucho.com; other libraries are no longer kept"),
    "hessian1": Format(text=False, languages=_JVM | {"python"}, browser=False, source="caucho.com; python-hessian"),
    "hessian2": Format(text=False, languages=_JVM | {"python", "go"}, browser=False, source="caucho.com; Apache Dubbo"),
    "java-serialization": Format(text=False, languages=_JVM, browser=False, source=_OBJECTS),
    "nrbf": Format(text=False, languages=_DOTNET, browser=False, source=_OBJECTS),
    "soap-remoting": Format(text=True, languages=_DOTNET, browser=False, source=_OBJECTS),
    "soap-binary": Format(text=False, languages=_DOTNET, browser=False, source="MC-NBFX; WCF alone speaks it"),
    "cdr": Format(text=False, languages=_CORBA, browser=False, source="OMG CORBA 3.4; omniORB, JacORB"),
    "ndr": Format(text=False, languages=frozenset({"c++", "c#"}), browser=False, source="DCE 1.1; Windows"),
    "bin": Format(text=False, languages=frozenset({"pascal"}) | _DOTNET, browser=False, source="RemObjects SDK"),
    "bincomp": Format(text=False, languages=frozenset({"pascal"}) | _DOTNET, browser=False, source="RemObjects SDK"),
}
# Native stacks have every message in Rust, whatever else there is.
OWN = "rust"


def plain(language: str) -> str:
    """Return the usual name of a language: `go` for `Golang`."""
    named = language.strip().lower()
    return ALSO.get(named, named)


def why_not_in(message: str, language: str) -> str | None:
    """Return why a language cannot take part; None if it can or nothing is known."""
    known = FORMATS.get(message)
    if known is None or known.languages is None or plain(language) in known.languages | {OWN}:
        return None
    return f"no kept library of {message} for {language} is known"


def why_not_in_browsers(message: str) -> str | None:
    """Return why a page in a browser cannot read a message; None if it can or nothing is known."""
    known = FORMATS.get(message)
    return None if known is None or known.browser else f"no library of {message} for browsers is known"


def why_not_readable(message: str) -> str | None:
    """Return why people cannot read a message; None if they can or nothing is known."""
    known = FORMATS.get(message)
    return None if known is None or known.text else f"{message} is binary"
