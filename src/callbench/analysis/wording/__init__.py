"""How ratios, verdicts, cells and limits are written, the same in every format."""
