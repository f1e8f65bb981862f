"""The native adapter and the host for an imported service: generated, compiled once, and kept in the cache."""

import fcntl
import hashlib
import os
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from callbench.adapter.generators import compiled_cache, compiler, rust, warm
from callbench.adapter.generators.announced import announced
from callbench.model import machine_limits
from callbench.model.errors import BadInput
from callbench.model.installation import cache, home, wheel
from callbench.model.process_tree import HOST
from callbench.model.service.schema import Schema

_PROGRAM = "callbench-native"
_SOURCE = "service.rs"
_KINDS = frozenset({".rs", ".toml"})
_OWN = "callbench-own"
# What the service's crate reads while it is compiled.
_ALSO = ("engine/Cargo.lock", "contract/service.avpr", "contract/names/first.txt", "contract/names/last.txt")


def host(native: Path) -> Path:
    """The host that has the calls of the same schema as this native program."""
    return native.with_name(HOST)


def built(schema: Schema) -> Path:
    """The native program that has the calls of a schema. Compiles it and the host unless the cache has them.

    Raises:
        BadInput: Rust is missing, this installation lacks the engine's sources, or Rust cannot have such a type.
        CallbenchError: the compiler refuses the code, or the disk is full.
    """
    source = rust.source(schema)
    of_services = cache() / "own"
    how = b"" if compiler.optimises() else compiler.UNOPTIMISED.encode()
    folder = of_services / hashlib.sha256(source.encode() + _engine_digest() + how).hexdigest()[:32]
    program = folder / _PROGRAM
    if os.access(program, os.X_OK):
        with suppress(OSError):
            compiled_cache.use(folder)
        # Another program could remove it until it was in use.
        if os.access(program, os.X_OK):
            return program
    cargo = shutil.which("cargo")
    if cargo is None:
        raise BadInput(
            "Rust is missing, which compiles the calls of a service of your own: install it with rustup"
            " (https://rustup.rs, Rust 1.88 or newer) and a C compiler, then run the same command again"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # One at a time: all share what is compiled of other people's libraries.
        with (of_services / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            compiled_cache.use(folder)
            folder.mkdir(exist_ok=True)
            if not os.access(program, os.X_OK):
                (folder / _SOURCE).write_text(source)
                _compile(cargo, program, source, of_services)
            compiled_cache.trim(compiled_cache.limit_bytes())
    except OSError as failure:
        raise machine_limits.written(f"the program of the service cannot be kept in {folder}", failure) from failure
    return program


def _compile(cargo: str, native: Path, source: str, of_services: Path) -> None:
    """Compiles the engine with the service in it.

    Raises:
        CallbenchError: the compiler refuses it.
        OSError: a file cannot be written.
    """
    # Always at one place, and touched only if it changes: for cargo another path is another crate.
    file = of_services / _SOURCE
    if not file.is_file() or file.read_text() != source:
        file.write_text(source)
    every = crates()
    anew = dependent(every)
    target = warm.target(of_services / "target", every.keys() - anew)
    compiled_cache.use(target)
    # By the programs and not by their packages: so the libraries have the features of the ordinary build.
    command = [cargo, "build", "--release", "--locked", "--quiet", "--bin", _PROGRAM, "--bin", HOST]
    command += ["--manifest-path", str(home() / "engine" / "Cargo.toml"), "--target-dir", str(target)]
    # What is compiled for each service needs no lines for a debugger: it takes less time, and a fifth of the place.
    settings = ["debug=false", *([] if compiler.optimises() else ["opt-level=0"])]
    command += [f"--config=profile.release.package.{name}.{its}" for name in sorted(anew) for its in settings]
    environment = {**os.environ, "CALLBENCH_OWN": str(file)}
    with announced("Rust", "a minute or two"):
        compiler.run(command, f"Cargo could not compile the service in {file}", environment=environment)
    # Copied aside and moved into place, so that nobody starts half a program. The one that is looked for comes last.
    # Callers hold the lock: what is aside already is of a program that was killed.
    for program in (host(native), native):
        beside = program.with_name(f".{program.name}")
        shutil.copy2(target / "release" / program.name, beside)
        beside.replace(program)


def _engine_digest() -> bytes:
    """What the engine is built from.

    Raises:
        BadInput: this installation does not have it.
    """
    if not (home() / "engine" / "own" / "Cargo.toml").is_file():
        where = "this wheel was built without it" if wheel() else f"{home()} is damaged"
        raise BadInput(f"the source of the engine is missing ({where}): install Callbench again, or use a checkout")
    digest = hashlib.sha256()
    for path in _sources():
        digest.update(f"{path.relative_to(home())}\0".encode())
        digest.update(path.read_bytes())
    return digest.digest()


def _sources() -> Iterator[Path]:
    """The files of every crate of the workspace that the two programs are made of."""
    yield from (home() / name for name in ("engine/Cargo.toml", *_ALSO))
    for crate in sorted(crate for crate, _ in crates().values()):
        yield from (path for path in sorted((crate / "src").rglob("*")) if path.suffix in _KINDS)
        yield from (path for path in (crate / "Cargo.toml", crate / "build.rs") if path.is_file())


def crates() -> dict[str, tuple[Path, tuple[str, ...]]]:
    """The workspace's own crates in the two programs: the folder of each, and which of them it depends on."""
    root = home() / "engine"
    places = {
        name: root / dependency["path"]
        for name, dependency in _toml(root)["workspace"]["dependencies"].items()
        if isinstance(dependency, dict) and "path" in dependency
    }
    places |= {_PROGRAM: root / "native", HOST: root / "host"}
    found: dict[str, tuple[Path, tuple[str, ...]]] = {}
    waiting = [_PROGRAM, HOST]
    while waiting:
        name = waiting.pop()
        if name not in found:
            needs = tuple(need for need in _dependencies(_toml(places[name])) if need in places)
            found[name] = (places[name], needs)
            waiting += needs
    return found


def _dependencies(manifest: Mapping[str, Any]) -> Iterator[str]:
    """The names of what a crate depends on, on any system."""
    yield from manifest.get("dependencies", {})
    for system in manifest.get("target", {}).values():
        yield from system.get("dependencies", {})


def dependent(every: Mapping[str, tuple[Path, tuple[str, ...]]]) -> frozenset[str]:
    """Those of the crates that are compiled anew for each service."""
    found, more = {_OWN}, {_OWN}
    while more:
        more = {name for name, (_, needs) in every.items() if found.intersection(needs)} - found
        found |= more
    return frozenset(found)


def _toml(crate: Path) -> dict[str, Any]:
    return tomllib.loads((crate / "Cargo.toml").read_text())
