"""Study files: the cells to measure, the tables to print, the claims to check."""

from callbench.catalog.study.load import Study, folder, load, names

__all__ = ["Study", "folder", "load", "names"]
