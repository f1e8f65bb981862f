"""The report as one page that needs nothing else."""

from callbench.analysis.run.subject import Subject
from callbench.report.export.page import page


def text(subject: Subject) -> str:
    """Write it."""
    return page(subject)
