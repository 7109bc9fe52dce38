"""Gather the windows that `training.span_reader` learns from, as one archive.

    python -m benchmarks.training.windows --squad FOLDER --stores FOLDER --sap STORE --out FILE

`--squad` holds `train-v2.0.json` and `dev-v2.0.json` of SQuAD 2.0 (Rajpurkar, Jia, Liang, "Know What You Don't Know",
2018; CC BY-SA 4.0), `--stores` an index of each corpus of `benchmarks/fetch_corpora.sh` under its name. Windows are
made as `SpanReader` makes them. Many questions come with and without their answering sentence: the passage decides, not
the asking. Every fifth window is of the chunks that are found for the questions of `benchmarks/gold`.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
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
CHUNKS = 8
SQUAD_TOKENS = 200  # Of a window of SQuAD; one of the project has as many as the reader reads.
SIZES = (1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 5, 7)  # Sentences of a window of SQuAD, drawn.
TITLED, LEFT_OUT, OTHER = 0.7, 0.4, 0.25  # Shares: windows under a title, and how answerable questions come again.
HEADINGS, PASSAGE, ANSWER = 1, 2, 3  # Marks of tokens; those of the question have 0.


class Sentence(NamedTuple):
    """A sentence: where in it the answer stands, where it starts in its paragraph, and its terms."""

    text: str
    gold: tuple[int, int] = (0, 0)
    start: int = 0
    words: frozenset[str] = frozenset()

    @property
    def is_gold(self) -> bool:
        """Whether a part of the answer stands in it."""
        return self.gold[0] < len(self.text) and self.gold[1] > 0


class Window(NamedTuple):
    """What is read at once."""

    kind: str
    tokens: NDArray[np.uint16]
    marks: NDArray[np.uint8]


def windows_of(
    reader: SpanReader, kind: str, question: str, headings: str, sentences: Sequence[Sentence]
) -> Iterator[Window]:
    """Yield the windows of a passage."""
    asked, windows = reader.windows(question, [(headings, [sentence.text for sentence in sentences])])
    for tokens, pieces in windows:
        marks = (np.arange(len(tokens)) >= asked).astype(np.uint8) * HEADINGS
        for piece in pieces:
            begin, end = sentences[piece.sentence].gold
            for place, (first, last) in enumerate(piece.offsets, piece.place):
                marks[place] = ANSWER if first < end and last > begin else PASSAGE
        yield Window(kind, np.array(tokens, np.uint16), marks)


def squad_windows(reader: SpanReader, draw: random.Random, file: Path) -> Iterator[Window]:
    """Yield the windows of SQuAD, one or two for each question."""
    for article in json.loads(file.read_text("utf-8"))["data"]:
        paragraphs = [sentences_in(paragraph["context"]) for paragraph in article["paragraphs"]]
        for sentences, paragraph in zip(paragraphs, article["paragraphs"], strict=True):
            for asked in paragraph["qas"]:
                for kind, passage in passages_of(draw, asked, sentences, paragraphs):
                    title = article["title"].replace("_", " ") if draw.random() < TITLED else ""
                    made = [*windows_of(reader, kind, asked["question"], title, passage)]
                    if kind == "answerable":
                        made = [window for window in made if ANSWER in window.marks]
                    if len(made) == 1 or kind != "answerable":  # An answer is whole or not there.
                        yield draw.choice(made)


def sentences_in(context: str) -> list[Sentence]:
    """Return the sentences of a paragraph."""
    sentences, at = [], 0
    for text in filter(None, map(str.strip, sentences_of(context))):
        at = context.index(text, at)
        sentences.append(Sentence(text, start=at, words=frozenset(terms(text))))
        at += len(text)
    return sentences


def passages_of(
    draw: random.Random, asked: dict[str, Any], sentences: list[Sentence], paragraphs: list[list[Sentence]]
) -> Iterator[tuple[str, list[Sentence]]]:
    """Yield kinds and passages that a question is read with; `paragraphs` are those of the article."""

    def around(sentences: list[Sentence], first: int, last: int) -> list[Sentence]:
        size = max(draw.choice(SIZES), last - first + 1)
        begin = max(0, min(first - draw.randrange(size - (last - first)), len(sentences) - size))
        return sentences[begin : begin + size]

    def nearest(sentences: list[Sentence]) -> list[Sentence]:
        worth = [len(one.words & words) / (4 + len(one.words)) ** 0.5 for one in sentences]
        place = worth.index(max(worth))
        return around(sentences, place, place)

    words = frozenset(terms(asked["question"]))
    if asked["is_impossible"]:
        yield "asked", nearest(sentences)
        return
    text, start = asked["answers"][0]["text"], asked["answers"][0]["answer_start"]
    marked = [one._replace(gold=(start - one.start, start + len(text) - one.start)) for one in sentences]
    if places := [place for place, one in enumerate(marked) if one.is_gold]:
        yield "answerable", around(marked, places[0], places[-1])
    chance = draw.random()
    rest = [one for one in marked if not one.is_gold and text not in one.text]
    others = [other for other in paragraphs if other and not any(text.lower() in one.text.lower() for one in other)]
    if chance < LEFT_OUT and rest:
        yield "left out", nearest(rest)
    elif LEFT_OUT <= chance < LEFT_OUT + OTHER and others:
        few = draw.sample(others, min(12, len(others)))
        yield "other paragraph", nearest(max(few, key=lambda other: max(len(one.words & words) for one in other)))


def asked_of(corpus: str) -> Iterator[tuple[str, tuple[GoldSpan, ...]]]:
    """Yield the questions of a corpus that people wrote, and their gold: none if they have no answer."""
    for one in read_answer_questions():
        if one.corpus == corpus and one.kind in ("single", "listing", "unanswerable") and one.split not in NEVER:
            yield one.question, one.gold
    for file in ("sap_questions", "sap_tuning_questions") if corpus == "sap" else ():
        for row in read_questions(GOLD / f"{file}.jsonl"):
            if row.split not in NEVER:
                yield row.question, tuple(row.gold)


def found_windows(
    reader: SpanReader, index: Index, question: str, gold: Sequence[GoldSpan]
) -> tuple[list[Window], list[Window]]:
    """Return the windows of found chunks with gold, and the others: also those whose gold sentences are left out."""
    places = gold_spans(index, gold)
    answering: list[Window] = []
    others: list[Window] = []
    for chunk in index.search(question, k=CHUNKS).chunks:
        sentences = [
            Sentence(one.text, (0, len(one.text) * any(place.overlaps(one) for place in places)))
            for one in index.sentences(chunk.chunk_id)
        ]
        rest = [one for one in sentences if not one.is_gold]
        for kept in (sentences, rest) if len(rest) < len(sentences) else (sentences,):
            for window in windows_of(reader, "project", question, " > ".join(chunk.heading_path), kept):
                (answering if ANSWER in window.marks else others).append(window)
    return answering, others


def project_windows(draw: random.Random, stores: dict[str, str], number: int) -> Iterator[Window]:
    """Yield windows of the project's questions: of each drawn one with its answer, and one of the nearest without."""
    reader, corpora = SpanReader(ANSWERS), []
    for corpus, store in stores.items():
        if corpus not in NEVER and (questions := [*asked_of(corpus)]):
            index = open_index(store)
            corpora.append([found_windows(reader, index, *question) for question in questions])
    while number > 0:
        answering, others = draw.choice(draw.choice(corpora))
        for windows in filter(None, (answering, others[: max(4, len(others) // 2)])):
            yield draw.choice(windows)
            number -= 1


def main() -> None:
    """Write the archive, and print how many windows it has of each kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--squad", "--stores", "--sap", "--out"):
        parser.add_argument(name, type=Path, required=True)
    given = parser.parse_args()
    draw = random.Random(0)  # noqa: S311 - sampling, no secret
    reader = SpanReader(ANSWERS, max_tokens=SQUAD_TOKENS)
    stores = {folder.name: str(folder) for folder in sorted(given.stores.iterdir())} | {"sap": str(given.sap)}
    learnt = [*squad_windows(reader, draw, given.squad / "train-v2.0.json")]
    learnt += project_windows(draw, stores, len(learnt) // 4)
    windows = [*learnt, *squad_windows(reader, draw, given.squad / "dev-v2.0.json")]
    kinds, *columns = zip(*windows, strict=True)
    tokens, marks = map(np.concatenate, columns)
    is_dev = np.arange(len(windows)) >= len(learnt)
    np.savez_compressed(
        given.out, kind=kinds, tokens=tokens, marks=marks, ends=np.cumsum([*map(len, columns[0])]), is_dev=is_dev
    )
    print(Counter(kinds))


if __name__ == "__main__":
    main()
