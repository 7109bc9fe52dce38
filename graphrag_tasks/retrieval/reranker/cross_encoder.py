"""The default reranker: a BERT cross-encoder on the CPU.

Nogueira & Cho, "Passage Re-ranking with BERT", 2019. Its cost grows with the tokens read, so of a long passage only the
window with most of the question is read.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphrag_tasks.core.config import RerankConfig
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.embed.engine import ATTENTION_MASK, INPUT_IDS, TOKEN_TYPES, Engine, overflows
from graphrag_tasks.embed.local import Window, batches
from graphrag_tasks.embed.model_files import (
    ANSWERS,
    RERANKER,
    file_sha256,
    find_head,
    find_model,
    load_tokenizer,
    load_weights,
    read_config,
)
from graphrag_tasks.retrieval.reranker import Passage
from graphrag_tasks.retrieval.view.arrays import Floats

if TYPE_CHECKING:
    from onnx import ModelProto
    from tokenizers import Tokenizer

_QUESTION_TOKENS = 72  # Of a question, the rest is cut; the built-in model was tuned with as many (its model card).
_BATCH_TOKENS = 2048  # Tokens of a batch with its padding, about sixteen windows; keeps the memory of a call small.
_SHORTEST = _QUESTION_TOKENS + 16  # Least `max_tokens`: leaves a window of some words beside a whole question.
_STEP = 16  # Tokens from one window of a text to the next.
_LONGEST_SPAN = 30  # Most tokens of the span that answers, as on SQuAD.


class CrossEncoder:
    """Scores passages with a cross-encoder; several threads may use it.

    Args:
        model: Name or folder of a model of the BERT or XLM-RoBERTa family that gives one score.
        max_tokens: Tokens of question and passage that are read, if the model can. The default was chosen on the SAP
            questions: 192 find no more (benchmarks/README.md).
        threads: 0 for as many as the process has cores.
        engine: `auto`, `openvino` or `onnxruntime`.
        precision: `int8`, by which states may be rounded to bytes (`embed.engine`), or `float32`.
    """

    def __init__(
        self,
        model: str | Path = RERANKER,
        *,
        max_tokens: int = 128,
        threads: int = 0,
        engine: str = "auto",
        precision: str = "int8",
    ) -> None:
        self._files = find_model(model, "retrieval.rerank.model")
        self._config = read_config(self._files)
        self._max_tokens = min(max_tokens, self._config.longest)
        if self._max_tokens < _SHORTEST:
            what = f"reads {self._max_tokens} tokens at once, at least {_SHORTEST} are needed"
            raise ConfigError(f"{model} {what}", "retrieval.rerank.model")
        self._engine = Engine(
            self._graph,
            lambda: f"{self.fingerprint} {self._engine.products.value} {overflows()}",
            engine,
            threads,
            by_bytes=precision == "int8",
        )

    @cached_property
    def fingerprint(self) -> str:
        """Hash of weights, tokenizer and the number of tokens read."""
        parts = [*map(file_sha256, self._files.hashed), self._max_tokens, self._config.calibration]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def scores(self, question: str, passages: Sequence[Passage]) -> Floats:
        """Return a score for each passage, shape (passages,)."""
        asked, inputs = self.inputs(question, passages)
        found = np.empty(len(inputs), np.float32)
        for rows, output in self._run(asked, inputs):
            found[rows] = output
        slope, intercept = self._config.calibration
        return found * np.float32(slope) + np.float32(intercept)

    def _run(self, asked: int, inputs: Sequence[Sequence[int]]) -> Iterator[tuple[Sequence[int], Floats]]:
        """Yield rows of inputs, and the graph's output of them; the first `asked` tokens are the question's."""
        windows = [Window(row, list(tokens), 1) for row, tokens in enumerate(inputs)]
        for batch in batches(
            windows, batch_tokens=_BATCH_TOKENS, longest=self._config.longest,
            pad_token_id=self._config.pad_token_id,
        ):  # fmt: skip
            given = {INPUT_IDS: batch.input_ids, ATTENTION_MASK: batch.attention_mask}
            if self._config.token_types > 1:
                given[TOKEN_TYPES] = batch.attention_mask.copy()
                given[TOKEN_TYPES][:, :asked] = 0
            yield batch.windows, self._engine.run(given)

    def inputs(self, question: str, passages: Sequence[Passage]) -> tuple[int, list[list[int]]]:
        """Return the tokens that are read of each passage, and how many are the question's."""
        first, *between, last = self._special_tokens
        asked = self._tokens([question])[0][:_QUESTION_TOKENS]
        head = [first, *asked, *between]
        room = self._max_tokens - len(head) - 1
        above = self._tokens([f"{passage.headings}\n" for passage in passages])
        texts = self._tokens([passage.text for passage in passages])
        read = [[*head, *best_window(asked, *tokens, room), last] for tokens in zip(above, texts, strict=True)]
        return len(head), read

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        found = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        return [encoding.ids for encoding in found]

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return load_tokenizer(self._files)

    @cached_property
    def _special_tokens(self) -> list[int]:
        """Special tokens around question and passage: `[CLS]`, `[SEP]` and `[SEP]`, or four."""
        tokens: list[int] = self._tokenizer.encode("", "").ids
        if len(tokens) < 3:
            what = f"joins a question and a passage with {len(tokens)} special tokens, expected 3"
            raise ConfigError(what, str(self._files.tokenizer))
        return tokens

    def _graph(self) -> ModelProto:
        from graphrag_tasks.embed.bert_onnx import build_cross_encoder

        weights = load_weights(self._files.weights)
        head = find_head(weights, str(self._files.config.parent))
        return build_cross_encoder(weights, self._config, head, self._engine.products)


