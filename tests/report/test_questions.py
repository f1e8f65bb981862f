"""Open questions and optional rows, with figures made for the purpose."""

from pathlib import Path

import pytest

from callbench.analysis.cells.results import Latency, Result, Results
from callbench.analysis.judge.claims import Verdict, judge
from callbench.analysis.judge.questions import ask
from callbench.analysis.run.tables import filled
from callbench.analysis.wording.words import answer_text
from callbench.catalog.study import Study, load
from callbench.model.errors import BadInput
from callbench.stats.estimate.interval import geometric_mean

PUBLISHED = """
title = "p"
unit = "requests/s"
[near]
columns = ["x", "y"]
tcp = [300.0, 100.0]
[[claims]]
id = "c"
text = "x is quicker"
[[open_questions]]
text = "What else?"
[[open_questions]]
text = "Is x quicker?"
"""

STUDY = """
title = "t"
published = "p.toml"
[[cells]]
group = "g"
stacks = ["*"]
call = "Sum"
arguments = { a = 1, b = 2 }
[[tables]]
id = "sizes"
title = "t"
group = "g"
published = "near"
rows = [
    { label = "TCP", where = { channel = "tcp" }, published = "tcp", against = { message = "y" } },
    { label = "Elsewhere", where = { channel = "winmsg" }, optional = true },
]
columns = [
    { label = "x", where = { message = "x" }, published = "x" },
    { label = "y", where = { message = "y" }, published = "y" },
    { label = "bytes", where = { message = "x" }, statistic = "bytes" },
    { label = "pays", where = { message = "x" }, statistic = "break_even_mbit" },
]
[[claims]]
id = "c"
[[claims.compare]]
over = [{ group = "g", message = "x", channel = "tcp" }]
under = [{ group = "g", message = "y", channel = "tcp" }]
above = 1.5
label = "tcp"
[[claims.compare]]
over = [{ group = "g", message = "x", channel = "winmsg" }]
under = [{ group = "g", message = "y", channel = "winmsg" }]
above = 1.5
label = "winmsg"
optional = true
[[questions]]
id = "q"
open_question = 2
reading = "Over TCP."
tables = ["sizes"]
[[questions.answers]]
over = [{ group = "g", message = "x", channel = "tcp" }]
under = [{ group = "g", message = "y", channel = "tcp" }]
above = 1.5
label = "x over y"
holds = "It is quicker."
fails = "It is no quicker."
[[questions.answers]]
statistic = "cpu_us"
under_statistic = "mean_us"
over = [{ group = "g", message = "x", channel = "tcp" }]
under = [{ group = "g", message = "x", channel = "tcp" }]
below = 1.0
label = "processors"
holds = "Never both."
fails = "Both at once."
[[questions.answers]]
over = [{ group = "g", message = "x", channel = "winmsg" }]
under = [{ group = "g", message = "x", channel = "tcp" }]
above = 1.0
label = "winmsg over tcp"
holds = "Yes."
fails = "No."
optional = true
"""


def study(folder: Path, text: str = STUDY) -> Study:
    (folder / "p.toml").write_text(PUBLISHED)
    (folder / "s.toml").write_text(text)
    return load(folder / "s.toml")


def cell(message: str, channel: str, rates: list[float], **figures: list[float]) -> Result:
    attributes = {
        "clients": "1",
        "cell": f"{message}-{channel}",
        "stack": f"a/{message}+{channel}",
        "message": message,
        "channel": channel,
        "group": "g",
        "link": "loopback",
    }
    by_fork = {"rate_per_s": rates, **figures}
    return Result(
        attributes,
        {},
        1,
        {},
        3,
        {name: dict(enumerate(values)) for name, values in by_fork.items()},
        geometric_mean(rates) if rates else None,
        Latency(None, None, None),
        batched=False,
        agree=True,
    )


X = cell(
    "x",
    "tcp",
    [200.0, 202.0, 198.0],
    mean_us=[120.0, 121.0, 119.0],
    cpu_us=[90.0, 91.0, 92.0],
    bytes=[1000.0] * 3,
)
Y = cell("y", "tcp", [100.0] * 3, mean_us=[20.0, 21.0, 19.0], cpu_us=[30.0] * 3, bytes=[2000.0] * 3)
RUN = Results([X, Y], [], [])


