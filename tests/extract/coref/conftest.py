"""Parses written by hand, so that the rules are tested without a model."""

from collections.abc import Callable

import pytest

from graphrag_tasks.extract.coref.protocol import Entity, Parse

POS_OF_TAG = {
    "NN": "NOUN", "NNS": "NOUN", "NNP": "PROPN", "NNPS": "PROPN", "PRP": "PRON", "PRP$": "PRON",
    "JJ": "ADJ", "RB": "ADV", "IN": "ADP", "DT": "DET", "CC": "CCONJ", "MD": "AUX", "TO": "PART",
    "POS": "PART", ".": "PUNCT", ",": "PUNCT",
}  # fmt: skip
LEMMAS = {"is": "be", "was": "be", "tables": "table", "reports": "report", "makes": "make"}


def parse(notation: str) -> Parse:
    """Return the parse of tokens written as `word/tag/label/head`, `word/tag/label/head/ENTITY`."""
    rows = [token.split("/") for token in notation.split()]
    words = [row[0] for row in rows]
    starts, place = [], 0
    for word in words:
        starts.append(place)
        place += len(word) + 1
    return Parse(
        text=" ".join(words),
        words=tuple(words),
        starts=tuple(starts),
        lemmas=tuple(LEMMAS.get(word.lower(), word.lower()) for word in words),
        tags=tuple(row[1] for row in rows),
        pos=tuple(POS_OF_TAG.get(row[1], "VERB") for row in rows),
        deps=tuple(row[2] for row in rows),
        heads=tuple(int(row[3]) for row in rows),
        entities=tuple(Entity(i, i + 1, row[4]) for i, row in enumerate(rows) if len(row) > 4),
    )


@pytest.fixture(name="parse")
def parse_fixture() -> Callable[[str], Parse]:
    return parse
