"""Who may use the page: one browser, from the page itself."""

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from callbench.web.guard import Guard

pytest_plugins = ["web_page"]

BASE = "http://127.0.0.1:8123"


def test_the_first_address_gives_a_strict_cookie_and_leaves_the_token(stranger: TestClient, guard: Guard) -> None:
    answer = stranger.get(f"/?token={guard.token}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "callbench-8123=" in cookie
    assert guard.token not in answer.headers["set-cookie"]
    assert stranger.get("/").status_code == 200


@pytest.mark.parametrize("path", ["/", "/style.css", "/records/soak", "/records/soak/export", "/?token=wrong"])
def test_nobody_else_reads(stranger: TestClient, path: str) -> None:
    answer = stranger.get(path)
    assert answer.status_code == 403
    assert "soak" not in answer.text
    assert answer.text.count("\n") == 1


def test_the_script_of_a_frame_without_an_origin_is_for_all_and_has_no_other_address(stranger: TestClient) -> None:
    answer = stranger.get("/tables.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert stranger.get("/framing.js").status_code == 403
    assert stranger.get("/tables.js", headers={"host": "evil.example:8123"}).status_code == 421
    assert stranger.post("/tables.js", headers={"origin": BASE}).status_code in {403, 405}


def test_nobody_else_changes(stranger: TestClient, guard: Guard) -> None:
    assert stranger.post("/records/soak/delete", data={"sure": "yes"}, headers={"origin": BASE}).status_code == 403
    assert stranger.post(f"/?token={guard.token}", headers={"origin": BASE}).status_code == 403


def test_by_tls_the_cookie_is_secure_and_only_the_names_given_are_known() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse("read")(scope, receive, send)

    guard = Guard(app, 8123, ("box.example", "2001:db8::7"), tls=True)
    client = TestClient(guard, base_url="https://box.example:8123", follow_redirects=False)
    cookie = client.get(f"/?token={guard.token}").headers["set-cookie"].lower()
    assert all(word in cookie for word in ("; secure", "httponly", "samesite=strict"))
    assert client.get("/").text == client.get("/", headers={"host": "[2001:db8::7]:8123"}).text == "read"
    for host in ("127.0.0.1:8123", "localhost:8123", "box.example", "192.0.2.1:8123"):
        assert client.get("/", headers={"host": host}).status_code == 421
    for origin, status in (("https://box.example:8123", 200), ("http://box.example:8123", 403)):
        assert client.post("/", headers={"origin": origin}).status_code == status
    usual = TestClient(Guard(app, 443, ("box.example",), tls=True), base_url="https://box.example")
    assert usual.get("/").status_code == 403, "not 421: browsers leave the usual port out"


@pytest.mark.parametrize(
    "host", ["evil.example:8123", "127.0.0.1:8124", "127.0.0.1", "", "127.0.0.1:8123.evil.example"]
)
def test_another_name_for_this_machine_is_refused(page: TestClient, host: str) -> None:
    """DNS rebinding: a name of another's that leads here."""
    assert page.get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:8123", "http://127.0.0.1:9"])
def test_another_page_changes_nothing(page: TestClient, origin: str) -> None:
    answer = page.post("/records/soak/delete", data={"sure": "yes"}, headers={"origin": origin})
    assert answer.status_code == 403
    assert page.get("/records/soak").status_code == 200


def test_a_change_without_an_origin_is_refused(page: TestClient) -> None:
    del page.headers["origin"]
    assert page.post("/records/soak/tags", data={"tags": "a"}).status_code == 403


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_other_methods_are_refused(page: TestClient, method: str) -> None:
    assert page.request(method, "/records/soak").status_code == 405


@pytest.mark.parametrize(
    "path", ["/records/soak/delete", "/records/soak/tags", "/records/soak/name", "/import", "/records/soak/report"]
)
def test_reading_changes_nothing(page: TestClient, path: str) -> None:
    page.get(path, params={"sure": "yes", "tags": "x", "name": "y"})
    assert page.get("/records/soak").status_code == 200
    assert page.get("/records/y").status_code == 404


@pytest.mark.parametrize("path", ["/", "/records/soak/delete", "/no/such/page", "/style.css"])
def test_nothing_from_elsewhere_and_no_script(page: TestClient, path: str) -> None:
    answer = page.get(path)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert "unsafe-inline" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in answer.headers
    assert "<script" not in answer.text
    assert "style=" not in answer.text
