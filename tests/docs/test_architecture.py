"""The architecture page names files and folders that exist."""

import re

from callbench.model.installation import home


def test_the_files_of_a_run_exist_and_are_few() -> None:
    page = (home() / "docs/architecture.md").read_text()
    section = page.partition("## Follow a run through the code")[2].partition("\n## ")[0]
    files = re.findall(r"^\| `([\w/]+\.py)`", section, re.MULTILINE)
    assert 5 <= len(files) <= 10
    for file in files:
        assert (home() / "src/callbench" / file).is_file(), file
