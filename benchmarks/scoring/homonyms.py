"""Homonyms measured on labelled documents: each says which sense of a name it means."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from graphrag_tasks.language.forms import singular_noun
from graphrag_tasks.language.names import entity_key
from graphrag_tasks.storage.snapshots.store import Snapshot
from graphrag_tasks.workbench.evaluation.jsonl import read_values


class SenseDocument(BaseModel):
    """A document in which a name has one sense."""

    model_config = ConfigDict(frozen=True, strict=True)

    sense: str
    title: str
    text: str


class Homonym(BaseModel):
    """A name of several senses, and documents of each."""

    model_config = ConfigDict(frozen=True, strict=True)

    name: str
    split: str
    documents: Sequence[SenseDocument]

    def files(self) -> dict[str, SenseDocument]:
        """Return its documents by the names of their files, which do not tell the sense."""
        return {
            f"{self.name.lower()}-{number}.md": document
            for number, document in enumerate(self.documents, 1)
        }


def read_homonyms(gold: str | Path, split: str | None = None) -> list[Homonym]:
    """Return the homonyms of a file of JSON lines."""
    found = [one for _, one in read_values(gold, Homonym)]
    return [one for one in found if split in (None, one.split)]


def write_documents(homonyms: Sequence[Homonym], folder: Path) -> None:
    """Write the documents of homonyms as Markdown, to be indexed."""
    folder.mkdir(parents=True, exist_ok=True)
    for homonym in homonyms:
        for file, document in homonym.files().items():
            text = f"# {document.title}\n\n{document.text}\n"
            (folder / file).write_text(text, "utf-8")


def kept_apart(homonyms: Sequence[Homonym], snapshot: Snapshot) -> dict[str, bool]:
    """Return for each name whether each of its senses has an entity, and none has two of them."""
    rows = snapshot.table("documents", ["document_id", "path"]).to_pylist()
    file_of = {row["document_id"]: Path(row["path"]).name for row in rows}
    mentions = snapshot.table("mentions", ["entity_id", "document_id", "alias"]).to_pylist()
    found = {}
    for homonym in homonyms:
        files = homonym.files()
        senses: dict[str, set[str]] = defaultdict(set)
        for row in mentions:
            is_name = singular_noun(entity_key(row["alias"])) == homonym.name.lower()
            if is_name and (document := files.get(file_of[row["document_id"]])):
                senses[row["entity_id"]].add(document.sense)
        told = {one for of in senses.values() for one in of}
        is_apart = all(len(of) == 1 for of in senses.values())
        found[homonym.name] = is_apart and told == {one.sense for one in homonym.documents}
    return found
