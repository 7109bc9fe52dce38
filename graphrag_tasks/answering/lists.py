"""Answer questions for several things by whole lists: the best sentences with their list or table.

Such questions are answered by a document's list more often than by separate sentences, so the whole
list of a good sentence comes before the next sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from graphrag_tasks.answering.reply import AnswerSentence, Citation
from graphrag_tasks.answering.sentences import best_first, candidates_of, sentence_scores
from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.retrieval import Context, Index, SourceSentence
from graphrag_tasks.retrieval.question.sub_questions import question_parts

LIST_CHUNKS = 10
"""Chunks read for a list: twice as many as for other questions."""

PLACES = 20
"""Most items of a list."""

_LEADING = 8
"""Best sentences whose whole lists come first."""

_GROUP = 16
"""Most items of one list. Both tuned on the lists of the SAP documents (splits dev and tune) and
of two foreign corpora."""

_NO_NOUN = (
    r"(?!(?:does|is|was|has|this|its|process|access|class|status|\w+(?:ss|us)"
    r"|happens|occurs|belongs|comes|goes|depends|applies|remains|refers|relates|leads|consists)\b)"
)
_PLURAL = rf"{_NO_NOUN}[a-z][\w-]+(?-i:s)"
_FOLLOWS = (
    r"(?:\W*$|\s+(?:are|were|have|had|can|could|must|may|might|should|shall|do|does|did|will|would|need"
    r"|exist|of|in|for|to|from|with|on|at|by|under|between|that|there)\b)"
)
_SEVERAL = re.compile(
    r"^\W*(?:please\s+)?(?:list|enumerate|name all|show (?:me )?all|give me (?:all|a list))\b"
    rf"|\bwhat are (?:the|my|our|its|all)\s+(?:[\w-]+\s+){{0,3}}?{_PLURAL}\b"
    rf"|\bwhich\s+(?:of the\s+)?{_PLURAL}\b"
    rf"|\b(?:which|what)\s+(?:of the\s+)?(?:(?!(?:of|is|was)\b)[\w/-]+\s+){{0,2}}?"
    rf"{_PLURAL}{_FOLLOWS}",
    re.IGNORECASE,
)
"""A question for several things of a kind. A word that ends with s may be a verb ("which table
stores …", "what takes …"), so the next words decide."""

_EXISTING = re.compile(
    r"\b(?:which|what)\s+([\w -]{3,60}?)\s+(?:exist|are there|do we have|are documented)\b",
    re.IGNORECASE,
)
_ON_THE_SUBJECT = 0.2
_NAMED = 5
"""Least score of a chunk whose document is listed, and most listed documents."""

Item = tuple[SourceSentence, ...]


def asks_for_list(question: str) -> bool:
    """Tell whether a question only asks for several things of one kind."""
    return not question_parts(question) and bool(_SEVERAL.search(" ".join(question.split())))


def list_items(index: Index, context: Context) -> tuple[AnswerSentence, ...]:
    """Return the items of a list answer, grouped by source list; each group has its own number.

    First come documents whose titles contain the kind, if the question asks which of them exist.
    Then the whole lists of the best sentences, further sentences, and sentences that name an entity
    of the kind. Empty if none of the best sentences is in a list.
    """
    candidates = candidates_of(index, context.chunks)
    if not candidates:
        return ()
    order = list(best_first(candidates, sentence_scores(index, context, candidates)))
    asked = frozenset(terms(context.question))
    found = _Places()
    if existing := _EXISTING.search(context.question):
        found.add([(sentence,) for sentence in index.documents_titled(existing[1])])
    for row in order[:_LEADING]:
        best = candidates[row].sentence
        found.add(_trimmed(index.items_around(best), best, asked) or [(best,)])
    if not found.has_group:
        return ()
    for row in order[_LEADING:]:
        found.add([(candidates[row].sentence,)])
    for listed in context.listed:
        found.add([listed.sources()[:1]] if listed.sources() else [])
    return tuple(_sentences(found.groups))


class _Places:
    """The items of a list answer, without duplicates."""

    def __init__(self) -> None:
        self.groups: list[list[Item]] = []
        self._shown: set[tuple[str, int]] = set()
        self._left = PLACES

    @property
    def has_group(self) -> bool:
        """Whether at least one group has several items."""
        return any(len(group) > 1 for group in self.groups)

    def add(self, items: Sequence[Item]) -> None:
        new = [item for item in items if _place(item[0]) not in self._shown][: self._left]
        if new:
            self._shown.update(_place(source) for one in new for source in one)
            self.groups.append(new)
            self._left -= len(new)


def unread_documents(
    index: Index, context: Context, items: Sequence[AnswerSentence]
) -> tuple[str, ...]:
    """Return a note on relevant documents that may contain more items, if any."""
    listed = {citation.source.document_id for item in items for citation in item.citations}
    likely = [chunk for chunk, score in context.read.items() if score >= _ON_THE_SUBJECT]
    titles = index.document_titles(likely)
    others = [title for document, title in titles.items() if document not in listed]
    if not others:
        return ()
    named = "; ".join(others[:_NAMED]) + ("; …" if len(others) > _NAMED else "")
    return (f"Documents on the subject that were not read to the end: {named}.",)


def _trimmed(items: Sequence[Item], best: SourceSentence, asked: frozenset[str]) -> list[Item]:
    """Return a group, or the items of a long group that share most with the question.

    Ties prefer items near the best sentence; the document's order stays.
    """
    if len(items) <= _GROUP:
        return list(items)

    def rank(place: int) -> tuple[int, int]:
        words = frozenset(terms(" ".join(source.text for source in items[place])))
        return -len(words & asked), abs(items[place][0].char_start - best.char_start)

    kept = sorted(sorted(range(len(items)), key=rank)[:_GROUP])
    return [items[place] for place in kept]


def _place(source: SourceSentence) -> tuple[str, int]:
    """Return a sentence's position, which identifies it in overlapping chunks."""
    return source.document_id, source.char_start


def _sentences(groups: Sequence[Sequence[Item]]) -> Iterator[AnswerSentence]:
    for number, group in enumerate(groups, 1):
        for item in group:
            yield AnswerSentence(
                text=" ".join(source.text for source in item),
                citations=tuple(Citation(number=number, source=source) for source in item),
            )
