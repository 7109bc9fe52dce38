"""Parse sentences: tokenizer, components and morphology."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from graphrag_tasks.language.components import COMPONENTS as MORPHOLOGY_COMPONENTS
from graphrag_tasks.language.components import Morphology
from graphrag_tasks.language.models import DEFAULT_MODEL, annotate, is_technical_name, load_pipeline
from graphrag_tasks.language.tokens import Doc, Token, attach

if TYPE_CHECKING:
    import spacy.tokens
    from spacy.language import Language

MAX_TOKENS = 400  # Longest parsed sentence. Longer ones are tables or code without line ends.
MAX_CHARS = 20_000  # Longest tokenized sentence, for the same reason: 50 characters for each token.

STAND_IN = "Joule"
"""Replacement of technical names such as "/SCMB/TOOL", "--foo-bar" or "VBBE" for the model.

It has seen none in training, and takes a fifth of them for punctuation, numbers or verbs, and words
in capitals for plurals. On the 181 labelled sentences that rules are written on, .728 of the facts
are found and .809 of the triples right without replacing words in capitals, .744 and .818 with it.
The choice of name ("Apple", "Intel", "IBM") moves .006 at most; a plain noun ("table") is .012
worse. The model does not know this name, but reads "table Joule" as one name.
"""
MIN_CAPITALS = 4  # Shortest replaced word in capitals: the model knows "SAP", and "API" as a noun.

_COMPONENTS = ("tok2vec", "tagger", "parser", *MORPHOLOGY_COMPONENTS)
_CAPITALS = re.compile(r"[A-Z0-9_]+")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_CURLY = "\N{RIGHT SINGLE QUOTATION MARK}"
_values = attrgetter(
    *("i", "idx", "text", "lower_", "tag_", "pos_", "dep_", "lemma_"), *("is_punct", "is_space", "ent_type_")
)
"""Attributes of a token, in the order of `Token`."""


class SentenceParser:
    """Parses sentences with a spaCy model, loaded by the first call of `parse`.

    Attributes:
        model: Name of an installed spaCy model, or a path to one.
        batch_size: Sentences parsed at a time.
        entities: Whether to recognise named entities, for `Token.ent_type_`.
        oversized_sentences: Number of sentences left unparsed, without tokens, because they have more than `MAX_TOKENS`
            tokens or `MAX_CHARS` characters.
    """

    def __init__(self, model: str = DEFAULT_MODEL, *, batch_size: int = 64, entities: bool = True) -> None:
        self.model = model
        self.batch_size = batch_size
        self.entities = entities
        self.oversized_sentences = 0

    def parse(self, sentences: Sequence[str], tokenized: bool = False) -> Iterator[Doc]:
        """Yield each sentence parsed, in order, independent of the others.

        Oversized sentences have no tokens. Lone surrogates are read as U+FFFD, which keeps offsets, and curly
        apostrophes as straight ones, the only ones the models know in "doesn't". With `tokenized`, single spaces
        separate the tokens, as in benchmarks.
        """
        components = (*_COMPONENTS, "ner") if self.entities else _COMPONENTS
        pipeline = load_pipeline(self.model, components=components)
        if pipeline not in _morphologies:
            _morphologies[pipeline] = Morphology(pipeline) if Morphology.covers(pipeline) else None
        morphology = _morphologies[pipeline]
        skip = MORPHOLOGY_COMPONENTS if morphology else ()
        for start in range(0, len(sentences), self.batch_size):
            batch = sentences[start : start + self.batch_size]
            docs = [self._tokenize(pipeline, sentence, tokenized) for sentence in batch]
            stand_ins = docs if tokenized else [_with_stand_ins(doc) for doc in docs]
            annotate(pipeline, stand_ins, skip=skip)
            if morphology:
                morphology.learn(stand_ins)
            for sentence, doc, stand_in in zip(batch, docs, stand_ins, strict=True):
                parse = parsed(stand_in, morphology)
                if stand_in is not doc:
                    _restore(parse, doc)
                if _CURLY in sentence and parse.text and not tokenized:
                    parse.text = _LONE_SURROGATE.sub("\ufffd", sentence)
                yield parse

    def _tokenize(self, pipeline: Language, sentence: str, tokenized: bool) -> spacy.tokens.Doc:
        """Return the sentence's tokens; empty if oversized."""
        from spacy.tokens import Doc as SpacyDoc

        if len(sentence) <= MAX_CHARS:
            text = _LONE_SURROGATE.sub("\ufffd", sentence).replace(_CURLY, "'")
            words = [word for word in text.split(" ") if word]
            doc = SpacyDoc(pipeline.vocab, words=words) if tokenized else pipeline.make_doc(text)
            if len(doc) <= MAX_TOKENS:
                return doc
        self.oversized_sentences += 1
        return SpacyDoc(pipeline.vocab, words=[])


def _with_stand_ins(doc: spacy.tokens.Doc) -> spacy.tokens.Doc:
    """Return a doc with technical names replaced, or the doc itself."""
    words = [token.text for token in doc]
    if not any(map(_needs_stand_in, words)):
        return doc
    from spacy.tokens import Doc as SpacyDoc

    return SpacyDoc(
        doc.vocab,
        words=[STAND_IN if _needs_stand_in(word) else word for word in words],
        spaces=[bool(token.whitespace_) for token in doc],
    )


def _needs_stand_in(word: str) -> bool:
    if word.isupper() and len(word) >= MIN_CAPITALS and _CAPITALS.fullmatch(word):
        return True
    return not word.isalnum() and is_technical_name(word)


def _restore(parse: Doc, doc: spacy.tokens.Doc) -> None:
    """Restore the sentence's words and offsets in a parse."""
    parse.text = doc.text
    for token, source in zip(parse, doc, strict=True):
        token.idx = source.idx
        if token.text != source.text:
            token.text = token.lemma_ = source.text
            token.lower_ = source.lower_
            token.ent_type_ = ""


_morphologies: WeakKeyDictionary[Language, Morphology | None] = WeakKeyDictionary()
"""Cached morphology per pipeline, freed with it."""


def parsed(doc: spacy.tokens.Doc, morphology: Morphology | None = None) -> Doc:
    """Return a spaCy doc as a plain one; without `morphology`, with its own lemmas and tags."""
    if morphology is None or not len(doc):
        return copied(doc)
    from spacy.attrs import DEP, ENT_TYPE, HEAD, IDX, ORTH, TAG

    columns = doc.to_array([ORTH, TAG, DEP, IDX, ENT_TYPE, HEAD])
    orths, tags, deps, places, entities, _ = columns.T.tolist()
    heads = columns[:, 5].astype("int64").tolist()  # distances, stored without their sign
    strings = doc.vocab.strings
    forms = morphology.forms(list(zip(orths, tags, deps, strict=True)))
    tokens = [
        Token(i, place, *form[:8], strings[entity] if entity else "")
        for i, (place, form, entity) in enumerate(zip(places, forms, entities, strict=True))
    ]
    attach(tokens, [i + distance for i, distance in enumerate(heads)])
    return Doc(doc.text, tokens)


def copied(doc: spacy.tokens.Doc | Doc) -> Doc:
    """Return a plain doc equal to a parsed one, of either kind."""
    tokens = [Token(*_values(token)) for token in doc]
    attach(tokens, [token.head.i for token in doc])
    return Doc(doc.text, tokens)
