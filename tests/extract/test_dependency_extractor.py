"""The rule extractor end to end, on the installed model."""

import importlib.util

import pytest

from graphrag_tasks.extract.dependency.extractor import DependencyExtractor
from graphrag_tasks.language import DEFAULT_MODEL

needs_model = pytest.mark.skipif(
    importlib.util.find_spec(DEFAULT_MODEL) is None, reason=f"{DEFAULT_MODEL} is not installed"
)


@pytest.fixture(scope="module")
def extractor() -> DependencyExtractor:
    return DependencyExtractor()


@needs_model
def test_curly_apostrophes_are_read_as_straight_ones(extractor: DependencyExtractor) -> None:
    straight = ["The pump doesn't feed the tank.", "It's a valve.", "The user's key opens the gate."]
    curly = [sentence.replace("'", "\u2019") for sentence in straight]
    found = [list(extractor.extract(sentences)) for sentences in (straight, curly)]
    read = [[[(frame.predicate_lemma, frame.negated) for frame in frames] for frames in of] for of in found]
    assert read[0] == read[1]
    assert [frame.negated for frame in found[1][0]] == [True]
    for sentence, frames in zip(curly, found[1], strict=True):
        spans = ((sentence[one.start : one.end], one.text) for f in frames for one in f.arguments)
        assert all(text == own for text, own in spans)


@needs_model
def test_tokenized_sentences_keep_their_tokens(extractor: DependencyExtractor) -> None:
    sentence = "The report reads `` table-KONV '' , but not KONP ."
    (frames,) = extractor.extract([sentence], tokenized=True)
    words = {word for frame in frames for one in frame.arguments for word in one.text.split(" ")}
    assert words <= set(sentence.split(" "))
