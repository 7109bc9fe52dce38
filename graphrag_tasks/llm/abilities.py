"""What an endpoint understands, learned from what it refuses, and kept beside the answers."""

from __future__ import annotations

from dataclasses import dataclass, replace

SCHEMA, OBJECT, PROMPT = "json_schema", "json_object", "prompt"
_WEAKER = {SCHEMA: OBJECT, OBJECT: PROMPT}
_LENGTH_NAMES = ("max_completion_tokens", "max_tokens")


@dataclass(frozen=True)
class Abilities:
    """How an endpoint is to be asked.

    Attributes:
        structured: How an answer gets its form: by schema, as any JSON object, or by the prompt.
        length_name: What the most tokens of an answer are called.
        batches: Whether it takes batches.
        batch_tokens: How many tokens of prompts may wait in batches; 0: not known.
        streams: Whether it sends an answer piece by piece, with its tokens at the end.
        overlong: Tokens of the longest answer for each that was allowed; 1: it keeps to the limit.
    """

    structured: str = SCHEMA
    length_name: str = _LENGTH_NAMES[0]
    batches: bool = True
    batch_tokens: int = 0
    streams: bool = True
    overlong: float = 1.0

    def without(self, refused: str) -> Abilities | None:
        """Return how else to ask an endpoint that refuses a part of a request, or None.

        The parts are `structured`, `length` and `stream`.
        """
        if refused == "stream":
            return replace(self, streams=False) if self.streams else None
        if refused != "structured":
            first, second = _LENGTH_NAMES
            return replace(self, length_name=second) if self.length_name == first else None
        weaker = _WEAKER.get(self.structured)
        return replace(self, structured=weaker) if weaker else None
