"""Profiles: what they say, what they refuse, and that each one that comes along can be read."""

from pathlib import Path

import pytest

from callbench.catalog.links import profile
from callbench.catalog.reach import PAIR
from callbench.catalog.study import load
from callbench.model.errors import BadInput
from callbench.stats.wire.link import ways
from conftest import SMALL


def test_every_profile_that_comes_along_says_where_its_figures_are_from() -> None:
    named = profile.builtin_links()
    asked = {"lan1g", "lan100", "wifi", "wan20", "wan50", "wan200", "lte", "modem56k", "satellite", "lossy1"}
    assert asked <= set(named)
    assert all(link.about and link.source for name, link in named.items() if name != PAIR)


def test_a_direction_says_more_than_the_whole(tmp_path: Path) -> None:
    study = tmp_path / "s.toml"
    own = "[links.far]\ndelay_ms = 3\nrate_mbit = 8\nto_client = { rate_mbit = 0.049, loss = 0.5 }\n"
    study.write_text(SMALL + own)
    wire = load(study).links["far"].wire
    assert wire["mtu"] == 1500
    to_server, to_client = ways(wire)
    assert (to_server["rate_bps"], to_client["rate_bps"]) == (8_000_000, 49_000)
    assert (to_server["delay_ns"], to_client["delay_ns"]) == (3_000_000, 3_000_000)
    assert (to_server["loss"], to_client["loss"]) == (0, 0.5)
    assert load(study).links["far"].describe("to_client") == "3 ms, 0.049 Mbit/s, 50 % lost"


@pytest.mark.parametrize(
    ("profile", "sentence"),
    [
        ("[links.x]\nrate_mbit = 0", "links.x.rate_mbit is 0: it should be greater than 0"),
        ("[links.x]\ndelay_ms = -1", "links.x.delay_ms is -1: it should be greater than or equal to 0"),
        ("[links.x]\nloss = 1.0", "links.x.loss is 1.0: it should be less than 1"),
        ("[links.x]\nmtu = 20", "links.x.mtu is 20"),
        ("[links.x]\ndelay_ms = 1\njitter_ms = 2", "links.x: jitter_ms is 2 and must not exceed delay_ms, 1"),
        ("[links.x]\nreorder = 0.1", "links.x: reorder needs reorder_by_ms"),
        ("[links.x]\noffload = true\nrate_mbit = 1", "offload keeps frames of 64 KiB"),
        ("[links.x]\nspeed = 1", "links.x.speed is not a key"),
        ("[links.x.to_server]\nloss = 2.0", "links.x.to_server.loss is 2.0"),
        ("[links.lan100]\ndelay_ms = 1", "links.lan100: there is a link of this name already"),
        ('[[cells]]\ngroup = "y"\nstacks = ["*"]\ncall = "Hello"\nlink = "lan10"', 'group y: there is no link "lan10"'),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_with_its_place(tmp_path: Path, profile: str, sentence: str) -> None:
    study = tmp_path / "s.toml"
    study.write_text(SMALL + profile)
    with pytest.raises(BadInput) as failure:
        load(study)
    assert str(study) in str(failure.value)
    assert sentence in str(failure.value)


def test_a_link_of_the_command_line_takes_the_place_of_all() -> None:
    study = load("remobjects", link="wan50")
    assert {group.link or study.part.load.link for group in study.groups} == {"wan50"}
    assert {table.link for table in study.tables} == {"wan50"}
    with pytest.raises(BadInput, match='there is no link "wan5"'):
        load("remobjects", link="wan5")
