"""Coreference in the extract stage: what triples are told, and that shards do not show."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from graphrag_tasks.core import schemas
from graphrag_tasks.core.stage import StageResult
from graphrag_tasks.extract import ParseRecorder, resolve_mentions
from graphrag_tasks.extract.coref.parses import Entity, Parse
from graphrag_tasks.extract.coref.protocol import Coreference, Passage, load_resolver
from graphrag_tasks.storage.artifacts import conform


class Words:
    """Resolves "it" and "the X" to the first word of the passage, or of its title."""

    name = "words"
    fingerprint = "1"

    def __init__(self, of_report: float = 0.8) -> None:
        self.of_report = of_report
        self.passages: list[Passage] = []

    def resolve(self, passage: Passage) -> list[Coreference]:
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
    return resolve_mentions(
        StageResult({"triples": pa.Table.from_pylist(triples, schema=schemas.TRIPLES)}),
        pa.table({"document_id": ["d"], "title": ["Guide"]}),
        pa.table(
            {
                "chunk_id": list(chunk_ids),
                "heading_path": [(headings or {}).get(chunk, []) for chunk in chunk_ids],
            }
        ),
        read,
        cells=schemas.empty("cells"),
        parses=parses or {},
        resolver=resolver or Words(),
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


def test_what_is_not_sure_is_kept_but_names_no_node() -> None:
    read = sentences(("d", "c", "X runs"), ("d", "c", "So it sees the report"))
    result = run(read, [(1, "it", "report")], resolver=Words(of_report=0.5))
    [row] = result.tables["triples"].to_pylist()
    assert (row["head_resolved"], row["tail_resolved"]) == ("X", None)
    assert len(result.tables["coreferences"]) == 2


def test_another_mention_of_the_same_words_is_not_told() -> None:
    read = sentences(("d", "c", "it sees that bit"))
    [row] = run(read, [(0, "bit", "that")]).tables["triples"].to_pylist()
    assert row["head_resolved"] is None


def test_a_passage_is_what_stands_below_the_same_headings_of_one_document() -> None:
    read = sentences(("d", "a", "A"), ("d", "b", "B"), ("d", "c", "C"), ("e", "f", "F"))
    resolver = Words()
    run(read, [], resolver=resolver, headings={"c": ["Other"], "f": ["Other"]})
    passages = [[parse.text for parse in one.parses] for one in resolver.passages]
    assert passages == [["A", "B"], ["C"], ["F"]]
    assert [(one.title, list(one.headings)) for one in resolver.passages] == [
        ("Guide", []), ("Guide", ["Other"]), ("", ["Other"]),
    ]  # fmt: skip


def test_documents_are_resolved_alike_alone_and_together() -> None:
    rows = [("d", "c", "X runs"), ("d", "c", "it runs"), ("e", "f", "Y runs"), ("e", "f", "it")]
    together = run(sentences(*rows), [(1, "it", "runs")]).tables
    alone = run(sentences(*rows[:2]), [(1, "it", "runs")]).tables
    assert together["triples"].to_pylist() == alone["triples"].to_pylist()
    assert together["coreferences"].to_pylist()[:1] == alone["coreferences"].to_pylist()


def test_unparsed_sentences_and_no_resolver_change_nothing() -> None:
    result = resolve_mentions(
        StageResult({"triples": schemas.empty("triples")}),
        schemas.empty("documents"),
        schemas.empty("chunks"),
        sentences(("d", "c", "It runs")),
        cells=schemas.empty("cells"),
        parses={},
        resolver=load_resolver("ranking"),
    )
    assert result.tables["coreferences"].num_rows == 0
    assert load_resolver("none").resolve(Passage([])) == []


def test_the_recorder_keeps_equal_sentences_once() -> None:
    recorder = ParseRecorder()
    recorder.record("", [])
    recorder.record("", [])
    assert list(recorder.parses) == [""]


def parse_of_words(text: str) -> Parse:
    words = text.split()
    starts = tuple(text.index(word) for word in words)
    columns = [tuple(words)] * 4
    return Parse(text, tuple(words), starts, *columns, heads=(0,) * len(words))


def test_a_sentence_parsed_without_its_label_has_its_parse_at_its_places() -> None:
    label, text = "Optional: it runs", "it runs"
    read = sentences(("d", "c", "X runs"), ("d", "c", label))
    resolver = Words()
    parses = {text: parse_of_words(text), "X runs": parse_of_words("X runs")}
    run(read, [], resolver=resolver, parses=parses)
    parse = resolver.passages[0].parses[1]
    assert (parse.text, parse.words, parse.starts) == (
        label,
        ("it", "runs"),
        (10, 13),
    )
    assert parse.surface(0, 2) == text


def test_what_was_not_read_has_no_parse_though_an_equal_sentence_was() -> None:
    text = "it runs"
    read = sentences(("d", "c", "X runs"), ("d", "c", text)).to_pylist()
    read[1]["has_verb"] = False
    resolver = Words()
    run(pa.Table.from_pylist(read, schema=schemas.SENTENCES), [], resolver=resolver,
        parses={text: parse_of_words(text)})  # fmt: skip
    assert [len(parse) for parse in resolver.passages[0].parses] == [0, 0]


def test_the_parses_of_a_sentence_of_two_lines_are_joined() -> None:
    first = Parse("A b", ("A", "b"), (0, 2), ("a", "b"), ("NN", "VB"), ("NOUN", "VERB"),
                  ("nsubj", "ROOT"), (1, 1))  # fmt: skip
    second = Parse("It c", ("It", "c"), (0, 3), ("it", "c"), ("PRP", "VB"), ("PRON", "VERB"),
                   ("nsubj", "ROOT"), (1, 1), (Entity(0, 1, "ORG"),))  # fmt: skip
    table = sentences(("d", "c", "A b\nIt c"))
    resolver = Words()
    run(table, [], resolver=resolver, parses={"A b": first, "It c": second})
    (parse,) = resolver.passages[0].parses
    assert (parse.text, parse.starts, parse.heads) == ("A b\nIt c", (0, 2, 4, 7), (1, 1, 3, 3))
    assert (parse.surface(2, 4), parse.entities) == ("It c", (Entity(2, 3, "ORG"),))
