"""What is told of a run."""

from graphrag_tasks.summary import note

COUNTS = (
    "added", "changed", "removed", "unchanged", "documents", "chunks", "triples", "entities",
    "relations",
)  # fmt: skip


def test_a_note_names_what_was_published_and_what_failed() -> None:
    summary = {**{name: 1234 + number for number, name in enumerate(COUNTS)}, "snapshot_id": "1b4f"}
    said = note({**summary, "failed": []})
    assert said.startswith("Published: 1,234 added, 1,235 changed, 1,236 removed, ")
    assert said.endswith("1,242 relations. Snapshot 1b4f.")
    said = note({**summary, "failed": ["docs/a.pdf (broken)", "docs/b.pdf (timeout)"]})
    assert "relations. Failed: docs/a.pdf (broken), docs/b.pdf (timeout). Snapshot" in said
