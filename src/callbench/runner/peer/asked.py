"""Which cells both sides can drive alike, and what they then ask of the server."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from callbench.adapter import equivalent
from callbench.adapter.session import DEFAULT_TIMEOUT_MS, Adapter
from callbench.catalog.reach import LOOPBACK
from callbench.model import request
from callbench.model.cell import Cell, Stack
from callbench.runner.peer.plan import Asked

DRIVER = "load/http1"
PEER = "JMeter"
# What of a request both can make alike; the path, the call and what it selects are filled in before.
_ALIKE = {"protocol", "path", "call", "select", "method", "headers", "body", "variables", "keep_alive", "threads"}
# JMeter takes any certificate: who may sign it concerns our driver alone.
_ALIKE |= {"expect_body", "expect_body_file", "timeout_s", "certificates", "insecure"}
# What the load driver fills anew in each request.
_VARIABLES = ("{number}", "{client}", "{random}")
_ITEMS = "{n}"


def why_not(cell: Cell, stack: Stack) -> str | None:
    """Why a cell cannot be driven by both; None where it can be."""
    if stack.client != DRIVER or request.KEY not in stack.card:
        return "is not called by the load driver"
    load = cell.load
    ramp_s, think_ms = load.ramp_up_ns / 1e9, load.think_ns / 1e6
    whys = {
        stack.why_not or "": stack.why_not is not None,
        f"over {cell.link}: {PEER} has no part in the network lab": cell.link != LOOPBACK,
        "their bytes are counted, and nothing is timed": not cell.timed,
        f"calls arrive by a schedule: {PEER}'s clients wait for their answers": load.open,
        f"a ramp-up of {ramp_s:g} s: {PEER}'s has whole seconds": not ramp_s.is_integer(),
        f"a think time of {think_ms:g} ms: {PEER}'s has whole milliseconds": not think_ms.is_integer(),
    }
    return next((why for why, holds in whys.items() if holds), _why_not_asked(stack.card[request.KEY], cell.options))


def _why_not_asked(table: Mapping[str, Any], options: Mapping[str, Any]) -> str | None:
    whole = {**table, **options}
    other = sorted(set(whole) - _ALIKE)
    if other:
        return f"{', '.join(other)} of their request: {PEER}'s plan has none"
    texts = [str(whole.get("path") or ""), str(whole.get("body") or "")]
    texts += [part for header in whole.get("headers") or () for part in header]
    varied = [name for name in _VARIABLES if any(name in text for text in texts)]
    if varied and whole.get("variables") is not False:
        return f"{varied[0]} in their request is another in each: {PEER}'s plan has one request"
    return None


def asked(client: Adapter, stack: Stack, endpoint: str, cell: Cell) -> Asked:
    """What the peer is told to ask: what our driver, connected for the cell, asks.

    Raises:
        AdapterFailure: the server does not answer rightly.
    """
    table = stack.card[request.KEY]
    url, options = request.connected_with(table, endpoint, cell.options)
    items = cell.arguments.get("n")
    body = options.get("body")
    return Asked(
        _filled(url, items),
        cell.load.clients,
        _expected(client, table, options, cell),
        options.get("keep_alive", True) is not False,
        # As the load driver has it.
        options.get("method") or ("GET" if body is None else "POST"),
        tuple((_filled(name, items), _filled(value, items)) for name, value in options.get("headers") or ()),
        None if body is None else _filled(body, items),
        round(cell.load.think_ns / 1e6),
        round(cell.load.ramp_up_ns / 1e9),
        round(1000 * float(table.get("timeout_s", DEFAULT_TIMEOUT_MS / 1000))),
    )


def _filled(text: str, items: object) -> str:
    return text if items is None else text.replace(_ITEMS, str(items))


def _expected(client: Adapter, table: Mapping[str, Any], options: Mapping[str, Any], cell: Cell) -> str | None:
    """The body that every answer must have: as the card has it, or that which our driver's answers must have too."""
    if request.called(table) == equivalent.CALL:
        said = client.ask("call", "returned", client.patience_s, call=cell.call, arguments=dict(cell.arguments))
        equivalent.judged(table.get("select"), cell.arguments, said)
        return str(said["value"])
    file = options.get("expect_body_file")
    text: str | None = options.get("expect_body") if file is None else Path(file).read_text(encoding="utf-8")
    return text
