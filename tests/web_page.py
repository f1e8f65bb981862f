"""A folder with records of every kind that the tests have, and the page over it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from callbench.store.shelf import Shelf
from callbench.web.application import Pages
from callbench.web.guard import Guard
from conftest import ROOT

PORT = 8123
BASE = f"http://127.0.0.1:{PORT}"
KINDS = ("capacity", "compare", "load", "overload", "peer", "soak", "torture")


def names(folder: Path) -> list[str]:
    """The names of what lies in a folder."""
    return sorted(one.name for one in folder.iterdir())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of records, a copy of each kind."""
    runs = tmp_path / "runs"
    for kind in KINDS:
        shutil.copytree(ROOT / "tests/records" / kind, runs / kind)
    return runs


@pytest.fixture
def shelf(folder: Path) -> Shelf:
    return Shelf(folder)


@pytest.fixture
def guard(shelf: Shelf, tmp_path: Path) -> Guard:
    kept = tmp_path / "kept"
    kept.mkdir()
    return Guard(Pages(shelf, kept).application(), PORT)


@pytest.fixture
def stranger(guard: Guard) -> Iterator[TestClient]:
    """A client that has not opened the first address."""
    with TestClient(guard, base_url=BASE, follow_redirects=False) as client:
        yield client


@pytest.fixture
def page(guard: Guard) -> Iterator[TestClient]:
    """A browser that has opened the first address, and sends forms as one."""
    with TestClient(guard, base_url=BASE, follow_redirects=False) as client:
        assert client.get(f"/?token={guard.token}").status_code == 303
        client.headers["origin"] = BASE
        yield client
