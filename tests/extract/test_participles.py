"""Past participles of English verbs."""

import pytest

from graphrag_tasks.extract.inflection import past_participle


@pytest.mark.parametrize(
    ("lemma", "participle"),
    [
        ("replace", "replaced"),
        ("store", "stored"),
        ("check", "checked"),
        ("apply", "applied"),
        ("deploy", "deployed"),
        ("map", "mapped"),
        ("plan", "planned"),
        ("load", "loaded"),
        ("fix", "fixed"),
        ("show", "shown"),
        ("follow", "followed"),
        ("transfer", "transferred"),
        ("offer", "offered"),
        ("mimic", "mimicked"),
        ("write", "written"),
        ("overwrite", "overwritten"),
        ("rebuild", "rebuilt"),
        ("relay", "relayed"),
        ("set", "set"),
    ],
)
def test_past_participle(lemma: str, participle: str) -> None:
    assert past_participle(lemma) == participle
