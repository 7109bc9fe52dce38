"""Gather the windows that `training.span_reader` learns from, as one archive.

    python -m benchmarks.training.windows --squad FOLDER --stores FOLDER --sap STORE --out FILE

`--squad` holds `train-v2.0.json` and `dev-v2.0.json` of SQuAD 2.0 (Rajpurkar, Jia, Liang, "Know What You Don't Know",
2018; CC BY-SA 4.0), `--stores` an index of each corpus of `benchmarks/fetch_corpora.sh` under its name. Windows are
made as `SpanReader` makes them. Most questions come with and without their answering sentence: the passage decides, not
the asking. Every fifth window is of the chunks that are found for the questions of `benchmarks/gold`.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.answer_sets import gold_spans, read_answer_questions
from graphrag_tasks.embed.model_files import ANSWERS
from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.language.support import sentences_of
from graphrag_tasks.retrieval import Index, open_index
from graphrag_tasks.retrieval.reranker.cross_encoder import SpanReader
from graphrag_tasks.workbench.evaluation import GoldSpan, read_questions

GOLD = Path(__file__).parents[1] / "gold"
NEVER = ("gnucash", "gimp", "judged", "test", "held-out", "fresh")  # Corpora and splits that are kept apart.
SAP_FILES = ("sap_questions", "sap_tuning_questions")
CHUNKS = 8
SQUAD_TOKENS = 200  # Of a window of SQuAD; one of the project has as many as the reader reads.
SIZES = (1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 5, 7)  # Sentences of a window of SQuAD, drawn.
TITLED, LEFT_OUT, OTHER = 0.7, 0.4, 0.25  # Shares: windows under a title, and how answerable questions come again.
PASSAGE, ANSWER = 1, 2  # Marks of tokens; those of question, headings and separators have 0.


class Sentence(NamedTuple):
    """A sentence: where it starts in its paragraph, its terms, and where in it the answer stands."""

    text: str
    gold: tuple[int, int] = (0, 0)
    start: int = 0
    words: frozenset[str] = frozenset()

    @property
    def is_gold(self) -> bool:
        """Whether a part of the answer stands in it."""
        return self.gold[0] < len(self.text) and self.gold[1] > 0


class Window(NamedTuple):
    """What is read at once: the first `asked` tokens are the question's."""

    kind: str
    asked: int
    tokens: NDArray[np.uint16]
    marks: NDArray[np.uint8]


def windows_of(
    reader: SpanReader, kind: str, question: str, headings: str, sentences: Sequence[Sentence]
) -> list[Window]:
    """Return the windows of a passage."""
    asked, windows = reader.windows(question, [(headings, [sentence.text for sentence in sentences])])
    made = []
    for tokens, pieces in windows:
        marks = np.zeros(len(tokens), np.uint8)
        for piece in pieces:
            begin, end = sentences[piece.sentence].gold
            for place, (first, last) in enumerate(piece.offsets, piece.place):
                marks[place] = ANSWER if first < end and last > begin else PASSAGE
        made.append(Window(kind, asked, np.array(tokens, np.uint16), marks))
    return made


def sentences_in(context: str) -> list[Sentence]:
    """Return the sentences of a paragraph."""
    sentences, at = [], 0
    for text in filter(None, map(str.strip, sentences_of(context))):
        at = context.index(text, at)
        sentences.append(Sentence(text, start=at, words=frozenset(terms(text))))
        at += len(text)
    return sentences


class Squad:
    """Makes windows of SQuAD."""

    def __init__(self, reader: SpanReader, draw: random.Random) -> None:
        self._reader, self._draw = reader, draw

    def windows(self, file: Path) -> Iterator[Window]:
        """Yield the windows of a file, one or two for each question."""
        for article in json.loads(file.read_text("utf-8"))["data"]:
            paragraphs = [sentences_in(paragraph["context"]) for paragraph in article["paragraphs"]]
            for number, paragraph in enumerate(article["paragraphs"]):
                others = [*paragraphs[:number], *paragraphs[number + 1 :]]
                for asked in paragraph["qas"]:
                    for kind, sentences in self._passages(asked, paragraphs[number], others):
                        title = article["title"].replace("_", " ") if self._draw.random() < TITLED else ""
                        made = windows_of(self._reader, kind, asked["question"], title, sentences)
                        if kind == "answerable":  # The window that holds the answer, if one holds all of it.
                            made = [window for window in made if ANSWER in window.marks]
                            made = made if len(made) == 1 else []
                        if made:
                            yield self._draw.choice(made)

    def _passages(
        self, asked: dict[str, Any], sentences: list[Sentence], others: list[list[Sentence]]
    ) -> Iterator[tuple[str, list[Sentence]]]:
        """Yield the passages that a question is read with, and their kinds."""
        words = frozenset(terms(asked["question"]))
        if asked["is_impossible"]:
            yield "asked", self._nearest(words, sentences)
            return
        text, start = asked["answers"][0]["text"], asked["answers"][0]["answer_start"]
        marked = [one._replace(gold=(start - one.start, start + len(text) - one.start)) for one in sentences]
        places = [place for place, one in enumerate(marked) if one.is_gold]
        if places:  # a list mark stands in no sentence
            yield "answerable", self._around(marked, places[0], places[-1])
        chance = self._draw.random()
        if chance < LEFT_OUT:
            rest = [one for one in marked if not one.is_gold and text not in one.text]
            if rest:
                yield "left out", self._nearest(words, rest)
        elif chance < LEFT_OUT + OTHER:
            free = [other for other in others if not any(text.lower() in one.text.lower() for one in other)]
            if free := self._draw.sample(free, min(12, len(free))):
                near = max(free, key=lambda other: max((len(one.words & words) for one in other), default=0))
                yield "other paragraph", self._nearest(words, near)

    def _nearest(self, words: frozenset[str], sentences: list[Sentence]) -> list[Sentence]:
        """Return sentences around the one that shares most with the question."""
        worth = [len(one.words & words) / (4 + len(one.words)) ** 0.5 for one in sentences]
        place = worth.index(max(worth)) if worth else 0
        return self._around(sentences, place, place)

    def _around(self, sentences: list[Sentence], first: int, last: int) -> list[Sentence]:
        """Return a drawn number of neighbouring sentences with those from `first` to `last`."""
        size = max(self._draw.choice(SIZES), last - first + 1)
        begin = first - self._draw.randrange(size - (last - first))
        begin = max(0, min(begin, len(sentences) - size))
        return sentences[begin : begin + size]


