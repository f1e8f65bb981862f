"""How to make an adapter's program runnable: the command, and the scripts of setup/ behind it."""

from callbench.catalog.manifest import Manifest
from callbench.model.installation import engine_remedy, home, wheel, workplace

_ENGINE = "engine"


def scripts(read: Manifest) -> tuple[str, ...]:
    """Return the scripts that set the adapter up, in order: the targets of `make` in its manifest.

    A wheel contains the engine's programs, so it does not need the engine's script. Empty if only the engine is needed,
    or if the manifest has another command.
    """
    program, *targets = read.setup.split() or [""]
    if program != "make" or targets in ([], [_ENGINE]):
        return ()
    return tuple(target for target in targets if target != _ENGINE or wheel() is None)


def is_bundled(read: Manifest) -> bool:
    """Return whether the manifest came with the installation. Only then its scripts did too."""
    return any(read.file.is_relative_to(root / "adapters") for root in (home(), workplace()))


def is_offered(read: Manifest) -> bool:
    """Return whether `callbench setup` can set the adapter up here."""
    return is_bundled(read) and bool(scripts(read)) and can_be_set_up(read)


def can_be_set_up(read: Manifest) -> bool:
    """Return whether the installation has these scripts. A wheel lacks scripts that need a checkout."""
    return all((home() / "setup" / name).is_file() for name in scripts(read))


def command(read: Manifest) -> str:
    """Return the command that makes the program runnable; "" if there is none. In a wheel it is `callbench setup`."""
    if wheel() is None or not any(read.file.is_relative_to(folder) for folder in (home(), workplace())):
        return read.setup
    return f"callbench setup {read.name}" if scripts(read) else engine_remedy()
