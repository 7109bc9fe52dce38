"""The versions stage: chains of documents, and the changes between neighbours in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core import schemas
from graphrag_tasks.core.ids import content_id
from graphrag_tasks.core.stage import StageResult, scan, stage, table
from graphrag_tasks.storage.sql import Rows
from graphrag_tasks.versions.chains import ADDED, REMOVED, candidates, chains, pairs, plain

_CODE, _PROMPTS = "code", (">>>", "... ", "$ ")

_Sentence = tuple[str, str]  # Its id and its text.


@stage(
    per="corpus",
    reads=(table("documents", "document_id", "uri", "source", "title", "metadata"), scan("blocks"), scan("sentences")),
    makes=("versions", "changes"),
)
def versions(documents: pa.Table, blocks: Rows, sentences: Rows) -> StageResult:
    """Find versions of documents, and the statements that changed between them.

    Lines of code are not compared. The texts of documents that may have versions are held in memory.
    """
    rows = documents.to_pylist()
    wanted = pa.array(sorted(candidates(rows)), pa.string())
    texts = _texts(blocks, sentences, wanted) if len(wanted) else {}
    compared = {one: frozenset(plain(text) for _, text in said) for one, said in texts.items()}
    found = chains(rows, compared)
    of_versions: list[dict[str, Any]] = []
    changes: list[dict[str, Any]] = []
    for chain in found:
        chain_id = content_id("chain", *(one.document_id for one in chain))
        of_versions += [{"chain_id": chain_id, "document_id": one.document_id, "release": one.release} for one in chain]
        for older, newer in pairwise(chain):
            ends = {"chain_id": chain_id, "older_document_id": older.document_id, "document_id": newer.document_id}
            old, new = texts.get(older.document_id, []), texts.get(newer.document_id, [])
            changes += [ends | change for change in _changes(old, new)]
    return StageResult(
        {
            "versions": pa.Table.from_pylist(of_versions, schema=schemas.VERSIONS),
            "changes": pa.Table.from_pylist(changes, schema=schemas.CHANGES),
        },
        {"chains": len(found), "versions": len(of_versions), "changes": len(changes)},
    )


def _texts(blocks: Rows, sentences: Rows, wanted: pa.Array) -> dict[str, list[_Sentence]]:
    """Return the sentences of documents in reading order, each once, without lines of code."""
    code: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for row in _rows(blocks, ["document_id", "kind", "char_start", "char_end"], wanted):
        if row["kind"] == _CODE:
            code[row["document_id"]].append((row["char_start"], row["char_end"]))
    found: dict[str, dict[int, _Sentence]] = defaultdict(dict)
    columns = ["document_id", "sentence_id", "text", "char_start"]
    for row in _rows(sentences, columns, wanted):
        start, document = row["char_start"], row["document_id"]
        is_code = row["text"].startswith(_PROMPTS)
        if not is_code and not any(first <= start < end for first, end in code[document]):
            found[document].setdefault(start, (row["sentence_id"], row["text"]))
    return {document: [said[start] for start in sorted(said)] for document, said in found.items()}


def _rows(rows: Rows, columns: list[str], documents: pa.Array) -> Iterator[dict[str, Any]]:
    is_wanted = pc.field("document_id").isin(documents)
    if isinstance(rows, pa.Table):
        yield from rows.filter(is_wanted).select(columns).to_pylist()
        return
    for batch in rows.to_batches(columns=columns, filter=is_wanted):
        yield from batch.to_pylist()


def _changes(old: Sequence[_Sentence], new: Sequence[_Sentence]) -> Iterator[dict[str, Any]]:
    """Yield changed pairs, then sentences that came and went, as rows without documents."""
    found = list(pairs([text for _, text in old], [text for _, text in new]))
    for one in found:
        yield _row(one.kind, old[one.older][0], new[one.newer][0], one.before, one.after)
    before = {plain(text) for _, text in old}
    after = {plain(text) for _, text in new}
    paired_old, paired_new = {one.older for one in found}, {one.newer for one in found}
    for place, (sentence, text) in enumerate(new):
        if place not in paired_new and plain(text) and plain(text) not in before:
            yield _row(ADDED, None, sentence, "", "")
    for place, (sentence, text) in enumerate(old):
        if place not in paired_old and plain(text) and plain(text) not in after:
            yield _row(REMOVED, sentence, None, "", "")


def _row(kind: str, older: str | None, newer: str | None, before: str, after: str) -> dict[str, Any]:
    return {
        "kind": kind, "older_sentence_id": older, "sentence_id": newer,
        "before": before, "after": after,
    }  # fmt: skip
