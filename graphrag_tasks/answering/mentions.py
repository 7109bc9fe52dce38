"""Answer questions for the documents that mention a name, with the first sentence of each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graphrag_tasks.answering.reply import AnswerSentence, Citation
from graphrag_tasks.retrieval import Index, SourceSentence

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
_LEADING = re.compile(r"^(?:the|a|an) (?:(?:name|word|term) )?", re.IGNORECASE)
_QUOTES = "\"'“”‘’«»`"


@dataclass(frozen=True)
class Mentioned:
    """The documents that mention a name, those with most mentions first."""

    name: str
    sources: tuple[SourceSentence, ...]
    documents: int

    @property
    def summary(self) -> str:
        """How many of the documents mention it."""
        some = f"{len(self.sources):,} of {self.documents:,} documents mention “{self.name}”."
        rest = len(self.sources) > MOST_SHOWN
        return f"{some} The first {MOST_SHOWN} are shown." if rest else some


def asked_name(question: str) -> str:
    """Return the name whose documents a question asks for, or ""."""
    said = " ".join(question.split())
    found = next(filter(None, (pattern.match(said) for pattern in _ASKS)), None)
    if found is None:
        return ""
    return _LEADING.sub("", found["name"].strip(_QUOTES + " ")).strip(_QUOTES + " ")


def documents_asked_for(index: Index, question: str) -> Mentioned | None:
    """Return the documents that a question asks for by a name.

    None for other questions, and for several words that occur nowhere verbatim: they may be a description.
    """
    name = asked_name(question) if isinstance(question, str) else ""
    if not name:
        return None
    sources = index.documents_mentioning(name)
    if not sources and " " in name:
        return None
    return Mentioned(name, sources, len(index.snapshot.table("documents")))


def quoted_mentions(found: Mentioned) -> tuple[AnswerSentence, ...]:
    """Return the first sentence of each document that mentions a name."""
    return tuple(_sentences(found.sources[:MOST_SHOWN]))


def _sentences(sources: Sequence[SourceSentence]) -> Iterator[AnswerSentence]:
    for number, source in enumerate(sources, 1):
        citation = Citation(number=number, source=source)
        yield AnswerSentence(text=source.text, citations=(citation,))
