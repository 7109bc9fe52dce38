"""The regression that judges frames."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from spacy.tokens import Doc

from graphrag_tasks.extract.dependency.clauses import frames_of
from graphrag_tasks.extract.dependency.confidence import (
    Weights,
    confidence_of,
    features,
    load_weights,
)
from graphrag_tasks.extract.frames import Frame

SENTENCE = "It/PRP/nsubj/1 reads/VBZ/ROOT/1/read KONV/NNP/dobj/1 from/IN/prep/1 disk/NN/pobj/3"


@pytest.fixture(name="frame")
def frame_fixture(parse: Callable[[str], Doc]) -> Frame:
    (frame,) = frames_of(parse(SENTENCE))
    return frame


def test_features_are_what_the_frame_shows(frame: Frame) -> None:
    assert list(features(frame, words=5, frames=1)) == [
        "rule svo",
        "sentence of 0-11 words",
        "0-1 frames in the sentence",
        "predicate of 0-1 words",
        "subject of 0-1 words",
        "subject is a pronoun",
        "subject begins with it",
        "subject 0-1 before",
        "2 slots",
        "longest argument of 0-1 words",
        "has object",
        "has oblique",
        "preposition from",
    ]


def test_each_feature_is_named_once(parse: Callable[[str], Doc]) -> None:
    doc = parse(
        "A/NNP/nsubj/4 ,/,/punct/0 B/NNP/conj/0 can/MD/aux/4 plan/VB/ROOT/4 to/TO/aux/6"
        " read/VB/xcomp/4 C/NNP/dobj/6 and/CC/cc/7 D/NNP/conj/7 in/IN/prep/6 E/NNP/pobj/10"
    )
    for frame in frames_of(doc):
        names = list(features(frame, words=len(doc), frames=1))
        assert len(names) == len(set(names))


def test_confidence_is_the_logistic_of_what_applies(frame: Frame) -> None:
    weights = Weights(0.5, {"rule svo": 1.0, "has object": 0.5, "has clause": 9.0}, {})
    assert confidence_of(frame, words=5, frames=1, weights=weights) == 0.8808
    nothing = Weights(0.0, {}, {})
    assert confidence_of(frame, words=5, frames=1, weights=nothing) == 0.5


def test_the_frames_of_the_rules_have_it(frame: Frame) -> None:
    weights = load_weights()
    assert frame.confidence == confidence_of(frame, words=5, frames=1, weights=weights)
    denied = replace(frame, rule="possessive")
    assert confidence_of(denied, words=5, frames=1, weights=weights) < frame.confidence


def test_the_weights_are_of_features_that_exist(parse: Callable[[str], Doc]) -> None:
    prefixes = (
        "rule ", "sentence ", "predicate ", "subject", "verb ", "has ", "preposition ", "argument",
        "longest ", "condition", "modality", "negated",
    )  # fmt: skip
    for name in load_weights().features:
        assert name.startswith(prefixes) or name.endswith((" slots", " frames in the sentence"))
