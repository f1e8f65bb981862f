"""One call to a server, with the bytes of its request and its answer."""

import ssl
from dataclasses import dataclass, replace
from urllib.parse import SplitResult, urlsplit

from callbench.adapter.placement import Placement
from callbench.adapter.stack.relay import Relay
from callbench.adapter.stack.sides import Sides
from callbench.adapter.stack.target import Target, TargetSpec
from callbench.catalog.catalogue import Catalogue
from callbench.catalog.reach import LOOPBACK
from callbench.model.errors import BadInput, CallbenchError
from callbench.model.request import PROTOCOL, connected_with, is_driver

_MOST_BYTES = 1 << 16
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class OneCall:
    """A call that was made once.

    Attributes:
        server: its URL, or what a stack's clients connect to.
        request: the first 64 KiB that the client sent; None where they are not seen.
        answer: the first 64 KiB that the server sent; None where they are not seen.
        unseen: why they are not seen; "" if they are.
        wrong: the failure that the answer is; None if it is right.
    """

    server: str
    request: bytes | None
    answer: bytes | None
    unseen: str
    wrong: CallbenchError | None = None


def one_call(spec: TargetSpec, catalogue: Catalogue, placement: Placement) -> OneCall:
    """Start the server if it is ours, make one call over loopback, and end what was started.

    Raises:
        BadInput: the server cannot be called so; the clients are on other hosts.
        CallbenchError: no call was made.
    """
    if spec.hosts:
        raise BadInput("--dry-run makes its call from this machine: leave out --hosts")
    target = _OverheardTarget(replace(spec, link=LOOPBACK, first_clients=1), catalogue, placement)
    try:
        with target:
            return target.seen(None)
    except CallbenchError as failure:
        if target.reached:
            return target.seen(failure)
        if target.why_unreached:
            raise BadInput(f"{spec.name}: {target.why_unreached}") from failure
        raise
    finally:
        target.hang_up()


class _OverheardTarget(Target):
    """A server whose clients connect through a relay, where their protocol is text and their request is one."""

    def __init__(self, spec: TargetSpec, catalogue: Catalogue, placement: Placement) -> None:
        super().__init__(spec, catalogue, placement)
        self._relay: Relay | None = None
        self._server = ""
        table = self._programs.request or {}
        self._unseen = "" if is_driver(self.stack.client) else "it is a stack, whose calls `callbench run` verifies"
        if table.get("protocol", PROTOCOL) != PROTOCOL:
            self._unseen = "HTTP/2 is binary, and is not shown"
        elif "script" in table:
            self._unseen = "there are several requests, of which none is shown"

    @property
    def reached(self) -> bool:
        """Whether the server got a request that is seen."""
        return self._relay is not None and bool(self._relay.sent)

    @property
    def why_unreached(self) -> str:
        """Why the relay could not connect; "" if it could."""
        return "" if self._relay is None else self._relay.failure

    def seen(self, wrong: CallbenchError | None) -> OneCall:
        """Return the call."""
        if self._relay is None:
            return OneCall(self._server, None, None, self._unseen, wrong)
        return OneCall(self._server, self._relay.sent, self._relay.received, "", wrong)

    def hang_up(self) -> None:
        """End the relay."""
        if self._relay is not None:
            self._relay.__exit__()

    def _served(self, sides: Sides) -> str:
        endpoint = super()._served(sides)
        self._server = connected_with(self._programs.request, endpoint, {})[0]
        if self._unseen:
            return endpoint
        table = self._programs.request or {}
        url = urlsplit(self._server)
        self._relay = _relay_to(url, table.get("certificates"), insecure=bool(table.get("insecure")))
        self._relay.__enter__()
        headers = [list(header) for header in table.get("headers") or ()]
        if all(name.lower() != "host" for name, _ in headers):
            headers.insert(0, ["Host", url.netloc])
        self.spec = replace(self.spec, options={**self.spec.options, "headers": headers})
        return url._replace(scheme="http", netloc=f"127.0.0.1:{self._relay.port}").geturl()


def _relay_to(url: SplitResult, certificates: str | None, *, insecure: bool) -> Relay:
    """Return a relay to the server of a URL. It is the one that speaks TLS."""
    host, port = url.hostname or "", url.port or _PORTS[url.scheme]
    if url.scheme != "https":
        return Relay(host, port, most=_MOST_BYTES)
    try:
        trust = ssl.create_default_context(cafile=certificates)
    except OSError as failure:
        raise BadInput(f"the certificates {certificates} cannot be read: {failure.strerror}") from failure
    trust.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    trust.set_alpn_protocols(["http/1.1"])
    if insecure:
        trust.check_hostname = False
        trust.verify_mode = ssl.CERT_NONE
    return Relay(host, port, most=_MOST_BYTES, tls=trust, name=host)
