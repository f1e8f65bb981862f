"""The formats of a report, a file each; `formats` lists those of a run."""
