"""A request to a model, the key of its answer, and the form of an answer, with its validation.

A form is a JSON schema in the strict subset that OpenAI, vLLM, llama.cpp and Ollama share: every field is required,
other fields are forbidden, and numbers and lengths have no bounds. Pydantic checks the rest afterwards. Broken JSON is
not repaired.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from math import isfinite
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from graphrag_tasks.core.ids import fingerprint
from graphrag_tasks.core.visible import without_thoughts

Form = TypeVar("Form", bound=BaseModel)  # The form of an answer.

_KEPT = {"type", "properties", "items", "required", "enum", "anyOf", "$ref", "$defs", "description"}
_FENCE = re.compile(r"^\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*$", re.DOTALL)


def _finite(digits: str) -> float:
    """Return a finite number, or raise, so that the answer is invalid."""
    value = float(digits)
    if not isfinite(value):
        raise ValueError(f"{digits[:40]} is no finite number")
    return value


_DECODER = json.JSONDecoder(parse_constant=_finite, parse_float=_finite)
"""Rejects NaN and Infinity, which Python's own decoder accepts although JSON has neither."""


class InvalidAnswerError(Exception):
    """An answer does not have the requested form; the message says why."""


@cache
def strict_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of a model in the common subset."""
    schema: dict[str, Any] = _strict(model.model_json_schema())
    return schema


@cache
def form_text(model: type[BaseModel]) -> str:
    """Return the form of an answer in words, to end a prompt where schemas are unsupported."""
    schema = json.dumps(strict_schema(model), ensure_ascii=False, separators=(",", ":"))
    return f"\n\nAnswer with one JSON object of this schema and no other word:\n{schema}"


def _strict(node: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(node, list):
        return [_strict(one) for one in node]
    if not isinstance(node, dict):
        return node
    kept = {key: node[key] for key in node if key in _KEPT}
    for named in ("properties", "$defs"):
        if named in kept:
            kept[named] = {name: _strict(one) for name, one in kept[named].items()}
    for nested in ("items", "anyOf"):
        if nested in kept:
            kept[nested] = _strict(kept[nested])
    if kept.get("type") == "object":
        kept |= {"required": list(kept.get("properties", {})), "additionalProperties": False}
    return kept


def validated(text: str, model: type[Form]) -> Form:
    """Parse a text into a model's form; code fences and thoughts around the JSON are removed."""
    if not text.lstrip().startswith("{"):  # there a string may hold such a tag
        text = without_thoughts(text)
    fenced = _FENCE.match(text)
    start = (text := fenced[1] if fenced else text).find("{")
    if start < 0:
        raise InvalidAnswerError("it holds no JSON object")
    try:
        value, _ = _DECODER.raw_decode(text, start)
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the object"
        raise InvalidAnswerError(f"{where}: {first['msg']}") from error
    except (ValueError, RecursionError) as error:
        raise InvalidAnswerError(f"it is not JSON: {error}") from error


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
