"""Our parse is spaCy's parse: every token, whatever the batch."""

import importlib.util
import random

import pytest
from spacy.language import Language
from spacy.tokens import Doc as SpacyDoc

from graphrag_tasks.language import DEFAULT_MODEL, load_pipeline
from graphrag_tasks.language.models import is_technical_name
from graphrag_tasks.language.parser import SentenceParser
from graphrag_tasks.language.tokens import Doc

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec(DEFAULT_MODEL) is None, reason=f"{DEFAULT_MODEL} is not installed"
)
COMPONENTS = ("tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer", "ner")
ATTRIBUTES = (*("i", "idx", "text", "lower_", "tag_", "pos_", "dep_", "lemma_", "ent_type_"), *("is_punct", "is_space"))


@pytest.fixture(scope="module")
def stock() -> Language:
    return load_pipeline(DEFAULT_MODEL, components=COMPONENTS)


def described(sentence: Doc | SpacyDoc) -> list[tuple[object, ...]]:
    return [
        (
            *(getattr(word, name) for name in ATTRIBUTES),
            *(word.head.i, word.left_edge.i, word.right_edge.i, word.n_rights, len(word)),
            [one.i for one in word.children],
            sorted(one.i for one in word.subtree),  # spaCy's order differs where arcs cross
            *([one.i for one in group] for group in (word.lefts, word.rights)),
        )
        for word in sentence
    ]


def is_name(word: str) -> bool:
    return is_technical_name(word) or (len(word) > 3 and word.isupper())


def test_every_token_is_as_in_spacys_own_pipeline(stock: Language, sentences: list[str]) -> None:
    plain = [
        sentence for sentence in sentences if not any(is_name(token.text) for token in stock.make_doc(sentence))
    ]  # names are parsed with another one in their place
    assert len(plain) > 0.7 * len(sentences)
    plain += ["He is gonna sleep.", "A gon is a unit, na is none.", "Let's go, let them see."]
    for ours, theirs in zip(SentenceParser().parse(plain), stock.pipe(plain), strict=True):
        assert described(ours) == described(theirs)
        assert ours.text == theirs.text


def test_names_are_parsed_as_nouns_and_keep_their_text() -> None:
    text = "The report /SCMB/TOOL reads /etc/hosts, if --foo-bar is set to <host>."
    (doc,) = SentenceParser().parse([text])
    assert doc.text == text
    assert "".join(text[token.idx : token.idx + len(token)] for token in doc) == (text.replace(" ", ""))
    names = {token.text: token for token in doc if not token.text[0].isalnum()}
    for name in ("/SCMB/TOOL", "/etc/hosts", "--foo-bar", "<host>"):
        assert names[name].pos_ in ("NOUN", "PROPN")
        assert (names[name].lower_, names[name].lemma_) == (name.lower(), name)
    assert names["/etc/hosts"].dep_ == "dobj"


@pytest.mark.parametrize("batch_size", [1, 7, 200])
def test_batches_change_nothing(batch_size: int, sentences: list[str]) -> None:
    texts = sentences[:200]
    random.Random(0).shuffle(texts)
    once = [described(one) for one in SentenceParser(entities=True).parse(texts)]
    again = SentenceParser(batch_size=batch_size).parse(texts)
    assert [described(one) for one in again] == once
