"""C# for an imported service, compiled once by Mono's compiler and kept in the cache."""

import shutil
from pathlib import Path

from callbench.adapter.generators import compiler, csharp, set_up
from callbench.adapter.generators.announced import announced
from callbench.adapter.generators.kept import kept
from callbench.model.errors import BadInput
from callbench.model.service.imported import Imported

_ADAPTER = "adapters/dotnet"
_JSON = "/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll"
_ASSEMBLY = "service.dll"
_SOURCE = "service.cs"


def built(service: Imported, folder: Path) -> tuple[str, ...]:
    """The command of a runner that has the calls of a service. Compiles them unless the cache has them.

    Args:
        service: the service.
        folder: where it is kept; only its schema counts here.

    Raises:
        BadInput: Mono or the adapter's build is missing.
        CallbenchError: the compiler refuses the code, or the disk is full.
    """
    del folder
    runner = set_up.launcher(_ADAPTER, "callbench-dotnet", "dotnet")
    kit = set_up.place(_ADAPTER) / "target" / "callbench.exe"
    source = csharp.source(service.schema)

    def make(folder: Path) -> None:
        (folder / _SOURCE).write_text(source, encoding="utf-8")
        _compile(folder, kit)

    return str(runner), str(kept("dotnet", (source.encode(), kit.read_bytes()), make) / _ASSEMBLY)


def _compile(folder: Path, kit: Path) -> None:
    """Compiles the code of a service beside it.

    Raises:
        BadInput: the compiler is missing.
        CallbenchError: it refuses the code.
    """
    mcs = shutil.which("mcs")
    if mcs is None:
        raise BadInput(
            "Mono's compiler mcs is missing, which compiles the calls of a service of your own; this installs it:"
            " callbench setup dotnet"
        )
    command = [mcs, "-nologo", "-target:library", "-langversion:7", "-optimize+", "-debug-", "-warn:0"]
    command += [f"-r:{kit}", f"-r:{_JSON}", "-r:System.Runtime.Serialization.dll", "-r:System.ServiceModel.dll"]
    command += [f"-out:{folder / _ASSEMBLY}", str(folder / _SOURCE)]
    with announced("C#", "some seconds"):
        compiler.run(command, "Mono's compiler could not compile the service")
