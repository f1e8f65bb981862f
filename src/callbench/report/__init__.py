"""What a run found, shown: in the terminal, as a page, as Markdown, CSV and JSON. Always from the stored run."""

from callbench.report.export import FORMATS, write
from callbench.report.export.show import shown
from callbench.report.terminal import print_cells, print_summary

__all__ = ["FORMATS", "print_cells", "print_summary", "shown", "write"]
