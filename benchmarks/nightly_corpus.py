"""Corpora of many small documents out of real ones, and the edits of a night."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

_FOLDER_SIZE = 500
_HEADING = re.compile(r"^#{1,3} .+$", re.MULTILINE)
_SHORTEST = 200
_TEXTS = {".csv", ".html", ".md", ".txt"}
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def write_corpus(data: Path, corpus: Path, documents: int) -> None:
    """Write documents: passages as text, sections of Markdown files, and mixtures of two passages.

    Args:
        data: Folder with `*/passages.jsonl` (`title` and `text` a line) and Markdown files.
        corpus: Where they go, in folders of 500. Of two corpora, the larger begins with the documents of the smaller.
        documents: How many.
    """
    found = [("txt", text) for text in _passages(data)]
    found += [("md", text) for text in _sections(data)]
    order = np.random.default_rng(0).permutation(len(found))
    chosen = [found[place] for place in order]
    for number in range(documents):
        if number < len(chosen):
            ending, text = chosen[number]
        else:
            ending, text = "txt", _mixture(number, [text for _, text in chosen])
        file = corpus / f"{number // _FOLDER_SIZE:03}" / f"{number:05}.{ending}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")


def change_corpus(corpus: Path, share: float, seed: int = 1) -> int:
    """Change a share of the documents: of ten, six are edited, two removed and two added.

    Args:
        corpus: What `write_corpus` wrote, or other documents; those of text are changed.
        share: Of all documents; one at least.
        seed: Chooses which, and what is written.

    Returns:
        Number of documents that are not as they were.
    """
    files = sorted(path for path in corpus.rglob("*.*") if path.is_file())
    texts = [path for path in files if path.suffix in _TEXTS]
    chosen = random.Random(seed).sample(texts, max(round(len(files) * share), 1))  # noqa: S311
    for place, file in enumerate(chosen):
        text = file.read_text("utf-8")
        match place % 10:
            case 6 | 7:
                file.unlink()
            case 8 | 9:
                added = file.with_stem(f"{file.stem}-{seed}")
                added.write_text(" ".join(_SENTENCE_END.split(text)[::-1]), "utf-8")
            case _:
                file.write_text(f"{text}\n\nVersion {seed}-{place} replaced it.\n", "utf-8")
    return len(chosen)


def _passages(data: Path) -> Iterator[str]:
    for file in sorted(data.glob("*/passages.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            passage = json.loads(line)
            yield f"{passage['title']}\n\n{passage['text']}\n"


def _sections(data: Path) -> Iterator[str]:
    for file in sorted(data.rglob("*.md")):
        text = file.read_text("utf-8", errors="replace")
        starts = [match.start() for match in _HEADING.finditer(text)]
        for start, end in pairwise([*starts, len(text)]):
            if end - start >= _SHORTEST:
                yield text[start:end]


def _mixture(number: int, texts: list[str]) -> str:
    """Return the first half of one text and the second half of another."""
    chosen = random.Random(number)  # noqa: S311
    first, second = (_SENTENCE_END.split(chosen.choice(texts)) for _ in range(2))
    half = [*first[: len(first) // 2 + 1], *second[len(second) // 2 :]]
    return " ".join(half) + "\n"