def test_a_question_is_answered_by_the_runs_own_ratios(tmp_path: Path) -> None:
    asked = ask(study(tmp_path), RUN)[0]
    assert (asked.text, asked.reading, asked.tables) == ("Is x quicker?", "Over TCP.", ["sizes"])
    first, second = asked.answers
    assert (first.compared.verdict, first.sentence) == (Verdict.HOLDS, "It is quicker.")
    assert first.compared.published == 3.0
    assert first.compared.ratio is not None
    assert first.compared.ratio.middle == pytest.approx(2.0, rel=1e-3)
    assert (second.compared.verdict, second.sentence) == (Verdict.HOLDS, "Never both.")
    assert answer_text(first) == "It is quicker. x over y: 2.00 (1.95 to 2.05), threshold above 1.5; published: 3"


@pytest.mark.parametrize(
    ("rates", "verdict", "told"),
    [
        ([100.0, 101.0, 99.0], Verdict.FAILS, "It is no quicker."),
        ([120.0, 200.0, 180.0], Verdict.UNDECIDED, "Undecided: a difference under a factor of"),
        ([], Verdict.UNMEASURED, "x over y: x tcp: no call was answered"),
    ],
)
def test_an_answer_says_what_its_figure_calls_for(
    tmp_path: Path, rates: list[float], verdict: Verdict, told: str
) -> None:
    answer = ask(study(tmp_path), Results([cell("x", "tcp", rates), Y], [], []))[0].answers[0]
    assert answer.compared.verdict is verdict
    assert answer_text(answer).startswith(told)


def test_what_is_optional_is_left_out_where_it_is_missing(tmp_path: Path) -> None:
    both = study(tmp_path)
    assert [one.compared.comparison.label for one in ask(both, RUN)[0].answers] == ["x over y", "processors"]
    assert judge(both, RUN)[0].verdict is Verdict.HOLDS
    table = filled(both, RUN)[0]
    assert [row.label for row in table.rows] == ["TCP"]
    assert table.left_out == "Not measured in this run: Elsewhere."
    there = Results([X, Y, cell("x", "winmsg", [50.0, 51.0, 49.0]), cell("y", "winmsg", [50.0] * 3)], [], [])
    assert ask(both, there)[0].answers[2].sentence == "No."
    assert judge(both, there)[0].verdict is Verdict.FAILS
    table = filled(both, there)[0]
    assert ([row.label for row in table.rows], table.left_out) == (["TCP", "Elsewhere"], "")


def test_a_column_may_have_a_statistic_of_its_own(tmp_path: Path) -> None:
    table = filled(study(tmp_path), RUN)[0]
    rate, other, size, pays = table.rows[0].places
    assert table.mixed
    assert (rate.published, other.published, size.published) == ("300", "100", "")
    assert size.text == "1,000"
    # 1,000 bytes less for 100 microseconds more: 80 Mbit/s.
    assert pays.value == pytest.approx(80.0, rel=1e-9)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("open_question = 2", "open_question = 3", "question q is open_question 3: the published file has 2 of them"),
        ("open_question = 2", 'open_question = 2\ntext = "?"', "must have either open_question"),
        ("open_question = 2", "", "must have either open_question"),
        ('tables = ["sizes"]', 'tables = ["size"]', 'question q: there is no table "size"'),
        ('holds = "Never both."', "", r"questions\[1\] \(q\)\.answers\[2\].*holds is missing"),
        (', against = { message = "y" }', "", "come together"),
        ('label = "x", where', 'label = "x", optional = true, where', 'column "x" is optional'),
        ('label = "x", where', 'label = "x", sections = ["s"], where', 'column "x": no row has the section s'),
        ('label = "TCP", where', 'label = "TCP", statistic = "bytes", where', 'row "TCP" has a statistic'),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path: Path, old: str, new: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        study(tmp_path, STUDY.replace(old, new, 1))


def test_all_open_questions_of_the_article_are_answered() -> None:
    article = load("remobjects")
    asked = ask(article, Results([], [], []))
    assert article.published is not None
    assert sorted(one.text for one in asked) == sorted(article.published.open_questions)
    assert not any(one.measured for one in asked)
