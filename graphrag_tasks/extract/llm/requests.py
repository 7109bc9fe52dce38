"""Packs: the windows of one request, and its text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import pyarrow as pa

from graphrag_tasks.core.config import WindowConfig
from graphrag_tasks.extract.llm.prompt import PURPOSE, SYSTEM, Told, passage
from graphrag_tasks.llm import Request

_LONGEST_NOTE = 160  # Longest row key or list introduction, in characters, repeated before each sentence. Chosen.


@dataclass(frozen=True)
class Window:
    """Sentences that are read together, and the headings above them.

    Each is an id and a text; the row key or list introduction precedes it in square brackets.
    """

    window_id: str
    chunk_id: str
    headings: tuple[str, ...]
    sentences: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Pack:
    """Windows of a document, in reading order.

    Attributes:
        path: Path of the document below its source's root.
        output_tokens: Token limit of the answer.
    """

    document_id: str
    path: str
    windows: tuple[Window, ...]
    output_tokens: int

    @property
    def sentence_ids(self) -> list[str]:
        """Ids of the sentences as numbered from 1, without repetitions."""
        return [key for key, _ in self._sentences()]

    @property
    def request(self) -> Request:
        """The request for this pack."""
        numbers = {key: number for number, key in enumerate(self.sentence_ids, 1)}
        parts = []
        for _, together in groupby(self.windows, key=lambda one: one.chunk_id):
            of_chunk = list(together)
            texts = dict(pair for window in of_chunk for pair in window.sentences)
            numbered = ((numbers[key], text) for key, text in texts.items())
            parts.append(passage(of_chunk[0].headings, numbered))
        return Request(PURPOSE, SYSTEM, "\n".join(parts), Told, self.output_tokens, self.document_id)

    def halves(self) -> list[Pack]:
        """Return two packs that replace this one; none if it has a single window."""
        middle = len(self.windows) // 2
        if not middle:
            return []
        return [
            Pack(self.document_id, self.path, part, -(-self.output_tokens * len(part) // whole))
            for whole in [len(self.windows)]
            for part in (self.windows[:middle], self.windows[middle:])
        ]

    def _sentences(self) -> Iterator[tuple[str, str]]:
        yield from dict(pair for window in self.windows for pair in window.sentences).items()


def packs_of(
    documents: pa.Table, chunks: pa.Table, sentences: pa.Table, windows: pa.Table, config: WindowConfig
) -> list[Pack]:
    """Return the packs of all documents, in order."""
    paths = _mapping(documents, "document_id", "path")
    headings = _mapping(chunks, "chunk_id", "heading_path")
    texts = _mapping(sentences, "sentence_id", "text")
    packs = []
    key = itemgetter("document_id", "pack")
    for (document_id, _), rows in groupby(windows.to_pylist(), key=key):
        of_pack = tuple(_window(row, headings, texts) for row in rows)
        output = config.output_tokens * len(of_pack)
        packs.append(Pack(document_id, paths[document_id], of_pack, output))
    return packs


def _window(row: Mapping[str, Any], headings: Mapping[str, Sequence[str]], texts: Mapping[str, str]) -> Window:
    return Window(
        row["window_id"],
        row["chunk_id"],
        tuple(headings.get(row["chunk_id"]) or ()),
        tuple(
            (one, _placed(texts[one], key or lead))
            for one, key, lead in zip(row["sentence_ids"], row["keys"], row["leads"], strict=True)
        ),
    )


def _placed(text: str, note: str | None) -> str:
    return f"[{note[:_LONGEST_NOTE]}] {text}" if note else text


def _mapping(table: pa.Table, key: str, value: str) -> dict[Any, Any]:
    return dict(zip(table[key].to_pylist(), table[value].to_pylist(), strict=True))
