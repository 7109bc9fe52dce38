"""The example corpus and its 25 questions, without a model."""

from pathlib import Path

import pytest

from graphrag_tasks.graph.relationships import read_schema
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.retrieval import open_index
from graphrag_tasks.workbench.ontology import propose
from graphrag_tasks.workbench.ontology.needs import read_asked
from tests.workbench.ontology.conftest import settings

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.mark.slow
def test_the_example_questions_are_covered(tmp_path: Path) -> None:
    store = tmp_path / "store"
    run_index(settings(store, sources=[str(EXAMPLES / "corpus")]), workers=1)
    found = propose(open_index(store), read_asked(EXAMPLES / "questions.jsonl"))
    assert (found.report.searched, found.report.covered) == (25, 25)
    assert read_schema(found.text, "file") == found.schema
    assert len(found.schema.entity_types) <= 30
    assert len(found.schema.relations) <= 60
    assert {"replace", "use instead of", "be stored in"} <= set(found.schema.relations)
