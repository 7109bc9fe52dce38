"""Endpoint features, learned from refusals and stored beside the answers."""

from __future__ import annotations

from dataclasses import dataclass, replace

SCHEMA, OBJECT, PROMPT = "json_schema", "json_object", "prompt"
_WEAKER = {SCHEMA: OBJECT, OBJECT: PROMPT}
_LENGTH_NAMES = ("max_completion_tokens", "max_tokens")


@dataclass(frozen=True)
class Abilities:
    """Features of an endpoint.

    Attributes:
        structured: How an answer gets its form: by schema, as any JSON object, or by the prompt.
        length_name: Name of the parameter for the most output tokens.
        batches: Whether it supports batches.
        batch_tokens: Most prompt tokens that may wait in batches; 0: unknown.
        streams: Whether it streams answers, with token usage at the end.
        overlong: Longest answer divided by its output limit; 1: the limit is respected.
    """

    structured: str = SCHEMA
    length_name: str = _LENGTH_NAMES[0]
    batches: bool = True
    batch_tokens: int = 0
    streams: bool = True
    overlong: float = 1.0

    def without(self, refused: str) -> Abilities | None:
        """Return another way to ask an endpoint that refuses a part of a request, or None.

        The parts are `structured`, `length` and `stream`.
        """
        if refused == "stream":
            return replace(self, streams=False) if self.streams else None
        if refused != "structured":
            first, second = _LENGTH_NAMES
            return replace(self, length_name=second) if self.length_name == first else None
        weaker = _WEAKER.get(self.structured)
        return replace(self, structured=weaker) if weaker else None
