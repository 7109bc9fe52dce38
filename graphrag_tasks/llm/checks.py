"""Checks that an endpoint's answers are usable, to report errors while they cost little."""

from __future__ import annotations

import logging
from collections import Counter
from threading import Lock

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.core.errors import EndpointError, UnusableAnswersError
from graphrag_tasks.llm.answers import Kind, Usage

log = logging.getLogger(__name__)

_CUT_SHARE, _CUT_FROM = 0.6, 1000
"""A prompt of so many tokens counts as cut where the endpoint reports a smaller share; other tokenizers, and
uncounted schemas, cost less. Chosen."""
_FIRST_ANSWERS, _EMPTY_SHARE = 20, 0.2
"""Answers that show a bad start, and the share of empty answers that makes it one. Chosen."""
_TRUNCATED_SHARE, _MOST_TRUNCATED_SHARE = 0.2, 0.5
"""Shares of truncated first answers: above the first a warning, above the second the run ends. Some truncated
requests are halved and repeated; where most are, their money is lost. Chosen by reading."""

_LONGER = (
    "Raise extract.llm.output_tokens, or lower extract.llm.windows_per_request; for answers to "
    "questions raise llm.answers.output_tokens"
)

TRIES_OF_FORM = 3  # Attempts at an answer of the right form, while no answer had it.


class Checks:
    """Counts the results of requests; several threads may use it.

    Args:
        config: Settings of the model.
    """

    def __init__(self, config: LlmConfig) -> None:
        self._url = config.url
        self._counts: Counter[Kind] = Counter()
        self._lock = Lock()
        self.has_answered = False

    @property
    def some_are_valid(self) -> bool:
        """Whether any request of this run got a valid answer."""
        return self._counts[Kind.ANSWERED] > 0

    @property
    def tries_of_form(self) -> int:
        """Attempts at an answer of the right form: more, while none was right."""
        return 2 if self.some_are_valid else TRIES_OF_FORM

    def known(self) -> None:
        """Note a stored answer from an earlier run: the settings are right."""
        self.has_answered = True

    def refuse_cut_prompt(self, sent: int, usage: Usage | None) -> None:
        """Refuse an answer to a prompt that the server cut silently, as Ollama does.

        Args:
            sent: Approximate number of prompt tokens.
            usage: Tokens as reported by the endpoint.
        """
        if usage is None:
            return
        read = usage.prompt_tokens
        if sent >= _CUT_FROM and read < _CUT_SHARE * sent:
            what = f"the server read {read:,} of about {sent:,} tokens of a prompt: it cuts them"
            hint = "Raise its context; with Ollama: PARAMETER num_ctx 16384 in the Modelfile"
            raise EndpointError(what, self._url, hint)

    def count(self, kind: Kind) -> None:
        """Count the result of a request."""
        with self._lock:
            self._counts[kind] += 1
            counts = self._counts.copy()
        if kind == Kind.ANSWERED:
            self.has_answered = True
            return
        done = counts.total()
        if kind == Kind.TRUNCATED and done <= _FIRST_ANSWERS:
            self._tell_truncated(counts[kind], done)
        if counts[Kind.EMPTY] > _EMPTY_SHARE * _FIRST_ANSWERS and done <= _FIRST_ANSWERS:
            what = f"{counts[Kind.EMPTY]} of the first {done} answers are empty"
            hint = "A model that thinks spends its tokens on it: set llm.parameters.reasoning_effort"
            raise UnusableAnswersError(what, self._url, hint)
        if counts[Kind.INVALID] >= TRIES_OF_FORM and not counts[Kind.ANSWERED]:
            what = "no answer has the form that was asked for"
            hint = "Name a model that can write JSON, or set llm.structured"
            raise UnusableAnswersError(what, self._url, hint)

    def _tell_truncated(self, truncated: int, done: int) -> None:
        what = f"{truncated} of the first {done} answers are longer than they may be"
        if truncated > _MOST_TRUNCATED_SHARE * _FIRST_ANSWERS:
            raise UnusableAnswersError(what, self._url, _LONGER)
        if truncated == int(_TRUNCATED_SHARE * _FIRST_ANSWERS) + 1:
            log.warning("%s: %s. %s", self._url, what, _LONGER)
