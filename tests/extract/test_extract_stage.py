"""The extract stage: what is read, what rows come out, and that ids come from content."""

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pytest

from graphrag_tasks import schemas
from graphrag_tasks.artifacts import conform
from graphrag_tasks.config import ExtractConfig
from graphrag_tasks.errors import ConfigError
from graphrag_tasks.extract import extract, make_extractor
from graphrag_tasks.extract.frames import Argument, Frame


def argument(role: str, text: str, start: int) -> Argument:
    end = start + len(text)
    return Argument(
        role=role, text=text, start=start, end=end, preposition=None, entity_type=None,
        head_start=start, head_end=end, core_text=text, core_start=start, core_end=end,
    )  # fmt: skip


class TwoWords:
    """Reads "HEAD TAIL" as one frame and remembers what it was asked."""

    name = "two-words"
    fingerprint = "1"

    def __init__(self) -> None:
        self.read: list[str] = []
        self.oversized_sentences = 0

    def extract(self, sentences: Sequence[str]) -> Iterator[list[Frame]]:
        for sentence in sentences:
            self.read.append(sentence)
            head, _, tail = sentence.partition(" ")
            frame = Frame(
                predicate="sees", predicate_lemma="see", start=0, end=1,
                arguments=(argument("subject", head, 0), argument("object", tail, len(head) + 1)),
                negated=False, modality=None, passive=False, rule="svo", extractor=self.name,
                confidence=0.5,
            )  # fmt: skip
            yield [frame] if tail else []


def sentences(*texts: str) -> pa.Table:
    rows: list[dict[str, Any]] = [
        {"sentence_id": f"s{place}", "chunk_id": "c", "document_id": "d", "ordinal": place,
         "text": text.removeprefix("!"), "char_start": 0, "char_end": len(text), "page": None,
         "has_verb": not text.startswith("!")}
        for place, text in enumerate(texts)
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, schema=schemas.SENTENCES)


def test_only_sentences_with_a_verb_are_read() -> None:
    extractor = TwoWords()
    result = extract(sentences("A b", "!C d", "E"), extractor=extractor)
    assert extractor.read == ["A b", "E"]
    assert result.stats == {
        "sentences_read": 2, "sentences_oversized": 0, "frames": 1, "triples": 1,
    }  # fmt: skip


def test_rows_fit_their_schemas_and_lead_back_to_the_sentence() -> None:
    result = extract(sentences("A b"), extractor=TwoWords())
    frame, triple = (conform(name, result.tables[name]).to_pylist()[0] for name in result.tables)
    assert triple["frame_id"] == frame["frame_id"]
    assert (triple["head"], triple["relation"], triple["tail"]) == ("A", "see", "b")
    assert (triple["sentence_id"], triple["extractor"]) == ("s0", "two-words")
    assert [one["role"] for one in frame["arguments"]] == ["subject", "object"]


def test_ids_do_not_depend_on_the_other_sentences() -> None:
    alone = extract(sentences("A b"), extractor=TwoWords()).tables["triples"].to_pylist()[0]
    among = extract(sentences("A b", "C d"), extractor=TwoWords()).tables["triples"].to_pylist()
    assert among[0] == alone
    assert len({row["triple_id"] for row in among}) == 2


def test_the_same_words_in_two_sentences_are_two_triples() -> None:
    triples = extract(sentences("A b", "A b"), extractor=TwoWords()).tables["triples"]
    assert len(set(triples["triple_id"].to_pylist())) == 2


def test_an_unknown_extractor_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"no extractor 'magic'.*Known: dependency"):
        make_extractor(ExtractConfig(extractor="magic"))
