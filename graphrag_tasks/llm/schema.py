"""The form of an answer: a JSON schema that every endpoint supports, and its validation.

OpenAI, vLLM, llama.cpp and Ollama share a strict subset: every field is required, other fields are forbidden, and
numbers and lengths have no bounds. Pydantic checks the rest afterwards. Broken JSON is not repaired.
"""

from __future__ import annotations

import json
import re
from functools import cache
from math import isfinite
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

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
