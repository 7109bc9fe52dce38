"""Check a model's text: align each sentence with its sources, and report unsupported content.

Only citation numbers shown in the prompt count. Each sentence is aligned with the sentences of the cited items that
share most of its words: these are its citations, with page and box. Unsupported content becomes the sentence's problem;
nothing is corrected.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from graphrag_tasks.answering.reply import AnswerSentence, Citation
from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.language.support import MARK, Source, harmless, problem, sentences_of, share, with_plain_marks
from graphrag_tasks.retrieval import Context, Index, SourceSentence
from graphrag_tasks.retrieval.context.further import FURTHER
from graphrag_tasks.retrieval.context.hits import one_line

NO_SOURCE = "no source"
LINK = "a link or picture that its source lacks was taken out"

_MARKS = re.compile(MARK)
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)")
_IN_PROMPT = re.compile(r"^\[(\d+)\] ", re.MULTILINE)

_MOST_ALIGNED = 3  # Most sentences of an item that support a sentence: chosen by reading.
_ADDS = 0.15  # Least share of a sentence's words that another aligned sentence must add.
_LEAST_OF_ITEM = 0.3  # Least share of a sentence's words in a cited item, if another item has more.
_BESIDE = 1  # Neighbours of an aligned sentence whose words also count as source.


@dataclass(frozen=True)
class _Item:
    """A numbered item of the prompt: its sentences in reading order, and its headings."""

    sentences: tuple[SourceSentence, ...]
    headings: str = ""


def checked(
    text: str, index: Index, context: Context, prompt: str, noted: Collection[int] = ()
) -> tuple[AnswerSentence, ...]:
    """Return the sentences of a model's text, each with citations and any problem.

    `prompt` is what the model was shown of `context`; `noted` are numbers of items that it was shown by notes.
    """
    shown = {int(number) for number in _IN_PROMPT.findall(prompt)}.union(noted)
    items = {
        number: item for number, item in _items(index, context).items()
        if number in shown and item.sentences
    }  # fmt: skip
    return tuple(_checked(said, items, context.question) for said in _split(with_plain_marks(text)))


def _items(index: Index, context: Context) -> dict[int, _Item]:
    """Return the numbered items of a prompt, in the order of `context.prompt`."""
    items = [_Item(index.sentences(hit.chunk_id), "\n".join((hit.title, *hit.heading_path))) for hit in context.chunks]
    items += [_Item(hit.evidence, hit.text) for hit in context.relations]
    items += [_Item(hit.sources()) for name in FURTHER for hit in context.further.get(name, ())]
    return dict(enumerate(items, 1))


@dataclass(frozen=True)
class _Said:
    text: str
    numbers: tuple[int, ...]


def _split(text: str) -> Iterator[_Said]:
    """Yield the sentences of a text; lone citation numbers belong to the sentence before."""
    waiting: _Said | None = None
    for part in sentences_of(text):
        numbers = tuple(_numbers(part))
        bare = one_line(_EMPHASIS.sub("", _MARKS.sub(" ", part)))
        bare = re.sub(r"\s+([.,;:!?])", r"\1", bare)
        if any(map(str.isalnum, bare)):
            if waiting:
                yield waiting
            waiting = _Said(bare, numbers)
        elif waiting:
            waiting = _Said(waiting.text, (*waiting.numbers, *numbers))
    if waiting:
        yield waiting


def _numbers(text: str) -> Iterator[int]:
    for mark in _MARKS.findall(text):
        for part in re.split(r"[,;]", mark.strip("[]")):
            first, *further = (int(one) for one in re.split(r"[–\-]", part))
            yield from range(first, (further or [first])[-1] + 1)


def _checked(said: _Said, items: Mapping[int, _Item], question: str) -> AnswerSentence:
    numbers = dict.fromkeys(one for one in said.numbers if one in items)
    found = {number: _aligned(said.text, items[number]) for number in numbers}
    kept = {number: rows for number, rows in found.items() if rows}
    cited = "\n".join(sentence.text for number in kept for sentence in items[number].sentences)
    text, had_link = harmless(said.text, cited)
    text = one_line(text)
    if not kept:
        wrong = NO_SOURCE if not numbers else "its source does not say this"
        return AnswerSentence(text=text, citations=(), problem=wrong)
    kept = _without_idle(said.text, kept, items)
    citations = tuple(
        Citation(number=number, source=items[number].sentences[row]) for number, rows in kept.items() for row in rows
    )
    source = Source(
        "\n".join(citation.source.text for citation in citations),
        "\n".join(_near(items[number], rows) for number, rows in kept.items()),
        question,
    )
    found_wrong = problem(text, source) or (LINK if had_link else None)
    return AnswerSentence(text=text, citations=citations, problem=found_wrong)


def _aligned(text: str, item: _Item) -> list[int]:
    """Return the rows of an item's sentences that share most terms with a text."""
    said = frozenset(terms(text))
    of_rows = [frozenset(terms(sentence.text)) for sentence in item.sentences]
    chosen: list[int] = []
    covered: frozenset[str] = frozenset()
    for _ in range(_MOST_ALIGNED):
        gains = [(len((said & of_row) - covered), -len(of_row - said), -row) for row, of_row in enumerate(of_rows)]
        gain, _, place = max(gains, default=(0, 0, 0))
        if not gain or (chosen and gain < _ADDS * len(said)):
            break
        if chosen and item.sentences[-place].document_id != item.sentences[chosen[0]].document_id:
            break
        chosen.append(-place)
        covered |= said & of_rows[-place]
    return sorted(chosen)


def _without_idle(text: str, kept: Mapping[int, list[int]], items: Mapping[int, _Item]) -> dict[int, list[int]]:
    """Return the items with enough of a text's words, or the best of them."""
    shares = {
        number: share(text, Source("\n".join(items[number].sentences[row].text for row in rows)))
        for number, rows in kept.items()
    }
    best = max(shares, key=lambda number: shares[number])
    return {number: rows for number, rows in kept.items() if number == best or shares[number] >= _LEAST_OF_ITEM}


def _near(item: _Item, rows: Sequence[int]) -> str:
    beside = {
        row + step for row in rows for step in range(-_BESIDE, _BESIDE + 1)
        if 0 <= row + step < len(item.sentences)
    } - set(rows)  # fmt: skip
    return "\n".join([item.headings, *(item.sentences[row].text for row in sorted(beside))])
