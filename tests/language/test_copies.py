"""Texts that say the same in nearly the same words."""

from graphrag_tasks.language.copies import are_copies


def test_what_says_the_same_as_a_text_before_it_is_a_copy() -> None:
    page = (
        "Open the app Manage Stock, choose a plant and a storage location, and press Go. Select a "
        "material document, check quantities, units and batches, then post the correction."
    )
    texts = [page, page.upper().replace(".", "!"), page.replace("press", "click"), page[:79]]
    assert list(are_copies(texts)) == [False, True, True, False]


def test_texts_are_looked_at_one_by_one() -> None:
    texts = iter(["a plant", "a plant", "a table"])
    copies = are_copies(texts)
    assert (next(copies), next(copies)) == (False, True)
    assert list(texts) == ["a table"]
