"""The runner of C++ with the calls of an imported service: generated code, linked with what `setup/cpp` built."""

import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from callbench.adapter.generators import compiler, set_up
from callbench.adapter.generators.announced import announced
from callbench.adapter.generators.cpp import structs, stubs
from callbench.adapter.generators.kept import kept
from callbench.model.errors import BadInput
from callbench.model.service.imported import Imported

_PROGRAM = "callbench-cpp"
_TOOLS = ("g++", "protoc", "grpc_cpp_plugin")
_BUILT = ("libown-grpc.a", "libown-json.a", "libkit.a")
"""What does not depend on the service, in the order of the linker."""
# gRPC's headers use symbols of the libraries that it is linked with itself.
_LIBRARIES = ("-Wl,--copy-dt-needed-entries", "-lgrpc++", "-lgrpc", "-lgpr", "-lprotobuf", "-lcrypto", "-pthread")
_FOLDERS = ("grpc", "json", "kit", "own")
_UNITS = {"program.cpp": "program.o", "service.pb.cc": "service.pb.o", "structs.cpp": "structs.o"}
_OPTIONS = ("-std=c++20", "-DNDEBUG", "-w")


def built(service: Imported, folder: Path) -> tuple[str, ...]:
    """The command of a runner that has the calls of a service. Compiles it unless the cache has it.

    Args:
        service: what is compiled; its payloads do not matter.
        folder: the service's. All is made from the schema.

    Raises:
        BadInput: the adapter is not set up, or a tool is missing.
        CallbenchError: a compiler refuses the code, or the disk is full.
    """
    del folder
    tools = {name: _tool(name) for name in _TOOLS}
    adapter = set_up.place("adapters/cpp")
    libraries = [adapter / "build" / name for name in _BUILT]
    if missing := next((library for library in libraries if not library.is_file()), None):
        raise BadInput(f"the C++ adapter is not complete, {missing} is missing: run `callbench setup cpp`")
    code = {
        stubs.FILE: stubs.proto(service.schema),
        "program.cpp": stubs.program(service.schema),
        "structs.cpp": structs.source(service.schema),
    }

    def make(folder: Path) -> None:
        for name, text in code.items():
            (folder / name).write_text(text)
        with announced("C++", "half a minute"):
            _generate(service, tools, folder)
            _compile(tools["g++"], adapter, folder)
            compiler.run(
                [tools["g++"], "-o", _PROGRAM, *_UNITS.values(), *map(str, libraries), *_LIBRARIES],
                "g++ could not link the service",
                folder=folder,
            )
        for file in folder.glob("*.o"):
            file.unlink()

    parts = [*(text.encode() for text in code.values()), *_versions(tools)]
    parts += [file.read_bytes() for file in (*libraries, *_headers(adapter))]
    parts.append(_optimising().encode())
    return (str(kept("cpp", parts, make) / _PROGRAM),)


def _optimising() -> str:
    return "-O3" if compiler.optimises() else "-O0"


def _headers(adapter: Path) -> list[Path]:
    """Templates of the kit are compiled with the service, and are in no archive."""
    return sorted(path for folder in _FOLDERS for path in (adapter / folder).glob("*.hpp"))


def _tool(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise BadInput(
            f"{name} is missing, which a service of your own needs for C++; this installs it: callbench setup cpp"
        )
    return path


def _versions(tools: dict[str, str]) -> Iterator[bytes]:
    """The plugin has none to ask for; its package is that of the library, which is in what was built."""
    for name in ("g++", "protoc"):
        command = [tools[name], "--version"]
        yield subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).stdout


def _generate(service: Imported, tools: dict[str, str], folder: Path) -> None:
    """Writes the messages and the stubs.

    Raises:
        CallbenchError: protoc refuses the file.
    """
    command = [tools["protoc"], "-I.", "--cpp_out=.", "--grpc_out=."]
    command += [f"--plugin=protoc-gen-grpc={tools['grpc_cpp_plugin']}", stubs.FILE]
    compiler.run(command, "protoc made no stubs for C++", folder=folder)
    written = folder / "service.grpc.pb.cc"
    written.write_text(stubs.with_paths(service.schema, written.read_text()))


def _compile(gcc: str, adapter: Path, folder: Path) -> None:
    """Two units at once. The one with gRPC's headers takes longest, and is the first.

    Raises:
        CallbenchError: the compiler refuses one.
    """

    def unit(source: str, into: str) -> None:
        command = [gcc, *_OPTIONS, _optimising(), "-I.", f"-I{adapter}", "-c", source, "-o", into]
        compiler.run(command, "g++ could not compile the service", folder=folder)

    with ThreadPoolExecutor(2) as pool:
        # Consumed, so that an error is raised.
        list(pool.map(unit, _UNITS, _UNITS.values()))
