"""Canonical forms: many at once are as each by itself."""

from functools import partial, reduce

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from graphrag_tasks.entities.resolve.canonical import CanonicalForms
from graphrag_tasks.language import forms

SLIPS = {"enviroment": "environment", "sectiona": "section a1", "tabless": "tablés"}
PLURALS = {"ids": "id", "s": "es"}
STEPS = (forms.unbracketed, forms.straight, forms.unaccented, forms.american,
         forms.corrected(SLIPS), partial(forms.singular, plurals=PLURALS),
         forms.joined)  # fmt: skip
WORDS = ("of", "tables", "of", "indices", "behaviours", "customised", "class", "s", "1", "é", "a-b",
         "(s)", "x's", *SLIPS, *PLURALS)  # fmt: skip


def keys() -> st.SearchStrategy[str]:
    words = st.sampled_from(WORDS) | st.text("abs", min_size=1, max_size=4)
    return st.lists(words, min_size=1, max_size=5).map(" ".join) | st.text(max_size=12)


@given(st.lists(keys(), max_size=5))
def test_forms_are_those_of_the_steps(names: list[str]) -> None:
    canonical = CanonicalForms(SLIPS, PLURALS)
    stepwise = [reduce(lambda key, step: step(key), STEPS, name) for name in names]
    assert [canonical.of(name) for name in names] == stepwise
    assert canonical.of_all(pa.array(names, pa.string())).to_pylist() == stepwise


def test_needed_rules_are_those_without_which_forms_differ() -> None:
    canonical = CanonicalForms(SLIPS, PLURALS)
    assert canonical.needed("enviroment tables", "environment-table") == (
        "slip",
        "number",
        "spacing",
    )
    assert canonical.needed("colours", "colors") == ("spelling",)
    assert canonical.needed("table", "table") == ()
