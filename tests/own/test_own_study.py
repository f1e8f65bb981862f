"""The folder of an imported service as a study."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from test_own_answers import SERVICE

from callbench.adapter.generators.languages import LANGUAGES
from callbench.catalog import catalogue
from callbench.catalog.own import folder
from callbench.catalog.own import study as own_study
from callbench.catalog.study import load
from callbench.model.errors import BadInput
from callbench.runner.plan import own_service
from conftest import assert_one_sentence


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    """A service of two calls."""
    folder.write(tmp_path / "orders", SERVICE)
    return tmp_path / "orders"


def test_every_call_is_measured_over_the_usual_channels(orders: Path) -> None:
    """As many cells for each call, all native."""
    study = load(orders)
    cells = study.cells(catalogue.load().every, quick=True)
    assert study.name == "orders"
    assert {cell.call for cell in cells} == {"Place", "Echo"}
    channels = {cell.stack.rpartition("+")[2] for cell in cells}
    assert channels <= set(own_study.usual_channels())
    assert len(channels) > 1
    assert all(cell.stack.startswith("native/") and cell.wire == {} for cell in cells)


def test_a_study_in_the_folder_stands_instead(orders: Path) -> None:
    """With the service's calls, and one pair of them where it says so."""
    (orders / "study.toml").write_text(
        'title = "Mine"\n[[cells]]\ngroup = "one"\nstacks = ["native/json+unix"]\n'
        'call = "Place"\narguments = { pair = 2 }\n'
    )
    study = load(orders)
    assert study.title == "Mine"
    assert [cell.arguments for cell in study.cells(catalogue.load().every, quick=False)] == [{"pair": 2}]


def test_a_call_that_the_service_lacks_is_refused_with_those_it_has(orders: Path) -> None:
    """In one sentence that names the place."""
    (orders / "study.toml").write_text(
        'title = "Mine"\n[[cells]]\ngroup = "one"\nstacks = ["native/json+unix"]\ncall = "Plaice"\n'
    )
    with pytest.raises(BadInput, match=r'study\.toml.*"Plaice".*Place'):
        load(orders)


def test_a_call_without_payloads_gets_some_that_fit_its_schema(orders: Path) -> None:
    """And the study says so, since their sizes are not the user's."""
    text = (orders / "service.toml").read_text()
    (orders / "service.toml").write_text(text.replace(', payloads = "payloads/Echo.jsonl"', ""))
    service, made = own_service.read(orders)
    assert made == ("Echo",)
    assert len(service.payloads["Echo"]) == own_service.MADE
    assert all(set(pair.request) == {"count"} for pair in service.payloads["Echo"] if isinstance(pair.request, dict))
    assert "Echo" in load(orders).about
    assert service == own_service.read(orders)[0]


def test_a_service_without_calls_is_no_study(orders: Path) -> None:
    """And says what to give it."""
    text = (orders / "service.toml").read_text()
    (orders / "service.toml").write_text(text.partition("call = [")[0])
    with pytest.raises(BadInput, match="call"):
        load(orders)


def test_without_rust_one_sentence_says_what_to_install(
    orders: Path, callbench: Callable[..., CompletedProcess[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no run folder is left behind."""
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("XDG_CACHE_HOME", str(orders.parent / "cache"))
    ended = callbench("run", orders, "--quick", "--out", orders.parent / "run")
    assert ended.returncode == 2
    assert "rustup" in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert not (orders.parent / "run").exists()


def test_a_call_named_as_one_of_callbench_is_refused(
    orders: Path, callbench: Callable[..., CompletedProcess[str]]
) -> None:
    """Since both would be the same on the wire."""
    file = orders / "service.toml"
    file.write_text(file.read_text().replace('"Echo"', '"Hello"'))
    ended = callbench("verify", orders)
    assert ended.returncode == 2
    assert "Hello" in ended.stderr
    assert "rename" in ended.stderr


def test_languages_add_the_stacks_that_carry_the_service(orders: Path) -> None:
    """Beside the native ones, and no stack that does not carry it."""
    every = own_service.for_service(catalogue.load()).every
    cells = load(orders, languages=("go",)).cells(every, quick=True)
    added = {cell.stack for cell in cells if not cell.stack.startswith("native/")}
    assert added == {"go/json+nethttp", "go/protobuf+grpc"}
    assert added <= {one.id for one in every}
    assert not [one.id for one in every if one.adapter in LANGUAGES and not one.own]


def test_a_stack_for_such_services_alone_is_in_no_other_study() -> None:
    """It has a card like any other, and its name says what it is for."""
    known = catalogue.load()
    assert "go/protobuf+grpc" in {one.id for one in known.listed}
    assert not [one.id for one in known.every if "go/protobuf+grpc" in one.id]
    with pytest.raises(BadInput, match="service of your own"):
        known.stack("go/protobuf+grpc")


def test_a_stack_for_such_services_alone_is_served_by_runs_only(
    callbench: Callable[..., CompletedProcess[str]],
) -> None:
    """Its program must be compiled for the service."""
    ended = callbench("serve", "go/protobuf+grpc")
    assert ended.returncode == 2
    assert "service of your own" in ended.stderr


def test_a_run_plans_the_languages_that_are_named(
    orders: Path, callbench: Callable[..., CompletedProcess[str]]
) -> None:
    """Without compiling anything."""
    shown = callbench("run", orders, "--languages", "go", "--quick", "--dry-run", check=True)
    assert "go/json+nethttp" in shown.stdout
    assert "go/" not in callbench("run", orders, "--quick", "--dry-run", check=True).stdout
    # Agents start what is installed, which the program of these calls is not.
    refused = callbench("run", orders, "--hosts", "alpha,beta", "--dry-run")
    assert refused.returncode == 2
    assert_one_sentence(refused.stderr.strip(), ["compiled on this machine", "without hosts"])


def test_a_language_that_is_not_known_is_refused_with_those_that_are(
    orders: Path, callbench: Callable[..., CompletedProcess[str]]
) -> None:
    """For a run and for a verification; and where no service is named."""
    for command in ("run", "verify"):
        ended = callbench(command, orders, "--languages", "go,cobol")
        assert ended.returncode == 2
        assert "'cobol'" in ended.stderr
        assert "go" in ended.stderr
    assert callbench("run", "health", "--languages", "go").returncode == 2
    assert callbench("verify", "native/json+tcp", "--languages", "go").returncode == 2


def test_languages_and_a_study_in_the_folder_exclude_each_other(
    orders: Path, callbench: Callable[..., CompletedProcess[str]]
) -> None:
    """The study names its stacks."""
    (orders / "study.toml").write_text('title = "Mine"\n[[cells]]\ngroup = "one"\nstacks = ["go/*"]\ncall = "Place"\n')
    ended = callbench("run", orders, "--languages", "go", "--dry-run")
    assert ended.returncode == 2
    assert "study.toml" in ended.stderr
    assert "go/json+nethttp" in callbench("run", orders, "--dry-run", check=True).stdout
