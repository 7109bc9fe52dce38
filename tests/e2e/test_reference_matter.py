"""Contents, an index and a bibliography become chunks, and no facts."""

from collections.abc import Callable
from pathlib import Path

from graphrag_tasks.pipeline import Published
from graphrag_tasks.storage.snapshots.store import Store

CONTENTS = """\
1 The server reads the tables .................... 1
2 SAP replaced the table VBBS .................... 3
2.1 The report ZSALES was replaced by ZNEW ....... 12"""
PROSE = "The server reads the table KONV. It replaces the report ZOLD (1998)."
REFERENCES = """\
John M. Chambers (1998), Programming with Data. Springer, New York. It is called the Green Book.

S. D. Silvey (1970), Statistical Inference. Penguin, London."""
TERMS = """\
access control, 12, 45-47
backup of tables, 3
cluster, 5, 9"""
TEXT = f"Contents\n\n{CONTENTS}\n\n{PROSE}\n\n{REFERENCES}\n\n"
PAGE = f"# Manual\n\n{PROSE}\n\n## Index\n\n{TERMS}\n"


def test_reference_matter_is_kept_and_gives_no_facts(
    index: Callable[..., Published], corpus: Path, tmp_path: Path
) -> None:
    for path in corpus.iterdir():
        path.unlink()
    (corpus / "manual.txt").write_text(TEXT)
    (corpus / "manual.md").write_text(PAGE)
    index()
    snapshot = Store(str(tmp_path / "store")).open()
    sentences = {row["sentence_id"]: row["text"] for row in snapshot.table("sentences").to_pylist()}
    triples = snapshot.table("triples").to_pylist()
    assert {sentences[row["sentence_id"]] for row in triples} == {
        "The server reads the table KONV.",
        "It replaces the report ZOLD (1998).",
    }
    chunks = " ".join(snapshot.table("chunks")["text"].to_pylist())
    assert set(f"{TEXT} {PAGE}".split()) - {"#", "##"} <= set(chunks.split())
