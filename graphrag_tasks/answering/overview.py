"""Answer what the corpus is about, or what it says of a subject, by its parts.

Each part comes with its first headings, a count of passages, and a sentence that stands alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from graphrag_tasks.answering.draft import Asked, Draft
from graphrag_tasks.answering.reading import Reading
from graphrag_tasks.answering.reply import AnswerSentence, Citation
from graphrag_tasks.core.schemas import CELL_SEPARATOR
from graphrag_tasks.core.visible import counted
from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.language.names import plain_heading
from graphrag_tasks.retrieval import Context, Index
from graphrag_tasks.retrieval.context.context import is_content
from graphrag_tasks.retrieval.context.hits import one_line
from graphrag_tasks.retrieval.modes.overview import subject_of

SUBJECT_CHUNKS = 24  # Chunks found for the overview of a subject; as many of their sentences are read as of fewer.

_FEW, _TOLD, _HEADINGS = 40, 12, 4
"""Documents that are told one by one, parts that are told, and headings named of each; chosen."""
_SECTIONS, _ON_THE_SUBJECT = 8, 0.2  # Most sections on a subject, and least score of their chunks.

_LEAST_WORDS, _MOST_WORDS = 6, 50
_LOOKED_AT = 40
_HANGS = re.compile(
    r"(?:it|its|they|their|he|his|she|her|this|that|these|those|such|here|there|but|and|or|so|also"
    r"|thus|then|therefore|hence|however|for example|moreover|finally|see|yes|no|i|we)\b",
    re.IGNORECASE,
)
"""Beginnings of sentences that lean on another."""
_POINTS = re.compile(
    r"\b(?:see|refer to|click|the following|as follows|above|below|copyright|et al)\b|https?://|©|\[\d", re.IGNORECASE
)


_Chunks = Sequence[tuple[str, Sequence[str]]]  # Chunk ids, each with its headings.


_ASKS_TO_DEFINE = frozenset({"defin", "definit", "mean"})


def named_alone(question: str) -> frozenset[str]:
    """Return the terms of what a question names, as "What is a tun?" names nothing but a tun."""
    return frozenset(filter(is_content, terms(question))).difference(_ASKS_TO_DEFINE)


@dataclass(frozen=True)
class _Part:
    """Chunks below a label, with counts and names in words."""

    label: str
    counts: str
    chunks: _Chunks

    def line(
        self, index: Index, number: int, named: frozenset[str], scores: Mapping[str, float]
    ) -> AnswerSentence | None:
        """Return its line, with the best or first sentence that stands alone; None without one."""
        sentences = (one for chunk, _ in self.chunks for one in index.sentences(chunk))
        alone = [one for one in islice(sentences, _LOOKED_AT) if stands_alone(one.text)]
        if not alone:
            return None
        best = max(alone, key=lambda one: (len(named & named_alone(one.text)), scores.get(one.sentence_id, -99)))
        if named and not named & named_alone(f"{self.label} {best.text}"):
            return None
        return AnswerSentence(
            text=f"{self.label} ({self.counts}): {one_line(best.text)}",
            citations=(Citation(number=number, source=best),),
        )


def by_parts(asked: Asked) -> Draft | None:
    """Return the parts of the corpus, or of what it says of a subject, if the question asks for them."""
    if asked.is_global:
        topics = overview(asked.index)
        return Draft(sentences=topics, form="overview", looked_up=bool(topics))
    lines = sections(asked.index, asked.context, asked.reading) if subject_of(asked.question) else ()
    return Draft(sentences=lines, form="overview") if lines else None


def overview(index: Index) -> tuple[AnswerSentence, ...]:
    """Return the parts of the corpus: few documents one by one, of many the communities.

    A community is told by its most typical documents.
    """
    names = ["chunk_id", "document_id", "heading_path", "is_reference"]
    by_document = defaultdict[str, list[tuple[str, Sequence[str]]]](list)
    for chunk in index.snapshot.table("chunks", names).to_pylist():
        if not chunk["is_reference"]:
            by_document[chunk["document_id"]].append((chunk["chunk_id"], chunk["heading_path"]))
    documents = index.snapshot.table("documents", ["document_id", "title"]).to_pylist()
    titles = {one["document_id"]: one_line(one["title"]) for one in documents}
    if len(by_document) <= _FEW:
        parts = [
            _Part(titles[document], _contents(titles[document], chunks), chunks)
            for document, chunks in by_document.items()
        ]
        parts.sort(key=lambda part: -len(part.chunks))
        return _told(index, parts)
    return _told(
        index,
        [
            _Part(
                topic.title,
                f"{counted(topic.documents, 'documents')}, {topic.share:.0%}: "
                + "; ".join(dict.fromkeys(source.title for source in topic.sources)),
                [one for source in topic.sources for one in by_document[source.document_id]],
            )
            for topic in index.topics(_TOLD)
        ],
    )


def sections(index: Index, context: Context, reading: Reading) -> tuple[AnswerSentence, ...]:
    """Return the sections on the subject of a question, the best first, each with a sentence.

    Empty if the question asks no overview of a subject, or fewer than two sections tell of it.
    """
    named = named_alone(subject_of(context.question))
    if not named:
        return ()
    found = defaultdict[str, list[tuple[str, Sequence[str]]]](list)
    for hit in context.chunks:
        if hit.score >= _ON_THE_SUBJECT:
            heading = [one for one in hit.heading_path[-1:] if one not in hit.title]
            found[" > ".join([one_line(hit.title), *heading])].append((hit.chunk_id, ()))
    scores = {
        one.sentence.sentence_id: float(score) for one, score in zip(reading.candidates, reading.scores, strict=True)
    }
    parts = [_Part(label, counted(len(chunks), "passages"), chunks) for label, chunks in found.items()]
    lines = _told(index, parts, named, scores)[:_SECTIONS]
    return lines if len(lines) > 1 else ()


def _told(
    index: Index, parts: Iterable[_Part], named: frozenset[str] = frozenset(), scores: Mapping[str, float] | None = None
) -> tuple[AnswerSentence, ...]:
    lines: list[AnswerSentence] = []
    for part in parts:
        if len(lines) < _TOLD and (line := part.line(index, len(lines) + 1, named, scores or {})):
            lines.append(line)
    return tuple(lines)


def _contents(title: str, chunks: _Chunks) -> str:
    """Return the number of passages and the first headings below a title."""
    below = [[one for one in path if one not in title] for _, path in chunks]
    headings = list(dict.fromkeys(plain_heading(path[0]) for path in below if path))
    more = "; …" if len(headings) > _HEADINGS else ""
    counts = counted(len(chunks), "passages")
    return f"{counts}: {'; '.join(headings[:_HEADINGS])}{more}" if headings else counts


def stands_alone(text: str) -> bool:
    """Tell whether a sentence is understood without those around it."""
    words = text.split()
    return (
        _LEAST_WORDS <= len(words) <= _MOST_WORDS
        and text[0].isupper()
        and text.rstrip().endswith(".")
        and CELL_SEPARATOR not in text
        and not (_HANGS.match(text) or _POINTS.search(text))
        and 2 * sum(map(str.islower, words)) > len(words)
    )
