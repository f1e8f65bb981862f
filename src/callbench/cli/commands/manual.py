"""`callbench manual`."""

import typer


def command(context: typer.Context) -> None:
    """Print the manual page.

    It holds the help of every command, in the format of the program man.
    """
    from callbench.cli.help import manual

    print(manual.page(context.find_root()), end="")  # noqa: T201
