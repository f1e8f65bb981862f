"""What a checkout has compiled is taken over into the cache's target folder, and the checkout stays as it is."""

import os
import shutil
from pathlib import Path

import pytest

from callbench.adapter.generators import program, warm

HASH = "0123456789abcdef"
OTHER = "fedcba9876543210"


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """What cargo leaves in `target/release`: a library, a macro, a build script and two crates of the workspace."""
    files = [
        f".fingerprint/serde-{HASH}/lib-serde",
        f".fingerprint/callbench-transport-{HASH}/lib-callbench_transport",
        f".fingerprint/callbench-codec-{HASH}/lib-callbench_codec",
        f"build/zstd-sys-{HASH}/out/libzstd.a",
        f"deps/libserde-{HASH}.rlib",
        f"deps/libserde-{HASH}.rmeta",
        f"deps/libserde_derive-{HASH}.so",
        f"deps/libcallbench_transport-{HASH}.rlib",
        f"deps/libcallbench_codec-{HASH}.rlib",
        f"deps/callbench_native-{HASH}",
    ]
    root = tmp_path / "checkout" / "release"
    for number, name in enumerate(files):
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
        os.utime(file, ns=(1, 1_700_000_000_000_000_000 + number))
    return root


def _files(root: Path) -> dict[str, tuple[str, int]]:
    return {
        str(path.relative_to(root)): (path.read_text(), path.stat().st_mtime_ns)
        for path in root.rglob("*")
        if path.is_file()
    }


def test_what_does_not_depend_on_a_service_is_taken_over(built: Path, tmp_path: Path) -> None:
    """With its dates, by which cargo sees that it is fresh. Of the workspace's crates only those that are named."""
    target = tmp_path / "cache" / "release"
    warm.take_over(built, target, {"callbench-transport"})
    left_out = {name for name in _files(built) if "codec" in name or "native" in name}
    assert _files(target) == {name: said for name, said in _files(built).items() if name not in left_out}
    assert len(left_out) == 3


def test_only_files_that_are_never_written_again_are_shared(built: Path, tmp_path: Path) -> None:
    """Cargo writes fingerprints, and build scripts their results, where they are: these are copies."""
    target = tmp_path / "cache" / "release"
    warm.take_over(built, target, {"callbench-transport"})
    shared = {name for name in _files(target) if (target / name).stat().st_ino == (built / name).stat().st_ino}
    assert shared == {f"deps/libserde-{HASH}.rlib", f"deps/libserde-{HASH}.rmeta"}


def test_a_target_folder_is_filled_once_and_given_up_with_its_libraries(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was compiled here and what was compiled there must not be mixed: it was, and serde was not found."""
    home, cache = tmp_path / "home", tmp_path / "cache"
    for name in ("contract/CONTRACT.md", "engine/Cargo.lock"):
        (home / name).parent.mkdir(parents=True)
        (home / name).write_text("")
    shutil.copytree(built, home / "engine" / "target" / "release")
    monkeypatch.setenv("CALLBENCH_HOME", str(home))
    first = warm.target(cache, ())
    assert (first / f"release/deps/libserde-{HASH}.rlib").is_file()
    (home / f"engine/target/release/deps/libserde-{OTHER}.rlib").write_text("newer")
    assert warm.target(cache, ()) == first
    assert not (first / f"release/deps/libserde-{OTHER}.rlib").exists()
    (home / "engine/Cargo.lock").write_text("serde 2")
    second = warm.target(cache, ())
    assert (second / f"release/deps/libserde-{OTHER}.rlib").is_file()
    assert not first.exists()


def test_it_is_copied_where_links_are_not_possible(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cache is on another file system."""

    def refused(*_: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", refused)
    target = tmp_path / "cache" / "release"
    warm.take_over(built, target, ())
    name = f"deps/libserde-{HASH}.rlib"
    assert _files(target)[name] == _files(built)[name]


def test_a_checkout_that_was_never_built_is_no_matter(tmp_path: Path) -> None:
    """Cargo compiles all."""
    warm.take_over(tmp_path / "none", tmp_path / "cache", ())
    assert not (tmp_path / "cache").exists()


def test_the_channels_do_not_depend_on_a_service() -> None:
    """So they are compiled once; the messages and the load loop hold the calls."""
    crates = program.crates()
    dependent = program.dependent(crates)
    assert {"callbench-transport", "callbench-contract"} <= crates.keys() - dependent
    assert {"callbench-own", "callbench-codec", "callbench-kit", "callbench-native"} <= dependent
