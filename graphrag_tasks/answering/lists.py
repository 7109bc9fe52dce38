"""Lists: the best sentences, each with its whole list or table, then further sentences.

A question for several things of a kind is answered by a list in a document more often than by
sentences of their own, so the group of a good sentence comes before the next one.
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
"""Chunks that are read for a list: twice those of other questions."""

PLACES = 20
"""Items that a list has at most."""

_LEADING = 8
"""Best sentences whose groups come first."""

_GROUP = 16
"""Most items of one group. Both by trying on the lists of the SAP documents (splits dev and tune)
and of two foreign corpora."""

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
stores …", "what takes …"), so what follows decides."""

_EXISTING = re.compile(
    r"\b(?:which|what)\s+([\w -]{3,60}?)\s+(?:exist|are there|do we have|are documented)\b",
    re.IGNORECASE,
)
_ON_THE_SUBJECT = 0.2
_NAMED = 5
"""Least score of a chunk whose document is named, and most documents that are."""

Item = tuple[SourceSentence, ...]


def asks_for_list(question: str) -> bool:
    """Tell whether a question asks for several things of one kind, and for nothing else."""
    return not question_parts(question) and bool(_SEVERAL.search(" ".join(question.split())))


def list_items(index: Index, context: Context) -> tuple[AnswerSentence, ...]:
    """Return the items of a list, those of a group together; each group has a number of its own.

    First come the documents whose titles have the kind asked for, where the question is which of
    them exist. Then the groups of the best sentences, then further sentences, then the sentences
    that name an entity of the kind. It is empty where none of the best sentences stands in a list.
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
    """The places of a list, filled in order; each sentence takes one once."""

    def __init__(self) -> None:
        self.groups: list[list[Item]] = []
        self._shown: set[tuple[str, int]] = set()
        self._left = PLACES

    @property
    def has_group(self) -> bool:
        """Whether some items came together."""
        return any(len(group) > 1 for group in self.groups)

    def add(self, items: Sequence[Item]) -> None:
        """Take the items that are new, as far as there are places."""
        new = [item for item in items if _place(item[0]) not in self._shown][: self._left]
        if new:
            self._shown.update(_place(source) for one in new for source in one)
            self.groups.append(new)
            self._left -= len(new)


def unread_documents(
    index: Index, context: Context, items: Sequence[AnswerSentence]
) -> tuple[str, ...]:
    """Return a note on documents on the subject that may hold more, if there are any."""
    listed = {citation.source.document_id for item in items for citation in item.citations}
    likely = [chunk for chunk, score in context.read.items() if score >= _ON_THE_SUBJECT]
    titles = index.document_titles(likely)
    others = [title for document, title in titles.items() if document not in listed]
    if not others:
        return ()
    named = "; ".join(others[:_NAMED]) + ("; …" if len(others) > _NAMED else "")
    return (f"Documents on the subject that were not read to the end: {named}.",)


def _trimmed(items: Sequence[Item], best: SourceSentence, asked: frozenset[str]) -> list[Item]:
    """Return a group, or of a long one the items that share most with the question.

    Of equals, those nearest to the best sentence are kept; the order stays the document's.
    """
    if len(items) <= _GROUP:
        return list(items)

    def rank(place: int) -> tuple[int, int]:
        words = frozenset(terms(" ".join(source.text for source in items[place])))
        return -len(words & asked), abs(items[place][0].char_start - best.char_start)

    kept = sorted(sorted(range(len(items)), key=rank)[:_GROUP])
    return [items[place] for place in kept]


def _place(source: SourceSentence) -> tuple[str, int]:
    """Return where a sentence stands; two chunks that overlap both have it."""
    return source.document_id, source.char_start


def _sentences(groups: Sequence[Sequence[Item]]) -> Iterator[AnswerSentence]:
    for number, group in enumerate(groups, 1):
        for item in group:
            yield AnswerSentence(
                text=" ".join(source.text for source in item),
                citations=tuple(Citation(number=number, source=source) for source in item),
            )
