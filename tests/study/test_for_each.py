"""What is alike in a study is written once: lists, and tables that say for_each."""

from pathlib import Path

import pytest

from callbench.catalog.study import Study, load
from callbench.catalog.study.claim import comparisons
from callbench.model.errors import BadInput

FAR = 'for_each = { n = "{sizes}" }, group = "far-{n}"'
SIZES = """
title = "t"
[parameters]
clients = 2
[lists]
sizes = [1, 2500]
some = ["a/x", "a/y"]
series = [{ label = "x of {clients}", where = { stack = "a/x" } }, { label = "y", where = { stack = "a/y" } }]
[[cells]]
for_each = { n = "{sizes}", kind = ["near", "far"] }
group = "{kind}-{n}"
optional = ["{some}", "b/*"]
clients = ["{clients}", 5]
call = "GetPersons"
arguments = { n = "{n}" }
[[tables]]
id = "t"
title = "t"
columns = "{series}"
rows = [{ for_each = { n = "{sizes}" }, label = "{n:,} persons", where = { group = "near-{n}" } }, { label = "all" }]
[[charts]]
id = "c"
title = "c"
x = "n"
points = [{ for_each = { n = "{sizes}" }, group = "far-{n}", at = "{n}" }]
series = ["{series}", { label = "z", where = { stack = "b/z" } }]
[[claims]]
id = "c"
text = "x"
[[claims.compare]]
for_each = { s = "{some}" }
over = [{ for_each = { n = "{sizes}" }, group = "near-{n}", stack = "{s}" }]
under = [{ FAR, stack = "{s}" }]
mean = true
above = 1
label = "{s}"
""".replace("FAR", FAR)


def read(folder: Path, old: str = "", new: str = "") -> Study:
    file = folder / "study.toml"
    file.write_text(SIZES.replace(old, new) if old else SIZES)
    return load(file)


def test_groups_are_written_out_for_each_combination(tmp_path: Path) -> None:
    groups = read(tmp_path).groups
    assert [one.group for one in groups] == ["near-1", "far-1", "near-2500", "far-2500"]
    assert [one.arguments["n"] for one in groups] == [1, 1, 2500, 2500]
    assert groups[0].optional == ["a/x", "a/y", "b/*"]
    assert groups[0].clients == [2, 5]


def test_texts_are_written_out_too(tmp_path: Path) -> None:
    product = '{ for_each = { m = ["soap", "bin"], c = ["tcp", "unix"] }, text = "a/{m}+{c}" }'
    groups = read(tmp_path, '"{some}", "b/*"', f'"b/*", {product}').groups
    assert groups[0].optional == ["b/*", "a/soap+tcp", "a/soap+unix", "a/bin+tcp", "a/bin+unix"]


def test_rows_points_and_series_come_from_lists(tmp_path: Path) -> None:
    study = read(tmp_path)
    [table], [chart] = study.tables, study.charts
    assert [row.label for row in table.rows] == ["1 persons", "2,500 persons", "all"]
    assert [column.label for column in table.columns] == ["x of 2", "y"]
    assert [(one.group, one.at) for one in chart.points] == [("far-1", 1), ("far-2500", 2500)]
    assert [one.label for one in chart.series] == ["x of 2", "y", "z"]


def test_a_mean_takes_as_many_cells_as_the_list_has(tmp_path: Path) -> None:
    one, other = comparisons(read(tmp_path).claims[0])
    assert (one.label, other.label) == ("a/x", "a/y")
    assert [cell["group"] for cell in one.over] == ["near-1", "near-2500"]
    assert {cell["stack"] for cell in other.under} == {"a/y"}
    assert (one.root, other.root) == (2, 2)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('n = "{sizes}", kind', 'n = "{size}", kind'), '{size} is not a parameter of this study: did you mean "s'),
        (('n = "{sizes}", kind', "n = [], kind"), "cells[1].for_each.n is []: it must be a list of numbers or texts"),
        (('n = "{sizes}", kind', "n = 5, kind"), "cells[1].for_each.n is 5: it must be a list"),
        (('{ n = "{sizes}", kind = ["near", "far"] }', "[1, 2]"), "cells[1].for_each must name variables"),
        (('n = "{sizes}", kind', '"7n" = [7], kind'), "cells[1].for_each.7n: a variable is named by letters"),
        (("sizes = [1, 2500]", f"sizes = {list(range(6000))}"), "12,000 combinations: at most 10,000"),
        (("sizes = [1, 2500]", "sizes = 1"), "lists.sizes is 1: it must be a list"),
        (("sizes = [1, 2500]", "clients = [1]\nsizes = [1, 2500]"), "lists.clients is named like a parameter"),
        (("sizes = [1, 2500]", 'sizes = ["{sizes}"]'), "lists.sizes[1]: {sizes} is not a parameter"),
        (("[parameters]\nclients = 2\n[lists]", "lists = 3\n[list]"), "lists must be a table"),
        (("[lists]", "[list]"), "{sizes} is not a parameter"),
        (('"{kind}-{n}"', '"{kind}-{sizes}"'), "cells[1].group: {sizes} is a list, which cannot be part of a text"),
        (('"{kind}-{n}"', '"{kind:,}-{n}"'), "{kind:,} formats a number with separators"),
        (('"{kind}-{n}"', '"{n}"'), "cells[1] (1).group is 1: it should be a valid string"),
        (('"{kind}-{n}"', '"g{n}"'), 'group "g1" comes twice'),
        ((f"under = [{{ {FAR}", 'under = [{ group = "far-1"'), "2 cells over and 1 under"),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    with pytest.raises(BadInput) as caught:
        read(tmp_path, *change)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
