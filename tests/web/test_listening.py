"""At which addresses the page listens, and by which certificates."""

import hashlib
import http.client
import re
import signal
import ssl
from pathlib import Path

import pytest

from callbench.adapter.network.remote.certificates import Authority
from callbench.model.errors import BadInput
from callbench.web import listening
from conftest import assert_one_sentence
from loaded_program import Begin


def test_a_certificate_is_made_once_and_anew_before_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The address is of no machine, so only the socket of this test is at its place."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr(listening, "_place", lambda _, port: (2, ("192.0.2.7", port)))
    bind = listening._bound
    monkeypatch.setattr(listening, "_bound", lambda family, _, host: bind(family, ("127.0.0.1", 0), host))

    def made() -> tuple[str, bytes]:
        at = listening.listening("192.0.2.7", 0, None, None)
        assert at.certificate
        assert at.key
        assert at.key.stat().st_mode & 0o777 == 0o600
        der = ssl.PEM_cert_to_DER_cert(at.certificate.read_text())
        assert at.fingerprint.replace(":", "").lower() == hashlib.sha256(der).hexdigest()
        with at.socket:
            assert (at.names, at.address) == (("192.0.2.7",), f"https://192.0.2.7:{at.port}/")
        return at.fingerprint, at.certificate.read_bytes()

    first = made()
    assert made() == first
    folder = tmp_path / "callbench/page/192.0.2.7"
    for file in folder.iterdir():
        file.unlink()
    Authority(folder / "ca.pem", folder / "ca.key", 0).sign(
        "192.0.2.7", folder / "own.pem", folder / "own.key", served=True
    )
    short = (folder / "own.pem").read_bytes()
    assert made()[1] not in (short, first[1])


@pytest.mark.parametrize(
    ("host", "files", "says"),
    [
        ("::", (), ":: is every address: give the one"),
        ("192.0.2.1", (), "192.0.2.1 is not this machine: give an address of its own"),
        ("no such name", (), "no such name is no known name"),
        ("127.0.0.1", ("own.pem", None), "--certificate and --key belong together"),
        ("127.0.0.1", ("own.pem", "ca.key"), "are no certificate and its key"),
        ("127.0.0.1", ("own.pem", "none"), "are no certificate and its key"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(
    tmp_path: Path, host: str, files: tuple[str | None, ...], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    Authority(tmp_path / "ca.pem", tmp_path / "ca.key", 2).sign("localhost", tmp_path / "own.pem", tmp_path / "own.key")
    certificate, key = (tmp_path / name if name else None for name in files or (None, None))
    with pytest.raises(BadInput) as refused:
        listening.listening(host, 0, certificate, key)
    assert_one_sentence(str(refused.value), [says])


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
def test_the_page_answers_by_tls(tmp_path: Path, begin: Begin) -> None:
    authority = Authority(tmp_path / "ca.pem", tmp_path / "ca.key", 2)
    authority.sign("localhost", tmp_path / "own.pem", tmp_path / "own.key", served=True)
    given = ("--host", "localhost", "--certificate", "own.pem", "--key", "own.key")
    with begin("ui", *given, session=True) as served:
        assert served.stdout
        found = re.match(r"open https://(localhost:\d+)(/\?token=\S+) ", served.stdout.readline())
        assert found
        assert "can start programs as" in served.stdout.readline()
        context = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
        secure = http.client.HTTPSConnection(found[1], context=context)
        secure.request("GET", found[2])
        assert "; Secure" in (secure.getresponse().headers["set-cookie"] or "")
        plain = http.client.HTTPConnection(found[1])
        plain.request("GET", found[2])
        with pytest.raises((http.client.HTTPException, OSError)):
            plain.getresponse()
        served.send_signal(signal.SIGINT)
        # A client that does not answer the end of TLS is no error.
        said = served.communicate(timeout=60)[1]
        secure.close()
        plain.close()
    assert said == "callbench: stopped\n"
    assert served.returncode == 130
