"""Assemble the events of a stream into a completion."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any


def spelled(events: Iterable[object], tell: Callable[[str], None], most: float) -> dict[str, Any] | None:
    """Return the completion in a stream's events, or None where it has no end.

    Args:
        events: Parsed JSON objects.
        tell: Called with each piece of the text.
        most: Most characters to read.
    """
    text, refusal = "", ""
    finish = usage = name = None
    choice: dict[str, Any]
    for event in events:
        if not isinstance(event, dict):
            continue
        usage, name = event.get("usage") or usage, event.get("model") or name
        choice = next(iter(event.get("choices") or []), {})
        delta = choice.get("delta") or {}
        finish = choice.get("finish_reason") or finish
        refusal += delta.get("refusal") or ""
        if piece := text_of(delta.get("content")):
            text += piece
            tell(piece)
        if len(text) > most:
            finish = "length"
            break
    if finish is None:
        return None
    message = {"content": text, "refusal": refusal}
    choices = [{"message": message, "finish_reason": finish}]
    return {"choices": choices, "usage": usage, "model": name}


def events_of(body: str) -> Iterator[object]:
    """Yield the events of a body that was streamed without being requested."""
    for line in body.splitlines():
        if line.startswith("data:"):
            with suppress(ValueError):
                yield json.loads(line.removeprefix("data:"))


def text_of(content: object) -> str:
    """Return the text of a message, which some servers send as a list of parts."""
    if isinstance(content, list):
        parts = (part.get("text") if isinstance(part, dict) else part for part in content)
        return "".join(part for part in parts if isinstance(part, str))
    return str(content or "")
