"""`callbench hosts`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from callbench.cli.help.command_table import epilog, examples
from callbench.cli.options.parameters import AsJson
from callbench.cli.outcome.output import print_json, print_line, show_rows

command = typer.Typer(
    name="hosts",
    help="Use other machines as hosts.",
    epilog=epilog(examples("hosts")),
    no_args_is_help=True,
    rich_markup_mode=None,
)
Keys = Annotated[
    Path | None,
    typer.Option("--keys", metavar="DIR", help="Folder of this machine's keys. Default: ~/.config/callbench/hosts."),
]


@command.command("init", epilog=epilog(("callbench hosts init 192.168.1.10 alpha beta",)))
def init(
    address: Annotated[
        str, typer.Argument(metavar="ADDRESS", help="IP address at which the hosts reach this machine.")
    ],
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Names of the hosts.")],
    keys: Keys = None,
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="Port at which the hosts reach it.")] = 8786,
    days: Annotated[int, typer.Option("--days", min=1, max=3650, help="How many days the keys are valid.")] = 365,
) -> None:
    """Make keys and certificates for this machine and for hosts.

    Each host gets a folder, which is to be copied there. A further call adds hosts.
    """
    from callbench.adapter.network.remote import extra
    from callbench.adapter.network.remote import keys as making

    extra.require_extra()
    for folder in making.create(keys or making.default_folder(), address, names, port=port, days=days):
        print(f"{folder}: copy this folder to host {folder.name}, and run `callbench agent {folder.name}` there")  # noqa: T201


@command.command("start", epilog=epilog(("callbench hosts start", "callbench hosts start ssh:me@192.168.1.20")))
def start(
    places: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ssh:USER@HOST...]", help="Hosts whose agents to start over ssh, too."),
    ] = None,
    keys: Keys = None,
) -> None:
    """Let hosts connect to this machine, until Ctrl-C.

    It listens only at the address of `callbench hosts init ADDRESS NAME`, by TLS with certificates on both sides.
    Agents that it starts over ssh end with it.
    """
    from callbench.adapter.network.remote import extra
    from callbench.adapter.network.remote import keys as reading

    extra.require_extra()
    from callbench.adapter.network.remote.scheduler import serve_scheduler

    if places:
        from callbench.adapter.network.remote.ssh.agents import serve_with_agents

        serve_with_agents(places, keys or reading.default_folder(), print_line)
        return
    serve_scheduler(reading.read(keys or reading.default_folder()), print_line)


@command.command("list", epilog=epilog(("callbench hosts list",)))
def list_(keys: Keys = None, as_json: AsJson = False) -> None:
    """List the hosts that have keys, which are connected, and what they do."""
    from callbench.adapter.network.remote import extra
    from callbench.adapter.network.remote import keys as reading

    extra.require_extra()
    from callbench.adapter.network.remote.fleet import Fleet

    fleet = Fleet(reading.read(keys or reading.default_folder()))
    try:
        there = fleet.present()
        rows = [
            {
                "host": name,
                "connected": name in there,
                "address": there[name].address if name in there else "",
                "version": there[name].about.get("version", "") if name in there else "",
                "does": there[name].does if name in there else "no agent is connected",
            }
            for name in sorted({*fleet.keys.hosts, *there})
        ]
    finally:
        fleet.close()
    show_rows(rows, ("host", "connected", "address", "version", "does"), as_json=as_json)


@command.command("check", epilog=epilog(("callbench hosts check",)))
def check(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME...]", help="Hosts to check. Default: all that have keys.")
    ] = None,
    keys: Keys = None,
    as_json: AsJson = False,
) -> None:
    """Check hosts: versions, adapters, tools, rights, clocks, round trips, and how much goes from one to the next.

    Exit code 2: a host cannot be used.
    """
    from callbench.adapter.network.remote import extra
    from callbench.adapter.network.remote import keys as reading

    extra.require_extra()
    from callbench.adapter.network.remote.fleet import Fleet
    from callbench.adapter.network.remote.host_check import check_hosts

    fleet = Fleet(reading.read(keys or reading.default_folder()))
    try:
        hosts = check_hosts(fleet, names or fleet.keys.hosts)
    finally:
        fleet.close()
    if as_json:
        print_json([host.record() for host in hosts])
    else:
        seen = ("host", "address", "system", "processors", "adapters", "clock", "round trip", "stream")
        show_rows([host.row() for host in hosts if host.address], (*seen, "lacks", "may not"), as_json=False)
    wrong = [host.wrong for host in hosts if host.wrong]
    if wrong:
        print(*(f"callbench: {sentence}" for sentence in wrong), sep="\n", file=sys.stderr)  # noqa: T201
        raise typer.Exit(2)
