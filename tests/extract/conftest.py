"""Parsed sentences written by hand, so that the rules are tested without a model."""

from collections.abc import Callable

import pytest
from spacy.lang.en import English
from spacy.tokens import Doc

from graphrag_tasks.extract.clauses import frames_of
from graphrag_tasks.extract.frames import Argument, Frame

VOCAB = English().vocab
POS_OF_TAG = {
    "NN": "NOUN", "NNS": "NOUN", "NNP": "PROPN", "PRP": "PRON", "WDT": "PRON", "EX": "PRON",
    "JJ": "ADJ", "CD": "NUM", "RB": "ADV", "RBR": "ADV", "WRB": "SCONJ", "IN": "ADP", "RP": "ADP",
    "DT": "DET", "CC": "CCONJ", "MD": "AUX", "TO": "PART", "POS": "PART", "WP$": "DET",
    ".": "PUNCT", ",": "PUNCT", "-LRB-": "PUNCT", "-RRB-": "PUNCT",
}  # fmt: skip
"""What the English models' part of speech follows from; verbs' tags are not listed."""


def parse(notation: str) -> Doc:
    """Return the doc of a line of tokens written as `word/tag/label/head[/lemma]`."""
    words, tags, deps, heads, lemmas, pos = [], [], [], [], [], []
    for token in notation.split():
        word, tag, dep, head, *lemma = token.split("/")
        lemmas.append(lemma[0] if lemma else word.lower())
        auxiliary = dep in ("aux", "auxpass") and tag != "TO"
        pos.append("AUX" if auxiliary or lemmas[-1] == "be" else POS_OF_TAG.get(tag, "VERB"))
        words.append(word)
        tags.append(tag)
        deps.append(dep)
        heads.append(int(head))
    spaces = [not following.startswith((".", ",", "'", ")")) for following in [*words[1:], "."]]
    return Doc(
        VOCAB, words=words, spaces=spaces, tags=tags, pos=pos, deps=deps, heads=heads,
        lemmas=lemmas,
    )  # fmt: skip


def describe_argument(argument: Argument) -> str:
    preposition = f" {argument.preposition}" if argument.preposition else ""
    return f"{argument.role}{preposition}={argument.text}"


def describe(frame: Frame) -> str:
    """Return a frame in one line: rule, lemma, flags and arguments."""
    flags = ["not"] * frame.negated + ["passive"] * frame.passive
    flags += [f"<{frame.modality}>"] if frame.modality else []
    arguments = "; ".join(map(describe_argument, frame.arguments))
    return " ".join([f"{frame.rule}:", *flags, f"{frame.predicate_lemma}({arguments})"])


@pytest.fixture(name="parse")
def parse_fixture() -> Callable[[str], Doc]:
    return parse


@pytest.fixture(name="describe")
def describe_fixture() -> Callable[[Frame], str]:
    return describe


@pytest.fixture(name="read")
def read_fixture() -> Callable[[str], list[str]]:
    """Return the frames of a line in `parse`'s notation, each described in one line."""
    return lambda notation: [describe(frame) for frame in frames_of(parse(notation))]
