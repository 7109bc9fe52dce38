"""Questions with gold spans: which chunks hold them, alternatives, drift, and the gate."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.workbench.evaluation import GoldSpan, Question, Span, evaluate_retrieval, gate, read_questions
from graphrag_tasks.workbench.evaluation.gold import find_span, locate
from tests.workbench.evaluation.fake_index import fake_index, snapshot_of

CORPUS = {
    "a.md": ["Orders go to MIGO.", "MB11 is obsolete.", "Stock lies in MATDOC."],
    "b.md": ["Nothing of note.", "MB11 is obsolete."],
}


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def gold(text: str, path: str, start: int, *alternatives: Span) -> GoldSpan:
    return GoldSpan(path=path, char_start=start, char_end=start + len(text), sha=sha(text), alternatives=alternatives)


def asking(*spans: GoldSpan, id_: str = "q") -> Question:
    return Question(id=id_, question=f"{id_}?", gold=spans)


def test_an_alternative_is_as_good() -> None:
    other = Span(path="b.md", char_start=18, char_end=35, sha=sha("MB11 is obsolete."))
    asked = asking(gold("MB11 is obsolete.", "a.md", 20, other), gold("MATDOC", "a.md", 53))
    index = fake_index({"q?": ["b.md/1", "b.md/0", "a.md/2", "a.md/1"]}, CORPUS)
    result = evaluate_retrieval(index, [asked], mode="dense").results[0]
    assert result.found_at == (1, 3)
    assert result.ranking[0] == "b.md:18-35"
    assert result.metrics["recall@2"] == 0.5
    assert result.metrics["all_gold@8"] == 1.0
    assert evaluate_retrieval(index, [asked], mode="dense").moved == 0


def test_moved_text_is_found_again_at_its_nearest_place() -> None:
    text = "MB11 is obsolete. Really. MB11 is obsolete."
    span = gold("MB11 is obsolete.", "a.md", 20)
    assert find_span(text, span) == 26
    assert find_span(text[:25], span) == 0
    assert find_span("all is new", span) is None
    shifted = asking(gold("MB11 is obsolete.", "a.md", 17))
    found = locate([shifted], snapshot_of(CORPUS))
    assert found.moved == 1
    assert found.targets[0].chunks == ({"a.md/1"},)


def test_a_question_whose_text_is_gone_is_left_out_and_named() -> None:
    gone = asking(gold("MB11 works.", "a.md", 20), id_="old")
    kept = asking(gold("MATDOC", "a.md", 53))
    index = fake_index({"q?": ["a.md/2"]}, CORPUS)
    report = evaluate_retrieval(index, [gone, kept], mode="dense")
    assert [one.id for one in report.results] == ["q"]
    assert [(one.id, one.span) for one in report.stale] == [("old", "a.md:20-31")]
    assert "1 questions left out" in report.to_markdown()
    with pytest.raises(ConfigError, match="what every question is about is gone"):
        locate([gone], snapshot_of(CORPUS))


def test_a_line_needs_either_spans_or_documents(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    span = {"path": "a", "char_start": 3, "char_end": 5, "sha": "0123456789ab"}
    good = {"id": "1", "question": "?", "split": "dev", "gold": [span]}
    file.write_text(json.dumps(good))
    assert read_questions(file, split="dev")[0].gold[0].char_end == 5
    with pytest.raises(ConfigError, match="no question of the split 'test'") as caught:
        read_questions(file, split="test")
    assert caught.value.hint == "Its splits: dev"
    wrong: list[tuple[dict[str, object], str]] = [
        ({"gold": []}, "either gold"),
        ({"gold_ids": ["a"]}, "either gold"),
        ({"gold": [span | {"char_end": 3}]}, "greater than"),
        ({"gold": [span | {"sha": "0123"}]}, "sha"),
    ]
    for change, message in wrong:
        file.write_text(json.dumps(good | change))
        with pytest.raises(ConfigError, match=message):
            read_questions(file)


def test_the_gate_leaves_out_what_was_withdrawn(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    withdrawn = {"id": "old", "question": "old?", "gold_ids": ["c.md"]}
    other = Span(path="c.md", char_start=0, char_end=6, sha=sha("MATDOC"))
    kept = {"id": "q", "question": "q?", "gold": [gold("MATDOC", "a.md", 53, other).model_dump()]}
    file.write_text(f"{json.dumps(withdrawn)}\n{json.dumps(kept)}")
    index = fake_index({"q?": ["a.md/2"]}, CORPUS)
    found = gate(index, file, minimum={}, mode="dense")
    assert (found.questions, found.stale, found.metrics["recall@2"]) == (1, 1, 1.0)
    file.write_text(json.dumps(withdrawn))
    with pytest.raises(ConfigError, match="what every question is about is gone"):
        gate(index, file, minimum={}, mode="dense")
    file.write_text("")
    with pytest.raises(ConfigError, match="no questions"):
        gate(index, file, minimum={}, mode="dense")


def test_the_gate_says_what_was_missed(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    spans = [gold("MATDOC", "a.md", 53).model_dump()]
    file.write_text(json.dumps({"id": "q", "question": "q?", "gold": spans}))
    index = fake_index({"q?": ["a.md/0", "a.md/1", "a.md/2"]}, CORPUS)
    wanted = {"recall@5": 0.9, "recall@2": 0.5}
    found = gate(index, file, minimum=wanted, mode="dense")
    assert not found.passed
    assert found.missed == {"recall@2": (0.0, 0.5)}
    assert found.metrics["mrr@10"] == pytest.approx(1 / 3)
    assert gate(index, file, minimum={}, mode="dense").passed
    with pytest.raises(ConfigError, match="no figure 'recall@3'"):
        gate(index, file, minimum={"recall@3": 1.0}, mode="dense")
