"""The picture of README.md: the first chart of a quick run of the main job that is kept here.

To draw it anew: `PYTHONPATH=src .venv/bin/python tests/docs/readme_picture.py`. To take another run, pack its folder as
`readme/remobjects-quick.tar.xz`, without `parquet` and `report.html`.
"""

import re
import tarfile
import tempfile
from importlib.resources import files
from pathlib import Path

from callbench.analysis.run.subject import subject
from callbench.model.installation import home
from callbench.report.charts.first import first_chart
from callbench.report.charts.palette import CONFIG
from callbench.report.text.summary import summary
from callbench.store.record import Record

RUN = Path(__file__).parent / "readme" / "remobjects-quick.tar.xz"
WIDE, NARROW = (home() / "docs/images" / name for name in ("report.svg", "report-narrow.svg"))
# Beside what is drawn, so that the picture has an edge on a page of any colour.
_MARGIN = 12


def drawn(folder: Path) -> dict[Path, str]:
    """Draw it for a wide page and for a narrow one, in the colours of a report, light or dark as its reader has it.

    Args:
        folder: where the run is unpacked.

    Returns:
        The text of each file.
    """
    with tarfile.open(RUN) as packed:
        packed.extractall(folder, filter="data")
    (path,) = folder.iterdir()
    found = subject(Record(path))
    chart = first_chart(found, summary(found).choices)
    assert chart is not None
    wide, narrow = re.findall(r"<svg .*?</svg>", str(chart.svg), re.DOTALL)
    return {WIDE: _alone(wide), NARROW: _alone(narrow)}


def _alone(svg: str) -> str:
    """Give a chart of a page what it needs as a file: colours, paper and a margin."""
    # A picture has no script that would answer for its marks.
    head, _, rest = re.sub(r' data-at="[^"]*"', "", svg).partition(">")
    head = head.replace(
        "<svg", f'<svg xmlns="http://www.w3.org/2000/svg" font-family="{CONFIG["font"]}" font-size="12"', 1
    )
    found = re.search(r'width="([\d.]+)" height="([\d.]+)" viewBox="[^"]+"', head)
    assert found is not None
    width, height = (round(float(size)) + 2 * _MARGIN for size in found.groups())
    head = head.replace(found[0], f'width="{width}" height="{height}" viewBox="{-_MARGIN} {-_MARGIN} {width} {height}"')
    paper = f'<rect x="{-_MARGIN}" y="{-_MARGIN}" width="{width}" height="{height}" rx="8" fill="var(--paper)"/>'
    return f"{head}><style>{_colours()}svg {{ color: var(--ink); }}</style>{paper}{rest}\n"


def _colours() -> str:
    """Take the colours from the style of a page, which begins with them."""
    style = (files("callbench.report") / "templates" / "page.css").read_text()
    return style.partition("* {")[0]


def main() -> None:
    """Draw it into the documentation."""
    with tempfile.TemporaryDirectory() as folder:
        for file, text in drawn(Path(folder)).items():
            file.write_text(text)


if __name__ == "__main__":
    main()