def asked_of(corpus: str) -> Iterator[tuple[str, tuple[GoldSpan, ...]]]:
    """Yield the questions of a corpus that people wrote, and their gold: none if they have no answer."""
    for one in read_answer_questions():
        if one.corpus == corpus and one.kind in ("single", "listing", "unanswerable") and one.split not in NEVER:
            yield one.question, one.gold
    for file in SAP_FILES if corpus == "sap" else ():
        for row in read_questions(GOLD / f"{file}.jsonl"):
            if row.split not in NEVER:
                yield row.question, tuple(row.gold)


def project_windows(
    reader: SpanReader, index: Index, question: str, gold: Sequence[GoldSpan]
) -> tuple[list[Window], list[Window]]:
    """Return the windows of found chunks with gold, and the others: also those whose gold sentences are left out."""
    places = gold_spans(index, gold)
    answering: list[Window] = []
    others: list[Window] = []
    for chunk in index.search(question, k=CHUNKS).chunks:
        sentences = [
            Sentence(one.text, (0, len(one.text)) if any(place.overlaps(one) for place in places) else (0, 0))
            for one in index.sentences(chunk.chunk_id)
        ]
        rest = [one for one in sentences if not one.is_gold]
        for kept in (sentences, rest) if len(rest) < len(sentences) else (sentences,):
            for window in windows_of(reader, "project", question, " > ".join(chunk.heading_path), kept):
                (answering if ANSWER in window.marks else others).append(window)
    return answering, others


def drawn(draw: random.Random, stores: dict[str, str], number: int) -> Iterator[Window]:
    """Yield windows of the project's questions: of each drawn one with its answer, and one of the nearest without."""
    reader = SpanReader(ANSWERS)
    by_corpus = []
    for corpus, store in stores.items():
        if corpus not in NEVER and (questions := [*asked_of(corpus)]):
            index = open_index(store)
            made = [project_windows(reader, index, *question) for question in questions]
            by_corpus.append([windows for windows in made if any(windows)])
    while number > 0:
        answering, others = draw.choice(draw.choice(by_corpus))
        for windows in filter(None, (answering, others[: max(4, len(others) // 2)])):
            yield draw.choice(windows)
            number -= 1


def main() -> None:
    """Write the archive, and print how many windows it has of each kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--squad", type=Path, required=True)
    parser.add_argument("--stores", type=Path, required=True)
    parser.add_argument("--sap", required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    draw = random.Random(0)  # noqa: S311 - sampling, no secret
    squad = Squad(SpanReader(ANSWERS, max_tokens=SQUAD_TOKENS), draw)
    stores = {folder.name: str(folder) for folder in sorted(given.stores.iterdir())} | {"sap": given.sap}
    learnt = [*squad.windows(given.squad / "train-v2.0.json")]
    learnt += drawn(draw, stores, len(learnt) // 4)
    draw.shuffle(learnt)
    windows = [*learnt, *squad.windows(given.squad / "dev-v2.0.json")]
    kinds = np.array([window.kind for window in windows])
    np.savez_compressed(
        given.out,
        tokens=np.concatenate([window.tokens for window in windows]),
        marks=np.concatenate([window.marks for window in windows]),
        ends=np.cumsum([len(window.tokens) for window in windows]),
        asked=np.array([window.asked for window in windows]),
        kind=kinds,
        is_dev=np.arange(len(windows)) >= len(learnt),
    )
    print(dict(zip(*map(np.ndarray.tolist, np.unique(kinds, return_counts=True)), strict=True)))


if __name__ == "__main__":
    main()
