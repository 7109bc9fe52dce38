"""Coreference in the extract stage: what triples are told, and that shards do not show."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pytest

from graphrag_tasks.core import schemas
from graphrag_tasks.core.stage import StageResult
from graphrag_tasks.extract import resolve_mentions
from graphrag_tasks.extract.coref.protocol import Coreference, CorefText, Parse
from graphrag_tasks.storage.artifacts import conform


class Words:
    """Resolves "it" and "the X" to the first word of the passage, or of its title."""

    name = "words"
    fingerprint = "1"

    def __init__(self, of_report: float = 0.8) -> None:
        self.of_report = of_report
        self.passages: list[CorefText] = []

    def resolve(self, passage: CorefText) -> list[Coreference]:
        self.passages.append(passage)
        first = passage.parses[0].text.split()[0]
        found = []
        for number, parse in enumerate(passage.parses):
            for mention, confidence in (("it", 0.9), ("the report", self.of_report)):
                start = parse.text.find(mention)
                if start >= 0:
                    end = start + len(mention)
                    found.append(
                        Coreference(number, start, end, mention, first, "pronoun", "first",
                                    confidence, "text", 0, 0, len(first))
                    )  # fmt: skip
        return found


def sentences(*rows: tuple[str, str, str]) -> pa.Table:
    """Return sentences given as document, chunk and text."""
    return pa.Table.from_pylist(
        [
            {"sentence_id": f"{document}{chunk}{place}", "chunk_id": chunk,
             "document_id": document, "ordinal": place, "text": text, "char_start": 0,
             "char_end": len(text), "page": None, "has_verb": True}
            for place, (document, chunk, text) in enumerate(rows)
        ],
        schema=schemas.SENTENCES,
    )  # fmt: skip


def triple(sentence: dict[str, Any], head: str, tail: str) -> dict[str, Any]:
    starts = [sentence["text"].find(word) for word in (head, tail)]
    return {
        "triple_id": f"{sentence['sentence_id']}{head}", "frame_id": "f", "head": head,
        "relation": "see", "phrase": "sees", "conditional": False, "tail": tail,
        "head_start": starts[0],
        "head_end": starts[0] + len(head), "tail_start": starts[1],
        "tail_end": starts[1] + len(tail), "negated": False, "rule": "svo", "extractor": "x",
        "said": 0, "confidence": 0.5,
    } | {name: sentence[name] for name in ("sentence_id", "chunk_id", "document_id")}  # fmt: skip


def run(
    read: pa.Table,
    ends: Sequence[tuple[int, str, str]],
    *,
    resolver: Words | None = None,
    headings: dict[str, list[str]] | None = None,
    parses: Mapping[str, Parse] | None = None,
) -> StageResult:
    rows = read.to_pylist()
    triples = [triple(rows[place], head, tail) for place, head, tail in ends]
    chunk_ids = dict.fromkeys(row["chunk_id"] for row in rows)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("graphrag_tasks.extract.coreference.resolve", (resolver or Words()).resolve)
        return resolve_mentions(
            StageResult({"triples": pa.Table.from_pylist(triples, schema=schemas.TRIPLES)}),
            pa.table({"document_id": ["d"], "title": ["Guide"]}),
            pa.table(
                {"chunk_id": list(chunk_ids), "heading_path": [(headings or {}).get(chunk, []) for chunk in chunk_ids]}
            ),
            read,
            cells=schemas.empty("cells"),
            parses=parses or {},
        )


def test_a_triple_keeps_its_surface_and_is_told_the_name() -> None:
    read = sentences(("d", "c", "X runs"), ("d", "c", "So it sees the report"))
    result = run(read, [(1, "it", "report")])
    [row] = result.tables["triples"].to_pylist()
    assert (row["head"], row["head_resolved"]) == ("it", "X")
    assert (row["tail"], row["tail_resolved"]) == ("report", "X")
    found = conform("coreferences", result.tables["coreferences"]).to_pylist()
    assert [(one["surface"], one["sentence_id"], one["antecedent_sentence_id"]) for one in found] \
        == [("it", "dc1", "dc0"), ("the report", "dc1", "dc0")]  # fmt: skip
    assert result.stats == {"coreferences": 2, "triple_ends_resolved": 2}
