"""Questions are read once each, and those that ask for the same are together."""

import json
from pathlib import Path

import numpy as np
import pytest

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.workbench.ontology import Questions, read_asked
from graphrag_tasks.workbench.ontology.questions import MOST_QUESTIONS, clustered


def _file(folder: Path, *lines: str) -> Path:
    path = folder / "questions.jsonl"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_a_question_is_all_that_a_line_needs(tmp_path: Path) -> None:
    lines = ['{"question": "What is new?"}', '{"question": "what  is new?", "gold": 1}', ""]
    found = read_asked(_file(tmp_path, *lines, '{"question": "Was ist neu?"}'))
    assert found == Questions(("Was ist neu?", "What is new?"), 3)


@pytest.mark.parametrize("lines", [(), ('{"question": " "}',), ("{}",), ("prose",)])
def test_no_question_is_an_error_that_names_the_file(tmp_path: Path, lines: tuple[str]) -> None:
    with pytest.raises(ConfigError, match=r"questions\.jsonl"):
        read_asked(_file(tmp_path, *lines))


def test_questions_beyond_the_bound_are_counted(tmp_path: Path) -> None:
    lines = [json.dumps({"question": f"Question {one}?"}) for one in range(MOST_QUESTIONS + 5)]
    found = read_asked(_file(tmp_path, *lines))
    assert (len(found.texts), found.asked, found.left_out) == (MOST_QUESTIONS, len(lines), 5)


def test_questions_near_one_another_are_a_cluster() -> None:
    axes = np.eye(4, dtype=np.float32)
    near = (axes[0] + 0.2 * axes[1]) / np.linalg.norm(axes[0] + 0.2 * axes[1])
    assert clustered(np.array([axes[0], axes[2], near, axes[2]])) == [0, 1, 0, 1]
    assert clustered(axes[:1]) == [0]
    assert clustered(axes[:0]) == []


def test_ten_thousand_questions_make_bounded_clusters() -> None:
    random = np.random.default_rng(0)
    vectors = random.standard_normal((10_000, 32)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    found = clustered(vectors)
    assert found == clustered(vectors)
    assert max(found) < 200
    assert found[0] == 0
