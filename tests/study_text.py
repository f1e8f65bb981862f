"""The text of a small study, for a test that needs one of its own."""

from typing import Any

import tomli_w


def cells(group: str, stack: str, call: str = "Hello", **rest: Any) -> dict[str, Any]:
    """A table `[[cells]]` of a study."""
    return {"group": group, "stacks": [stack], "call": call, **rest}


def study_text(*of: dict[str, Any], **parts: Any) -> str:
    """A study file with these tables `[[cells]]`, and its other parts by their names."""
    return tomli_w.dumps({"title": "Small", "about": "A study of a test.", **parts, "cells": list(of)})
