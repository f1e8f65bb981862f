"""Where a URL leads, in a sentence, if it leads to this machine or to a network that others cannot see."""

import ipaddress
import os
import socket
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLong
from urllib.parse import urlsplit

import psutil

from callbench.adapter.external.listeners import Listeners, listeners_at

# A name that is not known by then is looked up by the command itself.
_LOOK_UP_S = 2.0
_PORTS = {"http": 80, "https": 443}
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def of(urls: Iterable[str]) -> list[str]:
    """Return the sentences of URLs, each once."""
    return list(dict.fromkeys(sentence for url in urls if (sentence := leads_to(url))))


def leads_to(url: str) -> str:
    """Return where a URL leads: to a service of this machine, or of a network of its own; "" for any other.

    A page that calls what a form names must not hide that this is the database beside it, or a router.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or _PORTS.get(parts.scheme, 0)
    except ValueError:
        return ""
    if not host or not port:
        return ""
    addresses = _addresses(host)
    mine = _own_addresses()
    if any(address.is_loopback or address.is_unspecified or address in mine for address in addresses):
        return f"{host} is this machine. {_at_port(listeners_at(host, port), port)}"
    if any(address.is_link_local for address in addresses):
        return f"{host} is an address of this link alone, where clouds have the service that gives out their keys."
    if any(address.is_private for address in addresses):
        return f"{host} is in a private network. Only call servers there that are yours."
    return ""


def _at_port(listening: Listeners, port: int) -> str:
    if listening.pids:
        named = ", ".join(f"{_program(pid)} (process {pid})" for pid in listening.pids[:3])
        return f"The calls go to {named}, which listens at port {port}."
    if listening.hidden:
        return f"The calls go to a process of another user, which listens at port {port}."
    return f"Nothing listens at port {port} now."


def _program(pid: int) -> str:
    if pid == os.getpid():
        return "this page itself"
    try:
        return psutil.Process(pid).name()
    except psutil.Error:
        return "a process"


def _addresses(host: str) -> set[_Address]:
    """Return the addresses of a host; none if they are not known in time."""
    pool = ThreadPoolExecutor(1)
    try:
        found = pool.submit(socket.getaddrinfo, host, None, type=socket.SOCK_STREAM).result(_LOOK_UP_S)
    except (OSError, UnicodeError, TooLong):
        return set()
    finally:
        pool.shutdown(wait=False)
    plain = {ipaddress.ip_address(str(address[0]).partition("%")[0]) for *_, address in found}
    return {getattr(address, "ipv4_mapped", None) or address for address in plain}


def _own_addresses() -> set[_Address]:
    families = (socket.AF_INET, socket.AF_INET6)
    found = [each for card in psutil.net_if_addrs().values() for each in card if each.family in families]
    return {ipaddress.ip_address(each.address.partition("%")[0]) for each in found}
