"""What is told of a run."""

from graphrag_tasks.operations.metrics import as_markdown
from graphrag_tasks.storage.snapshots.publish import note

COUNTS = ("added", "changed", "removed", "unchanged", "documents", "chunks", "triples", "entities", "relations")


SUMMARY = {**{name: 1234 + number for number, name in enumerate(COUNTS)}, "snapshot_id": "1b4f", "failed": []}


def test_a_note_names_what_was_published() -> None:
    said = note(SUMMARY)
    assert said.startswith("Snapshot 1b4f published: 1,234 added, 1,235 changed, 1,236 removed, ")
    assert said.endswith("1,242 relations.")


def test_a_note_begins_with_what_failed() -> None:
    said = note({**SUMMARY, "failed": ["docs/a.pdf (broken)"]})
    assert said.startswith("1 document failed: docs/a.pdf (broken). Snapshot 1b4f published: ")
    many = [f"docs/{number}.pdf (timeout)" for number in range(1, 1235)]
    assert note({**SUMMARY, "failed": many}, changed=False) == (
        "1,234 documents failed: docs/1.pdf (timeout), docs/2.pdf (timeout), docs/3.pdf (timeout) "
        "and 1,231 more. Nothing changed: snapshot 1b4f is current already."
    )


def test_a_note_shows_names_of_files_and_renders_nothing_of_them() -> None:
    said = as_markdown("Failed: docs/<img src=//x/y>\n# a ![b](//x/_c_) `d` <e> & f_g.pdf (no_text).")
    assert said == (
        r"Failed: docs/&lt;img src=//x/y&gt; # a !\[b\](//x/\_c\_) \`d\` &lt;e&gt; &amp; f_g.pdf "
        "(no_text)."
    )
    plain = "Published: 3 added, 1,234 chunks. Snapshot 1b4f."
    assert as_markdown(plain) == plain
