"""Answer questions for several things by the list or table that holds the best sentence.

Such questions are answered by a document's list more often than by separate sentences. The list is given whole, and its
end is the answer's end; what else was found comes apart, as what is near.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from graphrag_tasks.answering.draft import Asked, Draft
from graphrag_tasks.answering.reply import AnswerSentence, Citation
from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.retrieval import Context, Index, SourceSentence
from graphrag_tasks.retrieval.context.context import is_content
from graphrag_tasks.retrieval.context.hits import defines
from graphrag_tasks.retrieval.question.router import asks, question_parts
from graphrag_tasks.sources.media_types import is_sheet

LIST_CHUNKS = 10  # Chunks read for a list: twice as many as for other questions.
NEARBY = 20  # Most items that are shown beside the list.
_LEADING = 8  # Best sentences whose lists come into question.

_OF_LEAD, _OF_LENGTH, _LEAST = 3.0, 2.0, 3
"""What a list is worth beside its best sentence: for the share of the question's words that its heading and its lead
hold, and for this many items; chosen on 16 questions on four foreign corpora and 44 on one of SAP."""

_BEHIND = 0.5  # How far a list may be behind the best sentence; else that sentence answers.

_WHOLE, _PART = 30, 16  # Most items of a list that is given whole, and best sentences by which others are cut; chosen.

_NO_NOUN = (
    r"(?!(?:does|is|was|has|this|its|process|access|class|status|\w+(?:ss|us)"
    r"|happens|occurs|belongs|comes|goes|depends|applies|remains|refers|relates|leads|consists)\b)"
)
_PLURAL = rf"(?:{_NO_NOUN}[a-z][\w-]+(?-i:s)|people|men|women|children|criteria)"
_VERB = (
    r"(?:are|were|have|had|can|could|must|may|might|should|shall|do|does|did|will|would|need"
    r"|exist|belong|contain|control|form|hold|make|use)\b"
)
_FURTHER_VERB = (
    rf"(?:{_VERB}|(?:is|was|be|apply|change|come|depend|give|go|help|run|show|store|support|take"
    r"|work|\w+ed)\b)"
)
_FOLLOWS = (
    rf"(?:\W*$|\s+(?:{_VERB}|(?:of|that|there)\b"
    rf"|(?:in|for|to|from|with|on|at|by|under|between)\b(?=.*\b{_FURTHER_VERB})))"
)
_PLEASE = r"(?:please\s+|(?:can|could|would)\s+you\s+(?:please\s+)?)?"
_NO_KIND = r"(?:of|is|are|was|were|do|does|did|can|could|must|should|will|would|has|have|had)"
_SEVERAL = re.compile(
    rf"^\W*{_PLEASE}(?:list|enumerate|give me a list)\b"
    rf"|^\W*{_PLEASE}(?:name|show|tell|give)\s+(?:me\s+)?"
    rf"(?:all\b|every\b|examples\b|(?:the|some)\s+(?:[\w-]+\s+){{0,3}}?{_PLURAL}\b)"
    rf"|\b(?:what|who) (?:are|were) (?:the|my|our|its|all)\s+(?:[\w-]+\s+){{0,3}}?{_PLURAL}\b"
    rf"|\bwhich\s+(?:of the\s+)?{_PLURAL}\b"
    rf"|\b(?:which|what)\s+(?:of the\s+)?(?:(?!{_NO_KIND}\b)[\w/-]+\s+){{0,2}}?"
    rf"{_PLURAL}{_FOLLOWS}",
    re.IGNORECASE,
)
"""A question for several things of a kind. A word that ends with s may be a verb ("which table stores …", "what runs
on …"), so the next words decide; before a preposition it is a noun if a verb is to come."""

_OF_EACH = re.compile(
    r"^\W*(?!(?:is|are|do|does|did|can|could|was|were|should|will|would|has|have|had|if|tell)\b)"
    r"(?!.*\b(?:what|which|who|when|where|why|how)\b)"
    r"(?:[\w',-]+\s+){0,5}?(?:all|every)\s+(?:of\s+)?(?:the\s+)?(?:[\w-]+\s+){0,3}?[\w-]{3,}",
    re.IGNORECASE,
)
"""Everything of a kind without a question word: "all gap filling modes", "Show every option"."""
_CONDITION = re.compile(
    r"\b(?:not|no|without|except|under|below|above|before|after|more than|less than|at least|at most"
    r"|most|least|(?:high|low|large|small|cheap|late|earli|old|new|long|short)est)\b",
    re.IGNORECASE,
)
"""Words of a question that leave some items of a list out."""
_SOURCE = re.compile(r"https?://|\bwww\.|\bISBN\b|\bdoi:|^\[\s?\d+\]", re.IGNORECASE)
_ON_THE_SUBJECT = 0.2
_NAMED = 5  # Least score of a chunk whose document is listed, and most listed documents.

Item = tuple[SourceSentence, ...]


def asks_for_list(question: str) -> bool:
    """Tell whether a question only asks for several things of one kind."""
    asked = " ".join(question.split())
    asking = [part for part in question_parts(asked) if asks(part)]
    one = asking[0] if asking else asked
    return len(asking) <= 1 and bool(_SEVERAL.search(one) or _OF_EACH.match(asked))


def by_list(asked: Asked) -> Draft | None:
    """Return the list that a question asks for; None for other questions, and where a sentence answers better.

    A question whose words all stand above a list asks for it, too: its steps, as a rule.
    It is the best of the lists and tables around the best sentences; rows of sheets are counted, or quoted. Near it are
    the other ones, further sentences, and sentences that name an entity of the kind.
    """
    index, context, candidates, scores = asked.index, asked.context, asked.reading.candidates, asked.reading.scores
    for_list, order = asks_for_list(asked.question), list(asked.reading.best_first())
    places = {_place(candidate.sentence): row for row, candidate in enumerate(candidates)}
    words = frozenset(filter(is_content, terms(context.question)))
    if not candidates or not (for_list or _is_told_beside(asked, order[0], words)):
        return None
    groups = _Groups()
    worth: dict[int, float] = {}
    for row in order[: _LEADING if for_list else 1]:
        best = candidates[row]
        around = groups.add(index.items_around(best.sentence) or [(best.sentence,)])
        if len(around) < 2 or _is_of_sources(around) or is_sheet(best.sentence.uri):
            continue
        first = places.get(_place(around[0][0]), 0)
        has_lead = first > 0 and candidates[first - 1].chunk == candidates[first].chunk
        lead = candidates[first - 1].sentence.text if has_lead else ""
        above = terms(" ".join([*context.chunks[best.chunk].heading_path[-1:], lead]))
        share = len(words.intersection(above)) / max(len(words), 1)
        if for_list or (share == 1 and _LEAST <= len(around) <= _WHOLE):
            worth[len(groups.found) - 1] = scores[row] + _OF_LEAD * share + _OF_LENGTH * (len(around) >= _LEAST)
    if not worth or max(worth.values()) < scores[order[0]] - _BEHIND:
        return None
    answering = groups.found[max(worth, key=lambda place: worth[place])]
    for row in order[_LEADING:]:
        groups.add([(candidates[row].sentence,)])
    for listed in context.listed:
        groups.add([listed.sources()[:1]] if listed.sources() else [])
    leading = frozenset(_place(candidates[row].sentence) for row in order[:_PART])
    shown = _part(answering, leading)
    items = tuple(_sentences([shown], 1))
    notes = list(unread_documents(index, context, items)) if for_list else []
    if len(shown) < len(answering):
        notes.insert(0, f"{len(shown)} of the list's {len(answering)} items: those that answer best.")
    rest = [_part(group, leading) for group in groups.found if group is not answering and for_list]
    near = tuple(islice(_sentences(rest, 2), NEARBY))
    doubts = tuple(_doubts(asked, items))
    return Draft(sentences=items, nearby=near, form="list", notes=tuple(notes), doubts=doubts)


def _is_told_beside(asked: Asked, row: int, words: frozenset[str]) -> bool:
    """Tell whether all words stand in the chunk of a sentence: then its list may be meant."""
    chunk = asked.reading.candidates[row].chunk
    said = [one.terms for one in asked.reading.candidates if one.chunk == chunk]
    above = frozenset(terms(" ".join(asked.context.chunks[chunk].heading_path[-1:])))
    return bool(words) and words <= above.union(*said)


def _doubts(asked: Asked, items: Sequence[AnswerSentence]) -> Iterator[str]:
    """Yield which conditions of the question neither an item nor the headings above the list have."""
    ids = {citation.source.chunk_id for item in items for citation in item.citations}
    chunks = [hit for hit in asked.context.chunks if hit.chunk_id in ids]
    above = " ".join(f"{hit.title} {' '.join(hit.heading_path)}" for hit in chunks)
    met = {one.lower() for one in _CONDITION.findall(" ".join([above, *(item.text for item in items)]))}
    if left := [one for one in dict.fromkeys(map(str.lower, _CONDITION.findall(asked.question))) if one not in met]:
        yield f"The list is whole, without regard to {', '.join(f'“{one}”' for one in left)}."


class _Groups:
    """Groups of items, without duplicates."""

    def __init__(self) -> None:
        self.found: list[list[Item]] = []
        self._shown: set[tuple[str, int]] = set()

    def add(self, items: Sequence[Item]) -> list[Item]:
        """Add the items that are not there yet as a group, and return them."""
        new = [item for item in items if _place(item[0]) not in self._shown]
        if new:
            self._shown.update(_place(source) for one in new for source in one)
            self.found.append(new)
        return new


def unread_documents(index: Index, context: Context, items: Sequence[AnswerSentence]) -> tuple[str, ...]:
    """Return a note on relevant documents that may contain more items, if any."""
    listed = {citation.source.document_id for item in items for citation in item.citations}
    likely = [chunk for chunk, score in context.read.items() if score >= _ON_THE_SUBJECT]
    titles = index.document_titles(likely)
    others = [title for document, title in titles.items() if document not in listed]
    if not others:
        return ()
    named = "; ".join(others[:_NAMED]) + ("; …" if len(others) > _NAMED else "")
    return (f"Documents on the subject that were not read to the end: {named}.",)


def _is_of_sources(items: Sequence[Item]) -> bool:
    """Tell whether most items of a list cite other works."""
    cited = sum(any(_SOURCE.search(source.text) for source in item) for item in items)
    return 2 * cited > len(items)


def _part(items: Sequence[Item], first: frozenset[tuple[str, int]]) -> Sequence[Item]:
    """Return a group, or the items of a long group that hold one of the first sentences."""
    if len(items) <= _WHOLE:
        return items
    return [item for item in items if not first.isdisjoint(map(_place, item))] or items[:_PART]


def _place(source: SourceSentence) -> tuple[str, int]:
    """Return a sentence's position, which identifies it in overlapping chunks."""
    return source.document_id, source.char_start


def _sentences(groups: Sequence[Sequence[Item]], first: int) -> Iterator[AnswerSentence]:
    for number, group in enumerate(groups, first):
        for item in group:
            yield AnswerSentence(
                text=_text(item), citations=tuple(Citation(number=number, source=source) for source in item)
            )


def _text(item: Item) -> str:
    """Return the text of an item, with a colon behind a term that its next sentence defines."""
    first, *others = (source.text for source in item)
    joint = ": " if others and defines(first, others[0]) else " "
    return joint.join([first, " ".join(others)]) if others else first


# Answer questions for the documents that mention a name, with the first sentence of each.

MOST_SHOWN = 20  # Most documents listed; all are counted.

_KIND = r"(?:documents?|files?|pages?|articles?|texts?)"
_SAYS = (
    r"(?:mention|name|contain|cite|quote|discuss|cover|reference|refer to|talk about|speak of"
    r"|(?:mention|name|contain|cite|quote|discuss|cover|reference)s|refers to|talks about|speaks of"
    r"|(?:is|are) about)"
)
_NAME = r"(?P<name>.+?)"
_ASKS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^\W*(?:in )?(?:which|what)(?: of the)? {_KIND} (?:that |do |does )?{_SAYS} {_NAME}\W*$",
        rf"^\W*(?:list|show|find|name)(?: me)?(?: all| every)?(?: the)? {_KIND}"
        rf"(?: that| which)? (?:{_SAYS}|mentioning|containing|about) {_NAME}\W*$",
        rf"^\W*(?:in )?(?:which|what) {_KIND} (?:is|are) {_NAME} (?:mentioned|named)(?: in)?\W*$",
        rf"^\W*where (?:is|are) {_NAME} mentioned\W*$",
    )
)
_ARTICLE = re.compile(r"^(?:the|a|an) (?:(?:name|word|term) )?", re.IGNORECASE)
_QUOTES = "\"'“”‘’«»`"


def by_documents(asked: Asked) -> Draft | None:
    """Return the documents that mention the name that a question asks for, those with most mentions first.

    Each is quoted with its first sentence that does. None for other questions, and for several words that occur nowhere
    verbatim: they may be a description.
    """
    question = " ".join(asked.question.split())
    found = next(filter(None, (pattern.match(question) for pattern in _ASKS)), None)
    if found is None or asked.filters:
        return None
    name = _ARTICLE.sub("", found["name"].strip(_QUOTES + " ")).strip(_QUOTES + " ")
    sources = asked.index.documents_mentioning(name) if name else ()
    if not name or (not sources and " " in name):
        return None
    documents = len(asked.index.snapshot.table("documents"))
    summary = f"{len(sources):,} of {documents:,} documents mention “{name}”."
    summary += f" The first {MOST_SHOWN} are shown." * (len(sources) > MOST_SHOWN)
    sentences = tuple(
        AnswerSentence(text=source.text, citations=(Citation(number=number, source=source),))
        for number, source in enumerate(sources[:MOST_SHOWN], 1)
    )
    return Draft(sentences=sentences, form="list", summary=summary, looked_up=bool(sources))
