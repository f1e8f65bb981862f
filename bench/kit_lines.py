"""How many lines the kit of each language has: runner protocol, load loop, clock, histogram, service and check.

`bench/run kit_lines`. Goal: under 600 lines per language. Not counted: technologies, records and interfaces of the
service in that language, tests, and the host, which exists once, in Rust.
"""

from collections.abc import Iterable
from pathlib import Path

ADAPTERS = Path(__file__).resolve().parents[1] / "adapters"
# The files of each kit, and what begins a comment there.
KITS = {
    "C++": (("cpp/kit/**/*.cpp", "cpp/kit/**/*.hpp"), "//"),
    "C#": (("dotnet/kit/**/*.cs",), "//"),
    "Go": (("go/kit/*.go",), "//"),
    "Java": (("java/kit/src/main/java/org/callbench/kit/**/*.java",), "//"),
    "Node.js": (("node/kit/*.mjs",), "//"),
    "Python": (("python/callbench_python/*.py",), "#"),
}


def main() -> None:
    """Prints a line a language."""
    print(f"{'':10}{'files':>8}{'lines':>8}{'of code':>10}")
    for language, (patterns, comment) in KITS.items():
        files = [file for pattern in patterns for file in ADAPTERS.glob(pattern) if not is_test(file)]
        lines = [line.strip() for file in files for line in file.read_text().splitlines()]
        print(f"{language:10}{len(files):8}{len(lines):8}{code(lines, comment):10}")


def is_test(file: Path) -> bool:
    """Say whether a file of a kit's folder is none of the kit."""
    return file.stem.endswith("_test") or file.stem.startswith("test_")


def code(lines: Iterable[str], comment: str) -> int:
    """Count the lines that are neither empty nor a comment alone; fork comments of one star a line are comments."""
    return sum(bool(line) and not line.startswith((comment, "/*", "*")) for line in lines)


if __name__ == "__main__":
    main()
