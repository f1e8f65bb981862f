"""Who may use the page: the browser that opened the first address, from the page itself. Everybody else is refused."""

import secrets
from collections.abc import MutableMapping, Sequence
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# No script at all: nothing that a record, a study or a server says can run.
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; frame-src 'self'; form-action 'self';"
    " frame-ancestors 'none'; base-uri 'none'"
)
# What moves has one script of the page's own, and asks the page alone.
MOVING_POLICY = f"{POLICY}; script-src 'self'; connect-src 'self'"
# A part of a view that stands in a frame of it.
FRAMED_POLICY = "default-src 'none'; style-src 'self'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'"
# A view with a report in its frame keeps the report's state.
READING_POLICY = f"{POLICY}; script-src 'self'"
# A report has its styles and charts within. It stands in a frame of the page, where it may do nothing.
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; base-uri 'none';"
    " form-action 'none'; sandbox"
)
# Scripts of a report's tables and charts. A frame without an origin asks for them, so no cookie comes with that.
FRAME_SCRIPTS = ("/tables.js", "/marks.js")
_CHANGES = "POST"
_READS = frozenset({"GET", "HEAD"})
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_HOW = "Open the address that `callbench ui` printed."


def scripted_policy(base: str) -> str:
    """Return the policy of a report whose tables and charts answer: its scripts may run there, and reach nothing else.

    Args:
        base: the address of the page, without a path.
    """
    return f"{REPORT_POLICY} allow-scripts; script-src {' '.join(base + script for script in FRAME_SCRIPTS)}"


class Guard:
    """Refuses requests of others, and adds the headers that keep a browser from doing more than it should.

    Attributes:
        token: part of the first address.
    """

    def __init__(
        self, app: ASGIApp, port: int, names: Sequence[str] = ("127.0.0.1", "localhost"), *, tls: bool = False
    ) -> None:
        """Guard an application.

        Args:
            app: the application.
            port: at which it listens.
            names: by which its host may be called, the best known first.
            tls: whether its answers are encrypted.
        """
        self._app, self._name = app, names[0]
        self._scheme, usual = ("https", 443) if tls else ("http", 80)
        hosts = [f"[{name}]" if ":" in name else name for name in names]
        self._hosts = {f"{host}:{port}" for host in hosts} | (set(hosts) if port == usual else set())
        self._cookie = cookie_name(port)
        self._session = secrets.token_urlsafe(32)
        self.token = secrets.token_urlsafe(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with a refusal."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if scope["path"] in FRAME_SCRIPTS:
                    headers["Cross-Origin-Resource-Policy"] = "cross-origin"
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = self._answer(scope)
        await (self._app if answer is None else answer)(scope, receive, with_headers)

    def _answer(self, scope: MutableMapping[str, Any]) -> Response | None:
        """Return what a request gets instead of the page; None for one that may pass."""
        headers, method = Headers(scope=scope), scope["method"]
        host = headers.get("host", "")
        if host not in self._hosts:
            return _refused(f"This page is at {self._name} only. {_HOW}", 421)
        if method not in _READS and method != _CHANGES:
            return _refused("Only GET, HEAD and POST are understood here.", 405)
        if scope["path"] in FRAME_SCRIPTS and method in _READS:
            return None
        origin = headers.get("origin")
        if (method == _CHANGES or origin is not None) and origin != f"{self._scheme}://{host}":
            return _refused("The request comes from another page, so it is refused.", 403)
        token = QueryParams(scope["query_string"]).get("token")
        if token is not None and method in _READS and scope["path"] == "/":
            return self._first(token)
        return None if self._knows(headers) else _refused(_HOW, 403)

    def _first(self, token: str) -> Response:
        """Give the browser that opened the first address its cookie."""
        if not _same(token, self.token):
            return _refused(f"The token of this address is another server's. {_HOW}", 403)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self._cookie, self._session, httponly=True, samesite="strict", secure=self._scheme == "https")
        return answer

    def _knows(self, headers: Headers) -> bool:
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return False
        morsel = cookies.get(self._cookie)
        return morsel is not None and _same(morsel.value, self._session)


def cookie_name(port: int) -> str:
    """Return the name of a page's cookie. Cookies know no ports: another page on this machine has another name."""
    return f"callbench-{port}"


def _same(given: str, right: str) -> bool:
    return secrets.compare_digest(given.encode(), right.encode())


def _refused(sentence: str, status: int) -> Response:
    return PlainTextResponse(sentence + "\n", status)
