"""A file of endpoints and sessions, as a person writes it, and the bodies that are named."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callbench.catalog.requests import bodies, defaults, requests_file
from callbench.model.errors import BadInput
from callbench.model.script import Script

SHOP = """
headers = { Accept = "application/json", "X-Team" = "load" }

[[request]]
path = "/products"
weight = 8

[[request]]
path = "/orders"
bodies = ["order.json", "orders.jsonl"]
headers = { accept = "text/plain" }

[[session]]
name = "buy"
weight = 2

[[session.once]]
path = "/login"
body = '{"user": "u{client}"}'
take = { token = "$.token", sid = { cookie = "sid" } }

[[session.step]]
path = "/cart"
headers = { Authorization = "Bearer {token}" }
"""


def written(folder: Path, text: str) -> Path:
    (folder / "order.json").write_text("{}")
    (folder / "orders.jsonl").write_text('{"n":1}\n{"n":2}\n')
    path = folder / "shop.toml"
    path.write_text(text)
    return path


def test_endpoints_and_sessions_become_a_script(tmp_path: Path) -> None:
    script = requests_file.read(written(tmp_path, SHOP))
    assert [(one.name, one.weight) for one in script.sessions] == [
        ("", 8),
        ("", 1),
        ("buy", 2),
    ]
    products, orders, buy = script.sessions
    assert products.steps[0].headers == (("Accept", "application/json"), ("X-Team", "load"))
    assert orders.steps[0].headers == (("X-Team", "load"), ("accept", "text/plain"))
    given = [(body.file or body.lines) for body in orders.steps[0].bodies or ()]
    assert given == [str(tmp_path / "order.json"), str(tmp_path / "orders.jsonl")]
    assert buy.once is not None
    assert Script(sessions=(buy,)).option()["sessions"][0]["once"][0]["take"] == {
        "token": {"json": "$.token"},
        "sid": {"cookie": "sid"},
    }


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "has no [[request]] and no [[session]]"),
        ("[[request]\n", "is no TOML"),
        ("[[request]]\npth = '/x'", "[[request]] 1: pth: Extra inputs are not permitted"),
        ("[[request]]\npath = 'x'", "[[request]] 1: path: the path 'x' must begin with /"),
        ("[[request]]\nweight = 0", "weight: Input should be greater than 0"),
        ("[[request]]\nbodies = []", "[[request]] 1: bodies is a list of files, folders or texts"),
        ("[[request]]\nbodies = ['no.json']", "bodies no.json: there is no such file"),
        ("[[request]]\nheaders = ['a']", "[[request]] 1: headers is a table of texts"),
        ("[[request]]\ntake = { a = '$.a' }", "[[request]] 1: take is for a session"),
        ("[[session]]\nname = 'a'", "[[session]] 1 [[session.step]]: Field required"),
        ("[[session]]\nname = 'a'\n[[session.step]]\ntake = { a = { jso = 'x' } }", "session a, step 1: take a jso"),
        ("[[session]]\nname = 'a'\n[[session.step]]\ntake = { a = {} }", "a value is taken from one place"),
        (
            "[[session]]\nname = 'a'\n[[session.step]]\ntake = { a = { field = 'x' } }",
            "session a, step 1: take a field: 'x' is not a path of field numbers",
        ),
        ("[[session]]\nname = 'a'\nstep = [{}]\n[[session]]\nname = 'a'\nstep = [{}]", "two sessions are called a"),
    ],
)
def test_what_is_wrong_is_named_by_its_place(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(BadInput) as refused:
        requests_file.read(written(tmp_path, text))
    assert str(tmp_path / "shop.toml") in str(refused.value)
    assert why in str(refused.value)


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_text_is_a_script_or_a_refusal(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_bytes(f"[[request]]\n{text}".encode(errors="surrogatepass"))
    said = ""
    try:
        assert requests_file.read(path).sessions
    except BadInput as refused:
        said = str(refused)
    assert not said or str(path) in said


def test_defaults_fill_what_a_request_leaves_out(tmp_path: Path) -> None:
    text = "[[request]]\npath = '/a'\n[[request]]\npath = '/b'\nheaders = { x = '1' }\nexpect_status = [201]"
    said = {"headers": [("X", "2"), ("Y", "3")], "expect_match": "ok"}
    plain, own = (
        one.steps[0] for one in defaults.with_defaults(requests_file.read(written(tmp_path, text)), said).sessions
    )
    assert (plain.headers, plain.expect_match) == ((("X", "2"), ("Y", "3")), "ok")
    assert (own.headers, own.expect_match, own.expect_status) == ((("Y", "3"), ("x", "1")), None, (201,))


def test_bodies_are_texts_files_folders_and_lines(tmp_path: Path) -> None:
    folder = tmp_path / "bodies"
    folder.mkdir()
    for name in ("b.json", "a.json", ".hidden"):
        (folder / name).write_text(name)
    written(tmp_path, "")
    found = bodies.found(['{"text": 1}', "bodies", "orders.jsonl"], "--body", tmp_path)
    assert [one.text or one.file or one.lines for one in found] == [
        '{"text": 1}', str(folder / "a.json"), str(folder / "b.json"), str(tmp_path / "orders.jsonl")
    ]  # fmt: skip
    assert bodies.text_of(bodies.found(["plain words"], "--body")) == "plain words"


@pytest.mark.parametrize("name", ["nope.json", "./nope", "bodies/nope.jsonl"])
def test_a_file_that_is_not_there_is_no_text(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match=f"--body {name}: there is no such file"):
        bodies.found([name], "--body", tmp_path)
