"""`callbench link`."""

from typing import Annotated

import typer

from callbench.cli.help.command_table import epilog, examples
from callbench.cli.options import names
from callbench.cli.options.parameters import AsJson
from callbench.cli.outcome.output import print_json, show_rows

command = typer.Typer(
    name="link",
    help="Test network links.",
    epilog=epilog(examples("link")),
    no_args_is_help=True,
    rich_markup_mode=None,
)


@command.command("try", epilog=epilog(examples("link")))
def try_(
    link: Annotated[
        str,
        typer.Argument(
            metavar="LINK", autocompletion=names.links, help="Link to test: a name of `callbench list links`."
        ),
    ],
    study: Annotated[
        str | None, typer.Option("--study", help="Study that defines the link. Default: the links of Callbench.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, max=60, help="Duration of each measurement in seconds.")] = 2.0,
    as_json: AsJson = False,
) -> None:
    """Make a link and measure it.

    Compares the measured delay, rate and losses with the profile of the link.
    """
    from callbench.adapter.network import link_check
    from callbench.catalog.links import profile
    from callbench.catalog.study import load

    own = load(study).part.links if study else {}
    findings = list(link_check.check_link(profile.find(link, own), seconds))
    if as_json:
        print_json([finding.record() for finding in findings])
    else:
        show_rows([finding.row() for finding in findings], ("what", "asked", "measured"), as_json=False)
