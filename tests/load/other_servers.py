"""Servers and proxies that others wrote, started and ended: nginx, nghttpd, nghttpx, openssl."""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from conftest import eventually
from ports import free_ports

_NGINX = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/errors;
events {{ worker_connections 256; }}
http {{
  access_log off; {settings}
  client_body_temp_path {folder}/1; proxy_temp_path {folder}/2; fastcgi_temp_path {folder}/3;
  uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;
  ssl_certificate {certificate}; ssl_certificate_key {key};
  server {{
    listen 127.0.0.1:{port} ssl{protocol};
    {locations}
  }}
}}
"""


@contextmanager
def running(port: int, *words: object) -> Iterator[int]:
    """Run a program until it listens at a port, and end it after the block. A test is skipped if it is not there."""
    name = str(words[0])
    program = shutil.which(name) or shutil.which(name, path="/usr/sbin")
    if program is None:
        pytest.skip(f"{name} is not there: setup/system nghttp2-server nghttp2-proxy nginx-light")
    process = subprocess.Popen([program, *map(str, words[1:])], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert eventually(lambda: process.poll() is not None or _listens(port)), f"{name} does not listen"
        assert process.poll() is None, f"{name} has ended"
        yield port
    finally:
        process.kill()
        process.wait()


@contextmanager
def nginx(folder: Path, certificate: Path, locations: str, *, protocol: str = "", settings: str = "") -> Iterator[int]:
    """Run nginx with TLS.

    Args:
        folder: for its files.
        certificate: with its key beside it, as NAME.key.
        locations: what the server has.
        protocol: beside TLS, as `listen` has it.
        settings: further ones of `http`.
    """
    port, configuration = free_ports(), folder / "nginx.conf"
    words = {"certificate": certificate, "key": certificate.with_suffix(".key"), "settings": settings}
    protocol = f" {protocol}" if protocol else ""
    configuration.write_text(
        _NGINX.format(folder=folder, port=port, protocol=protocol, locations=locations, **words), encoding="utf-8"
    )
    with running(port, "nginx", "-c", configuration):
        yield port


def _listens(port: int) -> bool:
    with socket.socket() as one:
        return not one.connect_ex(("127.0.0.1", port))
