"""Parsed sentences written by hand, so that rules are tested without a model; and documents."""

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pytest
from spacy.lang.en import English
from spacy.tokens import Doc

from graphrag_tasks.chunk import chunk
from graphrag_tasks.chunk.filter_sentences import filter_sentences
from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import ChunkConfig, ExtractConfig, LanguageConfig
from graphrag_tasks.core.stage import StageResult
from graphrag_tasks.extract import ParseRecorder, extract_facts, make_extractor, resolve_mentions
from graphrag_tasks.extract.coref.protocol import load_resolver
from graphrag_tasks.extract.dependency.clauses import frames_of
from graphrag_tasks.extract.frames import Argument, Frame

VOCAB = English().vocab
POS_OF_TAG = {
    "NN": "NOUN", "NNS": "NOUN", "NNP": "PROPN", "PRP": "PRON", "WDT": "PRON", "EX": "PRON",
    "JJ": "ADJ", "CD": "NUM", "RB": "ADV", "RBR": "ADV", "WRB": "SCONJ", "IN": "ADP", "RP": "ADP",
    "DT": "DET", "CC": "CCONJ", "MD": "AUX", "TO": "PART", "POS": "PART", "WP$": "DET",
    ".": "PUNCT", ",": "PUNCT", "-LRB-": "PUNCT", "-RRB-": "PUNCT",
}  # fmt: skip
"""What the English models' part of speech follows from; verbs' tags are not listed."""


def parse(notation: str) -> Doc:
    """Return the doc of a line of tokens written as `word/tag/label/head[/lemma]`."""
    words, tags, deps, heads, lemmas, pos = [], [], [], [], [], []
    for token in notation.split():
        word, tag, dep, head, *lemma = token.split("/")
        lemmas.append(lemma[0] if lemma else word.lower())
        auxiliary = dep in ("aux", "auxpass") and tag != "TO"
        pos.append("AUX" if auxiliary or lemmas[-1] == "be" else POS_OF_TAG.get(tag, "VERB"))
        words.append(word)
        tags.append(tag)
        deps.append(dep)
        heads.append(int(head))
    spaces = [not following.startswith((".", ",", "'", ")")) for following in [*words[1:], "."]]
    return Doc(VOCAB, words=words, spaces=spaces, tags=tags, pos=pos, deps=deps, heads=heads, lemmas=lemmas)


def describe_argument(argument: Argument) -> str:
    preposition = f" {argument.preposition}" if argument.preposition else ""
    return f"{argument.role}{preposition}={argument.text}"


def describe(frame: Frame) -> str:
    """Return a frame in one line: rule, lemma, flags and arguments."""
    flags = ["not"] * frame.negated + ["passive"] * frame.passive
    flags += [f"<{frame.modality}>"] if frame.modality else []
    arguments = "; ".join(map(describe_argument, frame.arguments))
    return " ".join([f"{frame.rule}:", *flags, f"{frame.predicate_lemma}({arguments})"])


@pytest.fixture(name="parse")
def parse_fixture() -> Callable[[str], Doc]:
    return parse


@pytest.fixture(name="describe")
def describe_fixture() -> Callable[[Frame], str]:
    return describe


@pytest.fixture(name="read")
def read_fixture() -> Callable[[str], list[str]]:
    """Return the frames of a line in `parse`'s notation, each described in one line."""
    return lambda notation: [describe(frame) for frame in frames_of(parse(notation))]


def blocks_of(document_id: str, texts: Sequence[str]) -> list[dict[str, Any]]:
    """Return rows of `schemas.BLOCKS`: "# ..." is a heading, "* ..." an item of a list."""
    rows, start = [], 0
    for ordinal, text in enumerate(texts):
        mark = text[:2]
        kind = {"# ": "heading", "* ": "list_item"}.get(mark, "paragraph")
        body = text if kind == "paragraph" else text[2:]
        rows.append(
            dict.fromkeys(schemas.BLOCKS.names) | {
                "document_id": document_id, "ordinal": ordinal, "kind": kind, "text": body,
                "level": 1 if kind == "heading" else None, "char_start": start,
                "char_end": start + len(body),
            }
        )  # fmt: skip
        start += len(body) + len(schemas.BLOCK_SEPARATOR)
    return rows


def read_documents(rows: Sequence[dict[str, Any]], cells: pa.Table | None = None, **settings: Any) -> StageResult:
    """Take blocks of documents through the stages from chunks to coreference, with the model.

    The result's tables are those of extraction, with `sentences`; its stats are of all stages.
    """
    blocks = pa.Table.from_pylist(list(rows), schema=schemas.BLOCKS)
    ids = pa.array(sorted({row["document_id"] for row in rows}), pa.string())
    places = pa.table(dict.fromkeys(("document_id", "uri", "source", "path", "title"), ids))
    chunks = chunk(places, blocks, config=ChunkConfig()).tables["chunks"]
    cells = schemas.empty("cells") if cells is None else cells
    read = filter_sentences(blocks, cells, chunks, language=LanguageConfig())
    sentences = read.tables["sentences"]
    config, recorder = ExtractConfig(**settings), ParseRecorder()
    language = LanguageConfig()
    extractor = make_extractor(config, language, on_parse=recorder.record)
    found = resolve_mentions(
        extract_facts(
            blocks, cells, sentences, extractor=extractor, config=config, language=language
        ),
        places, chunks, sentences, cells=cells, parses=recorder.parses,
        resolver=load_resolver(config.coref),
    )  # fmt: skip
    return StageResult({**found.tables, "sentences": sentences}, {**read.stats, **found.stats})


@pytest.fixture(name="blocks_of", scope="session")
def blocks_of_fixture() -> Callable[[str, Sequence[str]], list[dict[str, Any]]]:
    return blocks_of


@pytest.fixture(name="read_documents", scope="session")
def read_documents_fixture() -> Callable[..., StageResult]:
    return read_documents
