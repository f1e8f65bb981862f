"""The report as one page that needs nothing else."""

from callbench.report.page import page
from callbench.report.subject import Subject


def text(subject: Subject) -> str:
    """Write it."""
    return page(subject)
