"""Documents in S3: listed, hashed and read as those of a folder are."""

from pathlib import Path

import pytest

from graphrag_tasks.core.errors import DocumentError, SourceError
from graphrag_tasks.sources.listing import SourceReader, list_sources, source_roots
from graphrag_tasks.storage import ConflictError, version, write_if
from graphrag_tasks.storage.artifacts import Folder

pytestmark = pytest.mark.services

TEXTS = {
    "a.md": b"# Tables\n", "sub folder/b.txt": "Größe 5 % \u4f60".encode(), "c.xyz": b"skipped",
    ".hidden.md": b"passed over", "empty.md": b"",
}  # fmt: skip


@pytest.fixture
def documents(s3: str, tmp_path: Path) -> tuple[str, str]:
    """The same documents in S3 and in a folder."""
    for root in (Folder(f"{s3}/docs"), Folder(tmp_path / "docs")):
        for name, data in TEXTS.items():
            root.write_bytes(name, data)
    return f"{s3}/docs", str(tmp_path / "docs")


def test_they_are_listed_as_those_of_a_folder(documents: tuple[str, str]) -> None:
    remote, local = (list_sources(source_roots([one])) for one in documents)
    assert remote.equals(local)
    assert remote.num_rows == 4


def test_they_are_read(documents: tuple[str, str]) -> None:
    reader = SourceReader(source_roots([documents[0]]))
    for name, data in TEXTS.items():
        assert reader.fetch(f"docs/{name}") == data
    with pytest.raises(FileNotFoundError):
        reader.fetch("docs/gone.md")


def test_one_object_is_a_source(documents: tuple[str, str]) -> None:
    roots = source_roots([f"note={documents[0]}/a.md"])
    assert list_sources(roots)["uri"].to_pylist() == ["note"]
    assert SourceReader(roots).fetch("note") == TEXTS["a.md"]


def test_a_path_that_leads_out_is_refused(documents: tuple[str, str]) -> None:
    Folder(documents[0].removesuffix("/docs")).write_bytes("secret.md", b"secret")
    reader = SourceReader(source_roots([documents[0]]))
    with pytest.raises(DocumentError, match="leads out of its source"):
        reader.fetch("docs/../secret.md")


def test_a_source_that_is_not_there_is_refused(s3: str) -> None:
    with pytest.raises(SourceError, match="does not exist"):
        source_roots([f"{s3}/unmounted"])


def test_a_server_that_does_not_answer_is_no_missing_object(s3: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from graphrag_tasks.storage.s3 import S3FileSystem

    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    unanswered = S3FileSystem(retry_config={"max_retries": 0})
    with pytest.raises(OSError, match="graphrag/x: Generic S3 error"):
        unanswered.exists("graphrag/x")
    with pytest.raises(OSError, match="graphrag/x: Generic S3 error"):
        unanswered.put_if("graphrag/x", b"", None)


def test_of_two_writers_one_is_refused(s3: str) -> None:
    uri = f"{s3}/pointer"
    assert version(uri) is None
    write_if(uri, b"one", None)
    with pytest.raises(ConflictError):
        write_if(uri, b"other", None)
    first = version(uri)
    write_if(uri, b"two", first)
    with pytest.raises(ConflictError):
        write_if(uri, b"other", first)
    assert Folder(s3).read_bytes("pointer") == b"two"
