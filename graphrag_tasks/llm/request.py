"""What is asked, and under which key its answer is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from graphrag_tasks.core.ids import fingerprint
from graphrag_tasks.llm.schema import form_text, strict_schema


@dataclass(frozen=True)
class Identity:
    """Who is asked: what decides an answer beside the request itself."""

    provider: str
    model: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Request:
    """One question to a model.

    Attributes:
        purpose: What it is for: `summarize`, `confirm`, …; spending is shown by it.
        system: Instructions; they never quote documents.
        user: The text to work on, as data.
        answer: The form of the answer; None for plain text.
        max_output: Most tokens of the answer.
        document_id: The document that the text is of; None where it is of several.
        sample: Which one of several answers to the same question is wanted, from 0.
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
        """The form of the answer in words; nothing for plain text."""
        return "" if self.answer is None else form_text(self.answer)

    @property
    def prompt(self) -> tuple[str, str, str]:
        """The texts that are sent: instructions, the text to work on, and the form."""
        return self.system, self.user, self.form

    def key(self, identity: Identity) -> str:
        """Return the hash of all that decides the answer; address, limits and prices do not."""
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
    """Return what is added to a request whose answer had a problem."""
    return f"\n\nYour last answer could not be used: {problem}. Answer again." if problem else ""
