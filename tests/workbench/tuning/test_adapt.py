"""Models tuned on questions: they learn, they are judged on what they have not seen, or refused."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from graphrag_tasks.core.errors import ConfigError, QualityError
from graphrag_tasks.embed.local import LocalEmbedder
from graphrag_tasks.embed.model_files import DEFAULT_MODEL
from graphrag_tasks.embed.model_files import RERANKER as DEFAULT_RERANKER
from graphrag_tasks.retrieval import Index
from graphrag_tasks.retrieval.reranker import Passage
from graphrag_tasks.retrieval.reranker.cross_encoder import CrossEncoder
from graphrag_tasks.workbench.evaluation.questions import Question
from graphrag_tasks.workbench.tuning import Adaptation, adapt
from graphrag_tasks.workbench.tuning.adapt import ENCODER, RECIPES, RERANKER, Way
from graphrag_tasks.workbench.tuning.held_out import Figures, Gain, calibration, write_model
from graphrag_tasks.workbench.tuning.learning import TunableReranker, load_bert, padded
from tests.workbench.tuning.conftest import questions

FAST = {
    ENCODER: replace(RECIPES[ENCODER], epochs=8, rate=5e-3, tokens=64, kept=1.0),
    RERANKER: replace(RECIPES[RERANKER], epochs=30, rate=4e-3, tokens=96),
}


def run(index: Index, asked: Sequence[Question], out: Path, kind: str, **given: object) -> list[str]:
    told: list[str] = []
    adapt(index, asked, out, kinds=(kind,), recipes=FAST, folds=2, tell=told.append, **given)  # type: ignore[arg-type]
    return told


@pytest.mark.slow
def test_an_encoder_learns_to_find_what_it_was_not_asked_for(index: Index, tmp_path: Path) -> None:
    told = run(index, questions(), tmp_path / "out", ENCODER)
    assert told[0].startswith("48 questions; about ")
    assert [line for line in told if line.startswith("encoder, ")] == [
        "encoder, questions left out: 2 trainings",
        "encoder, folders left out: 2 trainings",
    ]
    made = LocalEmbedder(tmp_path / "out" / "encoder", max_tokens=64)
    asked, said, other = made.encode(["mango near nylon?", "The amber is near the basin.", "The ledge."])
    assert asked @ said > asked @ other
    card = (tmp_path / "out" / "encoder" / "README.md").read_text()
    assert "| questions left out | 48 |" in card


@pytest.mark.slow
def test_a_reranker_learns_and_its_scores_are_log_odds(index: Index, tmp_path: Path) -> None:
    run(index, questions(), tmp_path / "out", RERANKER)
    made = CrossEncoder(tmp_path / "out" / "reranker", max_tokens=96)
    right = Passage("", "The amber is near the basin.")
    wrong = Passage("", "The knoll is near the ledge.")
    scores = made.scores("mango near nylon?", [right, wrong])
    assert scores[0] > scores[1]
    assert scores[1] < 0


def adaptation(*gains: tuple[float, float]) -> Adaptation:
    ways = [
        Way("questions", Gain.of([Figures(0.5, 0.5)] * 40, [Figures(0.5 + one, 0.5 + other)] * 40))
        for one, other in gains
    ]
    return Adaptation("encoder", "before", "embed.model", "dense retrieval", tuple(ways))


@pytest.mark.parametrize(
    ("gains", "is_better"),
    [
        ([(0.1, 0.1), (0.1, 0.1)], True),
        ([(0.1, 0.1)], True),
        ([(0.1, 0.1), (-0.1, 0.1)], True),
        ([(0.1, -0.1), (0.1, 0.1)], False),
        ([(0.1, 0.0), (0.1, 0.1)], False),
        ([(0.1, 0.1), (0.1, -0.2)], False),
    ],
)
def test_better_is_more_of_both_and_no_worse_on_new_folders(gains: list[tuple[float, float]], is_better: bool) -> None:
    assert adaptation(*gains).is_better == is_better


@pytest.mark.slow
def test_what_is_not_better_is_refused_and_not_written(index: Index, tmp_path: Path) -> None:
    recipes = {ENCODER: replace(FAST[ENCODER], epochs=1, rate=0.0)}
    told: list[str] = []
    with pytest.raises(QualityError, match="no tuned model is better"):
        adapt(index, questions(), tmp_path / "out", kinds=(ENCODER,), recipes=recipes, folds=2, tell=told.append)
    assert told[-1] == "the tuned encoder is not better and is not written"
    assert not (tmp_path / "out").exists()


def test_questions_whose_gold_is_gone_are_left_out_and_counted(index: Index, tmp_path: Path) -> None:
    asked = [
        one.model_copy(update={"gold_ids": ("a/gone.md",)}) if place < 19 else one
        for place, one in enumerate(questions())
    ]
    with pytest.raises(ConfigError, match="29 questions have a chunk"):
        run(index, asked, tmp_path / "out", ENCODER)


@pytest.mark.parametrize("model", [DEFAULT_MODEL, pytest.param(DEFAULT_RERANKER, marks=pytest.mark.slow)])
def test_what_is_written_untuned_gives_the_same_as_before(model: str, tmp_path: Path) -> None:
    texts = ["Which table replaces VBBS?", "Use table VBBE instead of table VBBS. " * 9]
    is_reranker = model == DEFAULT_RERANKER
    bert = load_bert(model, is_reranker=is_reranker)
    if is_reranker:
        tunable = TunableReranker(model)
        passages = [Passage("Sales", text) for text in texts]
        before = CrossEncoder(model, precision="float32").scores(texts[0], passages)
        asked, rows = CrossEncoder(model).inputs(texts[0], passages)
        again = tunable.bert.scores(bert.parameters, padded(rows, 0, [asked] * 2))
        write_model(bert, tmp_path / "model", calibration=bert.config.calibration)
        after = CrossEncoder(tmp_path / "model", precision="float32").scores(texts[0], passages)
        slope, intercept = bert.config.calibration
        np.testing.assert_allclose(np.asarray(again) * slope + intercept, before, atol=0.05)
        np.testing.assert_allclose(after, before, atol=0.05)
    else:
        before = LocalEmbedder(model).encode(texts)
        write_model(bert, tmp_path / "model")
        after = LocalEmbedder(tmp_path / "model").encode(texts)
        assert (after * before).sum(axis=1).min() > 0.9995


def test_calibrated_scores_are_chances() -> None:
    scored = [(1.0, True)] * 30 + [(1.0, False)] * 10 + [(-1.0, True)] * 10 + [(-1.0, False)] * 30
    slope, intercept = calibration(scored)
    assert 1 / (1 + np.exp(-(slope + intercept))) == pytest.approx(0.75, abs=0.01)
    assert intercept == pytest.approx(0, abs=0.01)
