"""A request to a model, and the key of its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from graphrag_tasks.core.ids import fingerprint
from graphrag_tasks.llm.schema import form_text, strict_schema


@dataclass(frozen=True)
class Identity:
    """Provider, model and parameters, which determine an answer besides the request."""

    provider: str
    model: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Request:
    """One request to a model.

    Attributes:
        purpose: `summarize`, `confirm`, …; spending is grouped by it.
        system: Instructions; they never quote documents.
        user: The text to work on, as data.
        answer: The form of the answer; None for plain text.
        max_output: Most tokens of the answer.
        document_id: The document of the text; None where it is from several.
        sample: Number of the answer, from 0, where several answers to one question are wanted.
    """

    purpose: str
    system: str
    user: str
    answer: type[BaseModel] | None
    max_output: int
    document_id: str | None = None
    sample: int = 0

    @property
    def form(self) -> str:
        """The form of the answer in words; empty for plain text."""
        return "" if self.answer is None else form_text(self.answer)

    @property
    def prompt(self) -> tuple[str, str, str]:
        """The texts to send: instructions, the text to work on, and the form."""
        return self.system, self.user, self.form

    def key(self, identity: Identity) -> str:
        """Return the hash of all that determines the answer: not address, limits and prices."""
        sample = {"sample": self.sample} if self.sample else {}
        return fingerprint(
            {
                "purpose": self.purpose,
                "messages": [self.system, self.user],
                "schema": self.answer and strict_schema(self.answer),
                "max_output": self.max_output,
                "provider": identity.provider,
                "model": identity.model,
                "parameters": dict(identity.parameters),
                **sample,
            }
        )


def correction(problem: str) -> str:
    """Return the text added to a request whose previous answer had a problem."""
    return f"\n\nYour last answer could not be used: {problem}. Answer again." if problem else ""
