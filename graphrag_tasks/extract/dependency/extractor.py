"""The rule extractor: rules turn a dependency parse into frames.

No language model. The rules follow the dependency-based construction of Min et al., "Towards Practical GraphRAG" (arXiv
2507.03226), with frames of any arity in place of pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from graphrag_tasks.core.config import ExtractConfig, LanguageConfig
from graphrag_tasks.extract.dependency.clauses import frames_of
from graphrag_tasks.extract.dependency.nominal import EXTRACTOR_NAME
from graphrag_tasks.extract.dependency.repair import masked, reread, reworded, unmasked
from graphrag_tasks.extract.frames import Frame, ParseListener
from graphrag_tasks.language import DEFAULT_MODEL, model_version
from graphrag_tasks.language.parser import MAX_CHARS, MAX_TOKENS, SentenceParser
from graphrag_tasks.language.tokens import Doc

__all__ = ["MAX_CHARS", "MAX_TOKENS", "DependencyExtractor", "frames_of"]


class DependencyExtractor:
    """Finds frames by rules over spaCy's dependency parse; the first call loads the pipeline.

    The frames of a sentence do not depend on its neighbours or on the batch size.

    Args:
        model: Name of an installed spaCy model, or a path to one.
        batch_size: Number of sentences parsed at once.
        entities: Whether to recognise named entities, for `Argument.entity_type` and the role `time`. They take about
            40 % of the time.
        on_parse: Called with each parsed sentence.
    """

    name = EXTRACTOR_NAME

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        batch_size: int = 64,
        entities: bool = True,
        on_parse: ParseListener | None = None,
    ) -> None:
        self.batch_size = batch_size
        self._on_parse = on_parse
        self._parser = SentenceParser(model, batch_size=batch_size, entities=entities)

    @property
    def fingerprint(self) -> str:
        """The model and the settings; rules count as code."""
        entities = "entities" if self._parser.entities else "no-entities"
        return f"{self.name}:{model_version(self._parser.model)}:{entities}"

    @property
    def oversized_sentences(self) -> int:
        """Number of sentences longer than `MAX_TOKENS` or `MAX_CHARS`, which were not parsed."""
        return self._parser.oversized_sentences

    def extract(self, sentences: Sequence[str], tokenized: bool = False) -> Iterator[list[Frame]]:
        """Yield the frames of each sentence, in order; empty and too long ones have none.

        With `tokenized`, single spaces separate the tokens, as in benchmarks.
        """
        texts = sentences if tokenized else [masked(sentence) for sentence in sentences]
        parses = self._parser.parse(texts, tokenized=tokenized)
        if not tokenized:
            parses = self._reread(parses)
        for parse, text in zip(parses, sentences, strict=True):
            sentence = parse if tokenized else unmasked(parse, text)
            if self._on_parse:
                self._on_parse(sentence.text, sentence)
            yield frames_of(sentence)

    def _reread(self, parses: Iterator[Doc]) -> Iterator[Doc]:
        """Yield the parses; those with a misread verb are parsed a second time, in batches."""
        while docs := list(islice(parses, self.batch_size)):
            rewordings = {i: one for i, doc in enumerate(docs) if (one := reworded(doc))}
            again = self._parser.parse([one.text for one in rewordings.values()])
            for (i, rewording), parse in zip(rewordings.items(), again, strict=True):
                docs[i] = reread(docs[i], rewording, parse)
            yield from docs


def make_dependency_extractor(
    _: ExtractConfig, language: LanguageConfig, *, on_parse: ParseListener | None = None
) -> DependencyExtractor:
    """Return the extractor that reads a language."""
    return DependencyExtractor(language.model, on_parse=on_parse)
