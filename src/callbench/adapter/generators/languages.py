"""The languages, besides Rust, for which the types of an imported service are generated: an adapter's name each."""

from collections.abc import Callable, Mapping
from pathlib import Path

from callbench.adapter.generators import dotnet, java, node, python
from callbench.adapter.generators.cpp import program as cpp
from callbench.adapter.generators.go import program as go
from callbench.model.service.imported import Imported

LANGUAGES: Mapping[str, Callable[[Imported, Path], tuple[str, ...]]] = {
    "cpp": cpp.built,
    "dotnet": dotnet.built,
    "go": go.built,
    "java": java.built,
    "node": node.built,
    "python": python.built,
}
"""By the adapter's name: the function that compiles a service, given its folder, and returns the runner's command.

It raises BadInput if the toolchain is missing or the language cannot have a name or a type, CallbenchError if the code
does not compile or the cache cannot be written.
"""
