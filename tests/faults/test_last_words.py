"""What an adapter writes to its log just before its end is in the message about its end."""

import sys
import time
from pathlib import Path
from typing import Any

import pytest

from callbench.adapter.process import AdapterProcess


@pytest.mark.parametrize("supervised", [False, True])
def test_a_log_that_is_read_late_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, supervised: bool
) -> None:
    keep = AdapterProcess._keep_log

    def late(self: AdapterProcess, stream: Any) -> None:
        time.sleep(0.3)
        keep(self, stream)

    monkeypatch.setattr(AdapterProcess, "_keep_log", late)
    program = [sys.executable, "-c", "import sys; sys.exit('out of cheese')"]
    process = AdapterProcess("the client", program, tmp_path, (), supervised=supervised)
    try:
        assert process.wait(60) == 1
        assert process.last_log_lines() == "; its log ends with: out of cheese"
    finally:
        process.close(grace=0)
