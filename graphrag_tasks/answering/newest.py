"""Quote the newest version of a document, and what it said before.

A sentence of an older version that changed gives way to what it became, even if that was not found; one that did not
change is quoted from the newest version; of one that is gone a note tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from graphrag_tasks.answering.reply import AnswerSentence, Citation
from graphrag_tasks.retrieval import Index, SourceSentence


def with_newest(
    index: Index, sentences: Sequence[AnswerSentence]
) -> tuple[tuple[AnswerSentence, ...], tuple[str, ...]]:
    """Return quotations, the best ones from the newest versions, and notes on what is gone."""
    releases = index.releases
    if not releases.of:
        return tuple(sentences), ()
    number = max((one for said in sentences for one in said.numbers), default=0)
    found: list[AnswerSentence] = []
    notes: list[str] = []
    shown: set[str] = set()
    moved: set[int] = set()
    for said in sentences:
        source = said.citations[-1].source
        newest = releases.newest(source.document_id)
        if not said.is_best or newest is None:
            found.append(said)
            continue
        release = releases.of[newest]
        found_id = releases.newest_of(source.document_id, source.text)
        if found_id is None:
            own = releases.of[source.document_id]
            notes.append(f"“{source.text}” stands in {own}, no longer in {release}.")
        is_moved = found_id is not None and source.document_id != newest
        current = index.sentence(found_id) if found_id and is_moved else source
        if current.sentence_id in shown:
            moved.update(said.numbers)
            continue
        shown.add(current.sentence_id)
        old = releases.before(newest, current.text) if found_id else None
        if is_moved:
            moved.update(said.numbers)
        found.append(_quoted(said, current, release if old else ""))
        if old:
            number += 1
            before = index.sentence(old[1])
            found.append(
                AnswerSentence(
                    text=before.text,
                    citations=(Citation(number=number, source=before),),
                    is_best=False,
                    release=releases.of[old[0]],
                )
            )
    kept = [one for one in found if one.is_best or one.release or moved.isdisjoint(one.numbers)]
    return tuple(_renumbered(kept)), tuple(notes)


def _renumbered(sentences: Sequence[AnswerSentence]) -> Iterator[AnswerSentence]:
    """Yield sentences whose citations count from 1, as they come."""
    order = {old: new for new, old in enumerate(dict.fromkeys(one for said in sentences for one in said.numbers), 1)}
    for said in sentences:
        citations = (replace(one, number=order[one.number]) for one in said.citations)
        yield replace(said, citations=tuple(citations))


def _quoted(said: AnswerSentence, source: SourceSentence, release: str) -> AnswerSentence:
    """Return a quotation of another sentence, or the same one, with its release."""
    own = said.citations[-1]
    if source.sentence_id == own.source.sentence_id:
        return replace(said, release=release)
    citation = Citation(number=own.number, source=source)
    return replace(said, text=source.text, citations=(citation,), release=release)
