"""What is told of a run."""

from graphrag_tasks.operations.alerts import as_markdown
from graphrag_tasks.snapshots.summary import note

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


def test_a_note_shows_names_of_files_and_renders_nothing_of_them() -> None:
    said = as_markdown(
        "Failed: docs/<img src=//x/y>\n# a ![b](//x/_c_) `d` <e> & f_g.pdf (no_text)."
    )
    assert said == (
        r"Failed: docs/&lt;img src=//x/y&gt; # a !\[b\](//x/\_c\_) \`d\` &lt;e&gt; &amp; f_g.pdf "
        "(no_text)."
    )
    plain = "Published: 3 added, 1,234 chunks. Snapshot 1b4f."
    assert as_markdown(plain) == plain
