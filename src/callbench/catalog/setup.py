"""What makes an adapter's program runnable: the command to type, and the scripts of setup/ behind it."""

from callbench.catalog.manifest import Manifest
from callbench.model.installation import engine_remedy, home, wheel, workplace

_ENGINE = "engine"


def scripts(read: Manifest) -> tuple[str, ...]:
    """The scripts that set the adapter up, in their order: the targets of its manifest's `make`.

    A wheel has the engine's programs: its script is none of them there. Empty where nothing but the engine is needed,
    or the manifest names a command of its own.
    """
    program, *targets = read.setup.split() or [""]
    if program != "make" or targets in ([], [_ENGINE]):
        return ()
    return tuple(target for target in targets if target != _ENGINE or wheel() is None)


def can_be_set_up(read: Manifest) -> bool:
    """Whether the installation has those scripts: a wheel lacks those of what needs a checkout."""
    return all((home() / "setup" / name).is_file() for name in scripts(read))


def command(read: Manifest) -> str:
    """The command that makes the program runnable, empty where there is none: for what a wheel brought, ours."""
    if wheel() is None or not any(read.file.is_relative_to(place) for place in (home(), workplace())):
        return read.setup
    return f"callbench setup {read.name}" if scripts(read) else engine_remedy()
