"""Whether the answers of an endpoint are of use: what is wrong is said while it costs little."""

from __future__ import annotations

import logging
from collections import Counter
from threading import Lock

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.core.errors import EndpointError, UnusableAnswersError
from graphrag_tasks.llm.answers import Kind, Usage

log = logging.getLogger(__name__)

_CUT_SHARE, _CUT_FROM = 0.6, 1000
"""A prompt of so many tokens was cut where the endpoint counts a smaller share: other tokenizers,
and forms that are not counted, take off less. Chosen."""
_FIRST_ANSWERS, _EMPTY_SHARE = 20, 0.2
"""Answers by which a bad start is told, and the share of empty ones that makes it one. Chosen."""
_TRUNCATED_SHARE, _MOST_TRUNCATED_SHARE = 0.2, 0.5
"""Of the first answers: above the first share it is said, above the second the run ends. Some long
answers are halved and asked again; where most are, their money is lost. Chosen by reading."""

_LONGER = (
    "Raise extract.llm.output_tokens, or lower extract.llm.windows_per_request; for answers to "
    "questions raise llm.answers.output_tokens"
)

TRIES_OF_FORM = 3
"""How often a request is asked until its answer has the form, while no answer had it."""


class Checks:
    """Counts what came of requests; several threads may use it.

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
        """Whether an answer to a request that was sent had its form."""
        return self._counts[Kind.ANSWERED] > 0

    @property
    def tries_of_form(self) -> int:
        """How often an answer of another form is asked for: more, while none was right."""
        return 2 if self.some_are_valid else TRIES_OF_FORM

    def known(self) -> None:
        """Take note of an answer from before: the settings are right."""
        self.has_answered = True

    def refuse_cut_prompt(self, sent: int, usage: Usage | None) -> None:
        """Refuse an answer to a prompt that the server cut without a word, as Ollama does.

        Args:
            sent: About how many tokens the prompt is.
            usage: Tokens as the endpoint counted them.

        Raises:
            EndpointError: The prompt was cut.
        """
        if usage is None:
            return
        read = usage.prompt_tokens
        if sent >= _CUT_FROM and read < _CUT_SHARE * sent:
            what = f"the server read {read:,} of about {sent:,} tokens of a prompt: it cuts them"
            hint = "Raise its context; with Ollama: PARAMETER num_ctx 16384 in the Modelfile"
            raise EndpointError(what, self._url, hint)

    def count(self, kind: Kind) -> None:
        """Count what came of a request.

        Raises:
            UnusableAnswersError: Too many of the first answers are of no use.
        """
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
            hint = (
                "A model that thinks spends its tokens on it: set llm.parameters.reasoning_effort"
            )
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