def best_window(question: Sequence[int], headings: Sequence[int], text: Sequence[int], room: int) -> list[int]:
    """Return the tokens of a passage that are read, at most `room`.

    Headings take at most a third. Of a longer text the window with most of the question's tokens is read, each counted
    once, weighted by id: vocabularies begin with frequent tokens.
    """
    kept = list(headings[: room // 3])
    room -= len(kept)
    if len(text) <= room:
        return [*kept, *text]
    worth = {token: math.log1p(token) for token in question}
    starts = [*range(0, len(text) - room, _STEP), len(text) - room]

    def worth_of(start: int) -> float:
        return math.fsum(worth.get(token, 0.0) for token in set(text[start : start + room]))

    best = max(starts, key=worth_of)
    return [*kept, *text[best : best + room]]


class ReadSentence(NamedTuple):
    """How well a sentence answers a question.

    Attributes:
        log_odds: That the window that holds it answers.
        margin: Of its best span over no answer, in log-odds.
        start: First character of that span in the sentence.
        end: One past its last character.
    """

    log_odds: float
    margin: float
    start: int
    end: int


class Piece(NamedTuple):
    """Tokens of a sentence in a window: whose they are, the first one's place, and their characters."""

    passage: int
    sentence: int
    place: int
    offsets: Sequence[tuple[int, int]]


class SpanReader(CrossEncoder):
    """Finds the span of a passage that answers a question, or that none does, and tells it sentence by sentence.

    Windows of whole sentences are read, each under the headings. As on SQuAD 2.0 (Rajpurkar, Jia, Liang, "Know What You
    Don't Know", 2018; Devlin et al., 2019), the first token stands for no answer.
    """

    def read(
        self, question: str, passages: Sequence[tuple[str, Sequence[str]]], most: int
    ) -> list[list[ReadSentence | None]]:
        """Return how well each sentence of each passage answers; None for sentences that are not read.

        Args:
            question: Its first tokens are read.
            passages: The headings of each on one line, and its sentences.
            most: Windows that are read, those of the first passages.
        """
        asked, windows = self.windows(question, passages)
        windows = windows[:most]
        found: list[list[ReadSentence | None]] = [[None] * len(sentences) for _, sentences in passages]
        slope, intercept = self._config.calibration
        for rows, output in self._run(asked, [tokens for tokens, _ in windows]):
            for row, scores in zip(rows, output, strict=True):
                log_odds = float(scores[-1, 0]) * slope + intercept
                for piece in windows[row][1]:
                    known = found[piece.passage][piece.sentence]
                    new = _best_span(scores, piece, log_odds)
                    if known is None or new.margin > known.margin:
                        found[piece.passage][piece.sentence] = new
        return found

    def windows(
        self, question: str, passages: Sequence[tuple[str, Sequence[str]]]
    ) -> tuple[int, list[tuple[list[int], list[Piece]]]]:
        """Return how many tokens come before the passage, and the windows: tokens, and what they are."""
        first, *between, last = self._special_tokens
        head = [first, *self._tokens([question])[0][:_QUESTION_TOKENS], *between]
        windows: list[tuple[list[int], list[Piece]]] = []
        for passage, (headings, sentences) in enumerate(passages):
            room = self._max_tokens - len(head) - 1
            above = self._tokens([f"{headings}\n"])[0][: room // 3] if headings else []
            room -= len(above)
            begin = len(windows)
            for sentence, encoded in enumerate(self._tokenizer.encode_batch(list(sentences), add_special_tokens=False)):
                for at in range(0, len(encoded.ids), room):  # one that is longer than a window has several
                    ids, offsets = encoded.ids[at : at + room], encoded.offsets[at : at + room]
                    tokens, pieces = windows[-1] if len(windows) > begin else ([], [])
                    if not pieces or len(tokens) + len(ids) > self._max_tokens - 1:
                        tokens, pieces = [*head, *above], []
                        windows.append((tokens, pieces))
                    pieces.append(Piece(passage, sentence, len(tokens), offsets))
                    tokens += ids
            for tokens, _ in windows[begin:]:
                tokens.append(last)
        return len(head), windows


def _best_span(scores: Floats, piece: Piece, log_odds: float) -> ReadSentence:
    """Return the best span of a piece of a sentence: its first and its last token."""
    tokens = scores[piece.place : piece.place + len(piece.offsets)]
    sums = tokens[:, None, 0] + tokens[None, :, 1]
    length = np.arange(len(tokens)) - np.arange(len(tokens))[:, None]
    sums[(length < 0) | (length >= _LONGEST_SPAN)] = -np.inf
    begin, end = divmod(int(sums.argmax()), len(tokens))
    margin = float(sums[begin, end] - scores[0, 0] - scores[0, 1])
    return ReadSentence(log_odds, margin, piece.offsets[begin][0], piece.offsets[end][1])


@cache
def make_span_reader() -> SpanReader:
    """Return the reader of answers, one per process; its model is loaded on first use."""
    return SpanReader(ANSWERS)


def make_cross_encoder(config: RerankConfig) -> CrossEncoder:
    """Return the cross-encoder that the settings describe."""
    return CrossEncoder(config.model)
