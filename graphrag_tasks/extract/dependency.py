"""The rule extractor: a dependency parse, and rules that turn it into frames.

It needs no language model. The rules follow the dependency-based construction of Min et al.,
"Towards Practical GraphRAG" (arXiv 2507.03226), with frames of any arity in place of pairs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from graphrag_tasks.extract.clauses import EXTRACTOR_NAME, frames_of
from graphrag_tasks.extract.frames import Frame
from graphrag_tasks.extract.rules import RULES_VERSION
from graphrag_tasks.nlp import DEFAULT_MODEL, load_pipeline, model_version

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

__all__ = ["DependencyExtractor", "frames_of"]

PARSE_COMPONENTS = ("tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer")
ENTITY_COMPONENTS = ("ner",)

MAX_TOKENS = 400
"""Longest sentence that is parsed. Longer ones are tables or code that lost their line ends."""
MAX_CHARS = 20_000
"""Longest sentence that is tokenised, for the same reason: 50 characters for each token."""

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class DependencyExtractor:
    """Finds frames by rules over spaCy's dependency parse.

    The frames of a sentence do not depend on its neighbours or on the batch size. The pipeline
    is loaded by the first call of `extract`, so an extractor is cheap to build and to pickle.

    Args:
        model: Name of an installed spaCy model, or a path to one.
        batch_size: Sentences parsed at a time.
        entities: Whether to recognise named entities, for `Argument.entity_type` and the role
            `time`. They take about 40 % of the parsing time.
    """

    name = EXTRACTOR_NAME

    def __init__(
        self, model: str = DEFAULT_MODEL, *, batch_size: int = 64, entities: bool = True
    ) -> None:
        self.model = model
        self.batch_size = batch_size
        self.entities = entities
        self._oversized = 0

    @property
    def fingerprint(self) -> str:
        """Rules' version, model version and settings: all that decides the frames of a text."""
        entities = "entities" if self.entities else "no-entities"
        return f"{self.name}-{RULES_VERSION}:{model_version(self.model)}:{entities}:{MAX_TOKENS}"

    @property
    def oversized_sentences(self) -> int:
        """Sentences so far that were longer than `MAX_TOKENS` tokens or `MAX_CHARS` characters.

        They were answered with no frames, unparsed.
        """
        return self._oversized

    def extract(self, sentences: Sequence[str], tokenized: bool = False) -> Iterator[list[Frame]]:
        """Yield the frames of each sentence, in order.

        Args:
            sentences: Any texts. Odd ones (empty, symbols only, too long) have no frames; lone
                surrogates are read as U+FFFD, which keeps all offsets.
            tokenized: Whether the sentences' tokens are already separated by single spaces,
                as in benchmarks; otherwise the model's tokenizer is used.

        Yields:
            One list for each sentence.
        """
        components = (*PARSE_COMPONENTS, *(ENTITY_COMPONENTS if self.entities else ()))
        pipeline = load_pipeline(self.model, components=components)
        docs = (self._tokenize(pipeline, sentence, tokenized) for sentence in sentences)
        for doc in pipeline.pipe(docs, batch_size=self.batch_size):
            yield frames_of(doc)

    def _tokenize(self, pipeline: Language, sentence: str, tokenized: bool) -> Doc:
        """Return the sentence's tokens, or an empty doc, which has no frames, if oversized."""
        from spacy.tokens import Doc

        if len(sentence) <= MAX_CHARS:
            text = _LONE_SURROGATE.sub("\ufffd", sentence)
            words = [word for word in text.split(" ") if word]
            doc = Doc(pipeline.vocab, words=words) if tokenized else pipeline.make_doc(text)
            if len(doc) <= MAX_TOKENS:
                return doc
        self._oversized += 1
        return Doc(pipeline.vocab, words=[])
