"""A study file is read whole or refused with one sentence that names the place."""

import os
from pathlib import Path

import pytest

from callbench.catalog.study import load, names
from callbench.catalog.study.claim import comparisons
from callbench.model.cell import Stack
from callbench.model.errors import BadInput

MESSAGES = ("soap", "xmlrpc", "bin", "bincomp", "json", "msgpack", "protobuf")
CHANNELS = ("inproc", "library", "shm", "shm-spin", "mqueue", "pipe", "unix", "supertcp", "http", "http-keepalive")
STACKS = [
    Stack(f"native/{message}+{channel}", "native", message, channel, "rust", "none", "1")
    for message in MESSAGES
    for channel in CHANNELS
]
ECHO = Stack("native/raw+supertcp", "native", "raw", "supertcp", "rust", "none", "1", instrument=True)

SMALL = """
title = "t"
[parameters]
n = 5
[[cells]]
group = "g"
stacks = ["native/*"]
call = "GetPersons"
arguments = { n = "{n}" }
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "study.toml"
    file.write_text(text)
    return file


def refusal(folder: Path, text: str, **settings: str) -> str:
    with pytest.raises(BadInput) as caught:
        load(written(folder, text), settings)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert "study.toml" in sentence
    return sentence


def test_the_article_runs_every_message_over_every_channel() -> None:
    study = load("remobjects")
    article = ("Sum", "GetPersons", "GetBinaryData", "GetBinaryData-zero")
    cells = [cell for cell in study.cells([*STACKS, ECHO], quick=False) if cell.group in article]
    assert len(cells) == 3 * 70 + 10
    assert [cell.id for cell in cells[:2]] == ["c001", "c002"]
    assert {cell.stack for cell in cells if cell.group == "Sum"} == {stack.id for stack in STACKS}
    assert (study.forks(quick=False), study.idle) == (3, ["held", "as it is"])
    assert cells[100].arguments == {"n": 250}


def test_a_quick_run_goes_over_no_slow_link() -> None:
    study = load("remobjects")
    cells = study.cells(STACKS, quick=True)
    near = [cell for cell in cells if cell.link == "loopback"]
    assert {cell.link for cell in cells} == {"loopback", "lan100"}
    assert {cell.link for cell in study.cells(STACKS, quick=False)} == {"loopback", "lan100", "modem56k"}
    assert (near[0].load.calls, near[0].load.seconds) == (100, 0.1)
    assert (study.forks(quick=True), study.rounds(quick=True)) == (8, 3)


def test_every_claim_of_the_article_has_a_predicate() -> None:
    study = load("remobjects")
    assert study.published is not None
    assert set(study.published.claims) <= {claim.id for claim in study.claims}
    assert all(comparisons(claim) for claim in study.claims)


def test_a_setting_takes_the_kind_of_its_default(tmp_path: Path) -> None:
    study = load(written(tmp_path, SMALL), {"n": "7"})
    assert study.groups[0].arguments == {"n": 7}


def test_the_studies_that_come_along_are_named() -> None:
    assert "remobjects" in names()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('title = "t"', 'title = "t'), "line 2"),
        (('title = "t"', 'title = "t"\ntitel = 1'), 'titel is not a key of a study: did you mean "title"?'),
        (('group = "g"', 'group = "g"\nstack = ["x"]'), 'did you mean "stacks"?'),
        (('group = "g"', "group = 3"), "cells[1]"),
        (('"GetPersons"', '"GetPerson"'), 'did you mean "GetPersons"?'),
        (('"{n}"', '"{m}"'), "{m} is not a parameter"),
        (('"{n}"', "-1"), "arguments.n is -1: it must be a whole number from 0 to 1000000"),
        (('"{n}"', "1000000000"), "from 0 to 1000000"),
        (('"{n}"', "2.5"), "arguments.n is 2.5"),
        (('{ n = "{n}" }', "{ }"), "arguments.n is missing"),
        (('{ n = "{n}" }', "{ n = 1, m = 2 }"), "arguments.m is not an argument of GetPersons"),
        (("[[cells]]", "[load]\nclients = [0]\n[[cells]]"), "greater than or equal to 1"),
        (("[[cells]]", "[load]\nclients = 10001\n[[cells]]"), "less than or equal to 10000"),
        (("[[cells]]", "[load]\ncalls = 0\n[[cells]]"), "load.calls is 0"),
        (("[[cells]]", "[load]\nseconds = 0.0\n[[cells]]"), "load.seconds is 0.0"),
        (("[[cells]]", "[load]\nseconds = nan\n[[cells]]"), "load.seconds"),
        (('title = "t"', 'title = "t"\npublished = "gone.toml"'), '"gone.toml", are neither beside it'),
        (("n = 5", "n = [5]"), "parameters.n"),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    assert said in refusal(tmp_path, SMALL.replace(*change))


def test_binary_data_has_a_size_and_a_fill(tmp_path: Path) -> None:
    text = SMALL.replace('"GetPersons"', '"GetBinaryData"')
    assert "from 0 to 268435456" in refusal(
        tmp_path, text.replace('{ n = "{n}" }', '{ size = 268435457, fill = "zero" }')
    )
    assert 'did you mean "zero"?' in refusal(tmp_path, text.replace('{ n = "{n}" }', '{ size = 1, fill = "zeroo" }'))


def test_a_name_comes_once(tmp_path: Path) -> None:
    assert '"g" comes twice' in refusal(tmp_path, SMALL + SMALL[SMALL.index("[[cells]]") :])


def test_an_unknown_parameter_is_refused(tmp_path: Path) -> None:
    assert 'did you mean "n"?' in refusal(tmp_path, SMALL, nn="3")
    assert "it must be a whole number" in refusal(tmp_path, SMALL, n="three")


TABLE = """
[[tables]]
id = "t"
title = "t"
{}
rows = [{{ label = "r", where = {{ group = "{}" }} }}]
columns = [{{ label = "c" }}]
"""


def test_a_table_names_groups_and_figures_that_are_there(tmp_path: Path) -> None:
    assert 'did you mean "g"?' in refusal(tmp_path, SMALL + TABLE.format("", "gg"))
    assert "names no published file" in refusal(tmp_path, SMALL + TABLE.format('published = "local.Sum"', "g"))


CLAIM = """
[[claims]]
id = "c"
text = "x"
[[claims.compare]]
for_each = { m = ["a", "b"] }
over = [{ group = "g", message = "{m}" }]
under = [{ group = "g", message = "c" }]
above = 1
label = "{m} over c"
"""


def test_a_comparison_is_written_out_for_each(tmp_path: Path) -> None:
    study = load(written(tmp_path, SMALL + CLAIM))
    assert [one.label for one in comparisons(study.claims[0])] == ["a over c", "b over c"]
    assert comparisons(study.claims[0])[1].over[0] == {"group": "g", "message": "b"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("above = 1", ""), "exactly one of above, below, between"),
        (("above = 1", "between = [2, 1]"), "the first number must be the smaller"),
        (("above = 1", "above = -1"), "greater than 0"),
        (('text = "x"', ""), "no published claim has that id"),
        (('group = "g", message = "c"', 'group = "h"'), 'there is no group "h"'),
        (('message = "{m}"', 'message = "{k}"'), "{k} is not a parameter"),
        (('message = "{m}"', 'mesage = "{m}"'), 'did you mean "message"?'),
    ],
)
def test_a_claim_is_checked(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    assert said in refusal(tmp_path, SMALL + CLAIM.replace(*change))


def test_what_is_no_study_file_is_refused(tmp_path: Path) -> None:
    assert "is empty" in refusal(tmp_path, "")
    with pytest.raises(BadInput, match="is a folder"):
        load(tmp_path)
    with pytest.raises(BadInput, match="does not exist"):
        load(tmp_path / "none.toml")
    binary = tmp_path / "study.toml"
    binary.write_bytes(b'title = "a"\n\x00\xff\xfe')
    with pytest.raises(BadInput, match="line 2 holds bytes that are not UTF-8"):
        load(binary)
    with pytest.raises(BadInput, match='did you mean "remobjects"'):
        load("remobject")
    fifo = tmp_path / "pipe.toml"
    os.mkfifo(fifo)
    with pytest.raises(BadInput, match="no ordinary file"):
        load(fifo)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path, SMALL)
    file.chmod(0)
    with pytest.raises(BadInput, match="cannot be read"):
        load(file)


def test_globs(tmp_path: Path) -> None:
    study = load(written(tmp_path, SMALL.replace('["native/*"]', '["native/*", "!*+supertcp"]')))
    assert len(study.cells(STACKS, quick=False)) == 63
    study = load(written(tmp_path, SMALL.replace('["native/*"]', '["native/raw+supertcp"]')))
    assert [cell.stack for cell in study.cells([*STACKS, ECHO], quick=False)] == ["native/raw+supertcp"]
    study = load(written(tmp_path, SMALL.replace('["native/*"]', '["native/sope+supertcp"]')))
    with pytest.raises(BadInput, match=r'matches no stack: did you mean "native/soap\+supertcp"'):
        study.cells(STACKS, quick=False)
    study = load(written(tmp_path, SMALL.replace('["native/*"]', '["native/*", "!native/*"]')))
    with pytest.raises(BadInput, match="leaves no stack"):
        study.cells(STACKS, quick=False)


def test_options_of_a_group_reach_its_cells(tmp_path: Path) -> None:
    study = load(written(tmp_path, SMALL + "options = { acknowledge = false, limit = 4096 }\n"), {})
    assert study.cells(STACKS, quick=False)[0].options == {"acknowledge": False, "limit": 4096}
    assert "options" in refusal(tmp_path, SMALL + "options = { acknowledge = [1] }\n")


OPEN = SMALL.replace('group = "g"', 'group = "g"\narrivals = "poisson"\nrate = [100, 200]\nclients = [1, 4]')


def test_a_ladder_of_rates_is_a_cell_each(tmp_path: Path) -> None:
    cells = load(written(tmp_path, OPEN)).cells(STACKS[:1], quick=False)
    found = [(cell.load.clients, cell.load.arrivals, cell.load.rate_per_s) for cell in cells]
    assert found == [(1, "poisson", 100.0), (1, "poisson", 200.0), (4, "poisson", 100.0), (4, "poisson", 200.0)]


def test_quick_has_rates_of_its_own_and_a_closed_group_takes_none(tmp_path: Path) -> None:
    closed = '[[cells]]\ngroup = "h"\nstacks = ["native/*"]\ncall = "Hello"\nthink_ms = 0.5\n'
    text = OPEN.replace("[[cells]]", "[load]\nrate = 7\n[quick]\nrate = 50\n[[cells]]", 1) + closed
    study = load(written(tmp_path, text))
    quick = study.cells(STACKS[:1], quick=True)
    assert [cell.load.rate_per_s for cell in quick] == [50.0, 50.0, None]
    assert [cell.load.think_ns for cell in quick] == [0, 0, 500_000]
    assert [cell.load.rate_per_s for cell in study.cells(STACKS[:1], quick=False)][:2] == [100.0, 200.0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("[100, 200]", "0"), "rate[1] is 0: it should be greater than 0"),
        (("[100, 200]", "[1, -5]"), "rate[2] is -5"),
        (("[100, 200]", '"fast"'), "rate"),
        (("[100, 200]", "[]"), "rate"),
        (("[100, 200]", "nan"), "rate"),
        (("rate = [100, 200]\n", ""), "group g: arrivals are poisson, but there is no rate"),
        (('"poisson"', '"Poisson"'), "arrivals"),
        (('arrivals = "poisson"\n', ""), "group g: rate is of an open loop, and arrivals are closed"),
        (("clients = [1, 4]", "think_ms = 5"), "group g: think_ms is of a closed loop, and arrivals are poisson"),
        (("[100, 200]", "0.01"), "1000 calls at 0.01 a second take 100,000 s a trial"),
        (("clients = [1, 4]", "[load]\nthink_ms = 5"), "[load] has think_ms, but every group is an open loop"),
    ],
)
def test_an_open_loop_that_makes_no_sense_is_refused(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    if change[1].startswith("[load]"):
        text = OPEN.replace("[[cells]]", "[load]\nthink_ms = 5\n[[cells]]", 1)
    else:
        text = OPEN.replace(*change)
    assert said in refusal(tmp_path, text)


def test_a_rate_needs_a_group_that_takes_it(tmp_path: Path) -> None:
    text = SMALL.replace("[[cells]]", "[load]\nrate = 5\n[[cells]]", 1)
    assert "[load] has a rate, but no group is an open loop" in refusal(tmp_path, text)
