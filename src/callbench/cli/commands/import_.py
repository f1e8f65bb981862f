"""`callbench import`."""

from pathlib import Path
from typing import Annotated

import typer

from callbench.cli.options.parameters import AsJson
from callbench.cli.outcome.output import print_json, print_line


def command(  # noqa: PLR0913, PLR0917 - one for each option
    documents: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE|FOLDER|URL|fleet:NAME...",
            help=(
                "Document with a schema, or samples: files or a folder."
                " `callbench list payloads` lists the payloads that come along."
            ),
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Folder to make. Default: named after the document.")
    ] = None,
    name: Annotated[str, typer.Option(help="Name of the service. Default: the document's.")] = "",
    form: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="FORMAT",
            help=(
                "Format of the document: proto, openapi, json_schema, wsdl, mcp, thrift, avro, capnp, samples, har,"
                " log or capture. Default: recognised from the document."
            ),
        ),
    ] = "",
    calls: Annotated[
        list[str] | None,
        typer.Option(
            "--call",
            metavar="NAME",
            help="Take this call only; `*` stands for any text. Can be repeated. Default: all calls.",
        ),
    ] = None,
    tools_command: Annotated[
        str,
        typer.Option(
            "--command",
            metavar="COMMAND",
            help="Import the tools of an MCP server: start it with this command, and end it afterwards.",
        ),
    ] = "",
    url: Annotated[
        str,
        typer.Option(metavar="URL", help="Import the tools of the MCP server at this URL. It needs --allow-network."),
    ] = "",
    network: Annotated[
        bool, typer.Option("--allow-network", help="Follow references to other hosts, and use --url.")
    ] = False,
    files: Annotated[
        list[Path] | None,
        typer.Option(
            "--allow-files",
            metavar="FOLDER",
            help="Follow references to files in this folder also. Can be repeated. Default: the document's own folder.",
        ),
    ] = None,
    secrets: Annotated[
        bool, typer.Option("--keep-secrets", help="Keep passwords and tokens. Default: replaced by other text.")
    ] = False,
    unions: Annotated[
        bool, typer.Option("--unions", help="Take values of any type where samples contradict each other.")
    ] = False,
    samples: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH",
            help="File or folder with samples for the schema. Default: the document's examples. Can be repeated.",
        ),
    ] = None,
    answers: Annotated[
        list[str] | None,
        typer.Option(
            "--answer",
            metavar="[CALL=]FILE",
            help="File with an answer of a call in JSON, for samples that are requests alone. Can be repeated."
            " Default: none.",
        ),
    ] = None,
    payloads: Annotated[
        int, typer.Option(metavar="N", min=0, help="Payloads of a call. Generated ones are added up to it.")
    ] = 64,
    as_json: AsJson = False,
) -> None:
    """Import the schema and the payloads of a service of your own.

    The result is a folder with the schema, the calls and the payloads. You can read and change it. What a format cannot
    express is listed as a loss, with what it becomes. A table has the bytes of each call in each format, plain and
    compressed. Rust is not needed.
    """
    from callbench.adapter import tool_server
    from callbench.catalog.generator import filled
    from callbench.catalog.imports import registry, source
    from callbench.catalog.imports.given_answer import given_answer
    from callbench.catalog.own import folder
    from callbench.catalog.own.default_folder import default_folder
    from callbench.report.text import own_service
    from callbench.store.stopping import Sigterm, as_error

    options = source.Options(
        name=name,
        network=network,
        files=tuple(files or ()),
        secrets=secrets,
        unions=unions,
        samples=tuple(samples or ()),
        calls=tuple(calls or ()),
        answers=tuple(given_answer(text) for text in answers or ()),
    )
    form_wanted = registry.format_named(form) if form else None
    try:
        if documents and not (tools_command or url):
            service = registry.service(documents, options, form_wanted)
        else:
            service = registry.of_tools(
                tool_server.source(documents or (), tools_command, url, network=network), options
            )
        service, generators = filled.filled(service, payloads)
        target = out or default_folder(documents or (), service)
        folder.write(target, service, generators)
    except (KeyboardInterrupt, Sigterm) as stop:
        raise as_error(stop, "stopped; no folder was made") from None
    if as_json:
        print_json(own_service.as_record(service, target))
        return
    lines, inferred = own_service.lines(service, target), own_service.inferred(service)
    for line in (*lines, *inferred, *own_service.bytes_of_calls(service, target)):
        print_line(line)
    print_line(f"folder: {target}")
