"""The picture of README.md is what is drawn of the run that is kept for it, today."""

from pathlib import Path

from readme_picture import NARROW, WIDE, drawn

from callbench.model.installation import home


def test_the_picture_is_the_first_chart_of_the_kept_run(tmp_path: Path) -> None:
    for file, text in drawn(tmp_path).items():
        assert file.read_text() == text, f"{file}: draw it anew, as tests/docs/readme_picture.py says"


def test_the_readme_shows_it() -> None:
    readme = (home() / "README.md").read_text()
    assert f'src="{WIDE.relative_to(home())}"' in readme
    assert f'srcset="{NARROW.relative_to(home())}"' in readme
