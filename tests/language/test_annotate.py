"""Parsing takes one thread of matrix products, and leaves the process as it was."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from threadpoolctl import threadpool_info, threadpool_limits

from graphrag_tasks.language.models import annotate


def threads() -> set[int]:
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


def test_products_have_one_thread_while_a_text_is_parsed() -> None:
    np.ones((2, 2)) @ np.ones((2, 2))
    seen: list[set[int]] = []

    def look(document: Doc) -> Doc:
        seen.append(threads())
        return document

    pipeline: Any = SimpleNamespace(pipeline=[("look", look)])
    with threadpool_limits(2, user_api="blas"):
        if threads() != {2}:
            pytest.skip("NumPy's products have one thread here")
        annotate(pipeline, [spacy.blank("en").make_doc("One is.")])
        import scipy.linalg  # noqa: F401 - brings a library of its own, late

    with threadpool_limits(2, user_api="blas"):
        annotate(pipeline, [spacy.blank("en").make_doc("Two are.")])
        assert threads() == {2}
    assert seen == [{1}, {1}]
