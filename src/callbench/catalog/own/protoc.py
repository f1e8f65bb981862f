"""Protobuf's own compiler, in a process of its own: a hostile file can make it use memory, or end."""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import grpc_tools
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message import DecodeError

from callbench.model.errors import BadInput

SECONDS = 60
# The compiler's module alone: `-m grpc_tools.protoc` prepares all that is installed, which takes twice as long again.
_RUN = """
import os, sys
sys.path.append(sys.argv[1])
from grpc_tools import _protoc_compiler
sys.exit(_protoc_compiler.run_main([b"protoc", *map(os.fsencode, sys.argv[2:])]))
"""
_ERROR = re.compile(r"(?P<file>[^:]+):(?P<line>\d+):(?P<column>\d+): (?P<text>.*)")


def compiled(folder: Path, file: str, more: Sequence[Path] = ()) -> FileDescriptorSet:
    """The descriptors of a file and of all that it imports, with comments.

    Args:
        folder: where imports are looked for.
        file: relative to `folder`.
        more: other folders for imports.

    Raises:
        BadInput: the compiler refuses it. The sentence names the file, the line and the column.
    """
    command = [*program(), f"-I{folder}", *(f"-I{further}" for further in more)]
    command += [
        f"-I{bundled()}",
        "--include_imports",
        "--include_source_info",
        "--descriptor_set_out=/dev/stdout",
        file,
    ]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise BadInput(
            f"{folder / file}: protobuf's compiler did not finish within {SECONDS} s; take a smaller file"
        ) from None
    if done.returncode:
        raise BadInput(_sentence(folder, file, done.stderr.decode(errors="replace")))
    try:
        return FileDescriptorSet.FromString(done.stdout)
    except DecodeError:
        raise BadInput(f"{folder / file}: its descriptors cannot be read; nest its messages less deeply") from None


def program() -> list[str]:
    """The compiler as the first words of a command; its own files come with `-I`, see `bundled`."""
    return [sys.executable, "-IBS", "-c", _RUN, str(Path(grpc_tools.__file__).parents[1])]


def bundled() -> Path:
    """The folder of protobuf's own files, `google/protobuf/struct.proto` and the like."""
    return Path(grpc_tools.__file__).parent / "_proto"


def _sentence(folder: Path, file: str, output: str) -> str:
    for line in output.splitlines():
        match = _ERROR.match(line)
        if match and "warning" not in match["text"]:
            name = match["file"].removeprefix(f"{folder}/")
            return f"{folder / name}, line {match['line']}, column {match['column']}: {match['text']}"
    last = output.strip().splitlines()[-1:] or ["protobuf's compiler ended without a message"]
    return f"{folder / file}: {last[0].removeprefix(f'{file}: ')}"
