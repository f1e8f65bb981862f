"""Which cells both generators can drive, and the HTTP load of such a cell."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from callbench.adapter import equivalent
from callbench.adapter.session import DEFAULT_TIMEOUT_MS, Adapter
from callbench.analysis.peer.agreement import PEER
from callbench.catalog.reach import LOOPBACK
from callbench.model import request
from callbench.model.card import RequestTable
from callbench.model.cell import Cell, Stack
from callbench.runner.peer.plan import HttpLoad

DRIVER = "load/http1"
# Members of a request that both support. Path, call and selection are resolved before.
_SUPPORTED = {"protocol", "path", "call", "select", "method", "headers", "body", "variables", "keep_alive", "threads"}
# JMeter accepts any certificate, so only our driver checks who signed it.
_SUPPORTED |= {"expect_body", "expect_body_file", "timeout_s", "certificates", "insecure"}
# Placeholders that the load driver fills in for each request.
_VARIABLES = ("{number}", "{client}", "{random}")
_ITEMS = "{n}"


def why_not(cell: Cell, stack: Stack) -> str | None:
    """Return why the peer cannot drive a cell; None if it can."""
    if stack.client != DRIVER or request.KEY not in stack.card:
        return "is not called by the load driver"
    load = cell.load
    ramp_s, think_ms = load.ramp_up_ns / 1e9, load.think_ns / 1e6
    reasons = {
        stack.why_not or "": stack.why_not is not None,
        f"over {cell.link}: {PEER} has no part in the network lab": cell.link != LOOPBACK,
        "their bytes are counted, and nothing is timed": not cell.timed,
        f"calls arrive by a schedule: {PEER}'s clients wait for their answers": load.open,
        f"a ramp-up of {ramp_s:g} s: {PEER}'s has whole seconds": not ramp_s.is_integer(),
        f"a think time of {think_ms:g} ms: {PEER}'s has whole milliseconds": not think_ms.is_integer(),
    }
    return next(
        (why for why, holds in reasons.items() if holds), _why_not_request(stack.card[request.KEY], cell.options)
    )


def _why_not_request(table: RequestTable, options: Mapping[str, object]) -> str | None:
    request_table: dict[str, Any] = {**table, **options}
    unsupported = sorted(set(request_table) - _SUPPORTED)
    if unsupported:
        return f"{', '.join(unsupported)} of their request: {PEER}'s plan has none"
    texts = [str(request_table.get("path") or ""), str(request_table.get("body") or "")]
    texts += [part for header in request_table.get("headers") or () for part in header]
    used = [name for name in _VARIABLES if any(name in text for text in texts)]
    if used and request_table.get("variables") is not False:
        return f"{used[0]} in their request is another in each: {PEER}'s plan has one request"
    return None


def http_load(client: Adapter, stack: Stack, endpoint: str, cell: Cell) -> HttpLoad:
    """Return the load for the peer: the same as that of our connected driver.

    Raises:
        AdapterFailure: the server answers wrongly.
    """
    table = stack.card[request.KEY]
    url, options = request.connected_with(table, endpoint, cell.options)
    items = cell.arguments.get("n")
    body = options.get("body")
    return HttpLoad(
        url=_with_items(url, items),
        clients=cell.load.clients,
        expected=_expected_body(client, table, options, cell),
        keep_alive=options.get("keep_alive", True) is not False,
        # The same default as in the load driver.
        method=options.get("method") or ("GET" if body is None else "POST"),
        headers=tuple(
            (_with_items(name, items), _with_items(value, items)) for name, value in options.get("headers") or ()
        ),
        body=None if body is None else _with_items(body, items),
        think_ms=round(cell.load.think_ns / 1e6),
        ramp_up_s=round(cell.load.ramp_up_ns / 1e9),
        timeout_ms=round(1000 * float(table.get("timeout_s", DEFAULT_TIMEOUT_MS / 1000))),
    )


def _with_items(text: str, items: object) -> str:
    return text if items is None else text.replace(_ITEMS, str(items))


def _expected_body(client: Adapter, table: RequestTable, options: Mapping[str, Any], cell: Cell) -> str | None:
    """Return the body that every answer must have: from the card, or as our driver checks it; None: any."""
    if request.called(table) == equivalent.CALL:
        answer = client.ask("call", "returned", client.patience_s, call=cell.call, arguments=dict(cell.arguments))
        equivalent.check_body(table.get("select"), cell.arguments, answer)
        return str(answer["value"])
    file = options.get("expect_body_file")
    text: str | None = options.get("expect_body") if file is None else Path(file).read_text(encoding="utf-8")
    return text
