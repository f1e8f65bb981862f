"""The classes of an imported service, compiled by javac against the jars of the Java adapter, and kept in the cache."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from callbench.adapter import temporary
from callbench.adapter.generators import compiler, set_up
from callbench.adapter.generators.announced import announced
from callbench.adapter.generators.java import description, jackson, jaxb, stubs, wsdl
from callbench.adapter.generators.java.names import safe
from callbench.adapter.generators.kept import kept
from callbench.adapter.generators.properties import FILE, properties
from callbench.model.errors import BadInput
from callbench.model.service.imported import Imported
from callbench.model.service.schema import Schema


def built(service: Imported, _folder: Path) -> tuple[str, ...]:
    """The command of the runner with the calls of a service. Compiles them unless the cache has them.

    Args:
        service: what is compiled; its payloads do not matter.
        _folder: the service's. All is made from the schema.

    Raises:
        BadInput: the adapter is not built, or the JDK's compiler is missing.
        CallbenchError: the compiler refuses the code, or the cache cannot be written.
    """
    launcher = set_up.launcher("adapters/java", "callbench-java", "java")
    adapter = set_up.place("adapters/java")
    schema = safe(service.schema)
    classes = kept("java", _parts(schema, adapter), lambda made: _compile(schema, adapter, made))
    # The slash makes it a folder of classes for Java.
    return (str(launcher), f"{classes}/")


def _parts(schema: Schema, adapter: Path) -> Iterator[bytes]:
    """What the classes are made of: the schema, the generator, the kit, and the versions of the libraries."""
    yield description.description(schema).encode()
    yield stubs.proto(schema).encode()
    yield wsdl.wsdl(schema).encode()
    for module in sorted(Path(__file__).parent.glob("*.py")):
        yield module.read_bytes()
    for jar in _jars(adapter):
        yield jar.read_bytes() if jar.name.startswith("kit-") else jar.name.encode()


def _jars(adapter: Path) -> list[Path]:
    """The jars that the classes need: of the kit, and of each technology that carries calls of the user's own."""
    lib = adapter / "target" / "lib"
    own = [file.parent for file in sorted(lib.glob(f"*/{FILE}")) if "own" in properties(file)]
    return [jar for folder in (lib / "kit", *own) for jar in sorted(folder.glob("*.jar"))]


def _compile(schema: Schema, adapter: Path, made: Path) -> None:
    """Compiles into an empty folder.

    Raises:
        BadInput: javac or a part of the adapter is missing.
        CallbenchError: a compiler refuses the code.
        OSError: a file cannot be written.
    """
    javac = shutil.which("javac")
    if javac is None:
        raise BadInput(
            "javac is missing, which compiles the calls of a service of your own for Java; this installs it:"
            " callbench setup java"
        )
    with announced("Java", "some seconds"), temporary.folder("callbench-javac-") as scratch:
        sources = scratch / "sources"
        for path, source in (jackson.sources(schema) | jaxb.sources(schema)).items():
            _write(sources / path, source)
        stubs.generate(schema, adapter, scratch, sources)
        _write(made / description.FILE, description.description(schema))
        _write(made / wsdl.FILE, wsdl.wsdl(schema))
        listed = scratch / "files"
        listed.write_text("\n".join(f'"{path}"' for path in sorted(sources.rglob("*.java"))))
        command = [javac, "--release", "17", "-encoding", "UTF-8", "-nowarn", "-proc:none", "-d", str(made)]
        command += ["-classpath", ":".join(map(str, _jars(adapter))), f"@{listed}"]
        compiler.run(command, "javac could not compile the service")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
