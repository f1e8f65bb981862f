"""A study file: which cells to measure, which tables to print, which claims to hold against the run."""

from callbench.catalog.study.load import Study, folder, load, names

__all__ = ["Study", "folder", "load", "names"]
