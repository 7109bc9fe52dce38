"""Objects whose version was hashed before are not read again, and no other is passed over."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from graphrag_tasks.sources.etags import VERSIONS_FILE, Versions
from graphrag_tasks.sources.listing import list_sources, source_roots
from graphrag_tasks.storage.artifacts import Folder


class Tagged(MemoryFileSystem):
    """Files in memory that are listed with a version, as S3 lists objects."""

    protocol = "tagged"
    store: dict[str, Any] = {}  # noqa: RUF012 - fsspec's own way
    pseudo_dirs = [""]  # noqa: RUF012
    hashed_paths: list[str] = []  # noqa: RUF012

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return str(MemoryFileSystem._strip_protocol(path.removeprefix("tagged://")))

    def find(self, path: str, *args: Any, **options: Any) -> Any:
        found = super().find(path, detail=True)
        for name, one in found.items():
            one["e_tag"] = hashlib.md5(self.cat_file(name)).hexdigest()  # noqa: S324
        return found

    def hashed(self, path: str) -> tuple[str, str, int]:
        self.hashed_paths.append(path)
        data = self.cat_file(path)
        return hashlib.sha256(data).hexdigest(), hashlib.md5(data).hexdigest(), len(data)  # noqa: S324


@pytest.fixture
def fs() -> Iterator[Tagged]:
    """Two documents."""
    fsspec.register_implementation("tagged", Tagged, clobber=True)
    made = Tagged()
    Tagged.store.clear()
    Tagged.hashed_paths.clear()
    made.pipe({"/docs/a.md": b"one", "/docs/b.md": b"two"})
    yield made
    Tagged.store.clear()


def listed(store: Folder, *, trusted: bool = True) -> dict[str, str]:
    """List the documents as a run does, and return their hashes."""
    versions = Versions.of(store) if trusted else Versions()
    rows = list_sources(source_roots(["docs=tagged://docs"]), versions=versions)
    versions.keep(store)
    return dict(zip(rows["path"].to_pylist(), rows["content_sha256"].to_pylist(), strict=True))


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_what_did_not_change_is_read_once(fs: Tagged, tmp_path: Path) -> None:
    store = Folder(tmp_path)
    first = listed(store)
    assert first == {"a.md": sha256(b"one"), "b.md": sha256(b"two")}
    assert len(Tagged.hashed_paths) == 2
    assert listed(store) == first
    assert len(Tagged.hashed_paths) == 2
    assert listed(store, trusted=False) == first
    assert len(Tagged.hashed_paths) == 4


def test_a_change_that_keeps_the_size_is_seen(fs: Tagged, tmp_path: Path) -> None:
    store = Folder(tmp_path)
    listed(store)
    fs.pipe("/docs/b.md", b"TWO")
    assert listed(store) == {"a.md": sha256(b"one"), "b.md": sha256(b"TWO")}
    assert Tagged.hashed_paths[2:] == ["/docs/b.md"]


def test_an_object_that_is_replaced_while_it_is_read_counts_as_what_was_read(
    fs: Tagged, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The version that is kept is that of the bytes, not that of the listing."""
    store, hashed = Folder(tmp_path), Tagged.hashed

    def replaced(self: Tagged, path: str) -> tuple[str, str, int]:
        self.pipe(path, b"new")
        return hashed(self, path)

    monkeypatch.setattr(Tagged, "hashed", replaced)
    assert listed(store)["a.md"] == sha256(b"new")
    monkeypatch.setattr(Tagged, "hashed", hashed)
    fs.pipe("/docs/a.md", b"one")
    assert listed(store)["a.md"] == sha256(b"one")


@pytest.mark.parametrize("damage", [lambda data: data[:-5], lambda data: data.replace(sha256(b"one"), "0" * 64)])
def test_a_damaged_file_of_versions_is_not_trusted(
    fs: Tagged, tmp_path: Path, damage: Any, caplog: pytest.LogCaptureFixture
) -> None:
    store, file = Folder(tmp_path), tmp_path / VERSIONS_FILE
    first = listed(store)
    file.write_text(damage(file.read_text()))
    assert listed(store) == first
    assert "all objects are hashed again" in caplog.text
    assert len(Tagged.hashed_paths) == 4
