"""Interpret an endpoint's refusals: busy, broken, too long, or a wrong request.

Providers word the same refusal differently. The phrases below come from errors that OpenAI, Azure, Gemini, Vertex,
Bedrock, Anthropic, LiteLLM, vLLM, llama.cpp and Ollama document or return; their bodies are in tests/llm/providers.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from graphrag_tasks.core.commands import command
from graphrag_tasks.core.errors import EndpointError
from graphrag_tasks.llm.answers import Kind
from graphrag_tasks.llm.limits import seconds_of
from graphrag_tasks.llm.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    import openai

KEY_VARIABLE = "GRAPHRAG_LLM_API_KEY"

_TOO_LONG = (
    "context_length", "context length", "context size", "too long", "maximum context",
    "input token count", "context window", "contextwindowexceeded",
)  # fmt: skip
_NO_KEY = ("api key not valid", "api_key_invalid")  # Gemini's messages for a refused key, sent with status 400.
_FORM = (
    "response_format", "responseformat", "schema", "structured output", "structured_output",
    "json mode", "json_object", "response_mime_type", "grammar", "guided", "output_config",
    "output_format",
)  # fmt: skip
_FORM_OF_SERVER = ("json schema in format", "grammar", "sampling context")
"""Messages of Ollama and older llama.cpp for a refused schema, sent with status 500."""
_UNNAMED = ("request contains an invalid argument", "invalid_argument")
"""Gemini's messages that do not name the invalid argument; a schema is the likeliest."""
_NO_MONEY = ("insufficient_quota", "credit balance is too low")
_REGION = ("unsupported_country", "region, or territory", "location is not supported")
_OVER_LENGTH = ("supports at most", "maximum allowed number of output tokens", "tokens is too large")
"""Messages of models that refuse the requested output limit."""
_LENGTH = ("max_completion_tokens", "max_tokens")
_STREAM = ("stream_options", "include_usage", "streaming", "'stream'")
_FILTER = ("content_filter", "content management policy")
_WAIT = re.compile(r"try (?:again |your request )?(?:in|after) (\d[\w.]*)( seconds?)?", re.IGNORECASE)

_SHOWN = 300  # Most characters of the endpoint's own message that are shown.
_LEAST_OF_KEY = 4  # Fewest characters of a key that is masked in texts; a shorter key is a placeholder such as `x`.


def without_key(text: str, key: str) -> str:
    """Return a text with `***` for a key, whole or given by its first or last letters.

    Providers that refuse a key print it, whole or as in `sk-ab***********wxyz`.
    """
    if len(key) < _LEAST_OF_KEY:
        return text
    text = text.replace(key, "***")
    begin, end = re.escape(key[:_LEAST_OF_KEY]), re.escape(key[-_LEAST_OF_KEY:])
    text = re.sub(rf"{begin}[\w-]*[*.…]+[\w-]*", "***", text)
    return re.sub(rf"[*.…]+{end}\b", "***", text)


def meaning(error: openai.APIStatusError, url: str, hidden: Callable[[str], str], *, has_form: bool) -> Outcome:
    """Return the outcome of an error status, or raise where a retry cannot help.

    Args:
        error: The endpoint's response.
        url: The endpoint's address.
        hidden: Masks the key in a text.
        has_form: Whether the request specified the form of its answer.
    """
    status, whole = error.status_code, hidden(_message(error))
    said, code = whole[:_SHOWN], str(_value(error, "code") or "")
    text = f"{code} {whole} {_value(error, 'param') or ''}".lower()
    wait, costs = _wait(error.response.headers, whole), any(one in text for one in _NO_MONEY)
    if (status == 429 and not costs) or (status == 503 and wait is not None):
        return Outcome(Kind.BUSY, why=said, wait=wait)
    if status >= 500 and has_form and any(words in text for words in _FORM_OF_SERVER):
        return Outcome(Kind.UNSUPPORTED, text="structured", why=said)
    if status >= 500 or status in (408, 409):
        return Outcome(Kind.FAILED, why=f"status {status}: {said}")
    stays = (*_NO_KEY, *_NO_MONEY, *_REGION)
    if status in (400, 413, 422) and not any(words in text for words in stays):
        if any(words in text for words in _TOO_LONG) or status == 413:
            return Outcome(Kind.TOO_LONG, why=said)
        if any(words in text for words in _FILTER):
            return Outcome(Kind.REFUSED, why=said)
        if refused := _refused_part(text, has_form=has_form):
            return Outcome(Kind.UNSUPPORTED, text=refused, why=said)
    raise EndpointError(*_terminal(status, text, said, url, hidden(_place(error))))


def _refused_part(text: str, *, has_form: bool) -> str:
    """Return the refused part of a request, as named in `Abilities`, or an empty string."""
    if has_form and any(words in text for words in _FORM):
        return "structured"
    if any(words in text for words in _LENGTH):
        return "" if any(words in text for words in _OVER_LENGTH) else "length"
    if any(words in text for words in _STREAM):
        return "stream"
    return "structured" if has_form and any(words in text for words in _UNNAMED) else ""


def _error_of(error: openai.APIStatusError) -> Mapping[str, Any]:
    """Return the error object; Gemini and Vertex wrap it in a list."""
    body = error.body
    if isinstance(body, list) and body:
        body = body[0]
    while isinstance(body, dict) and isinstance(body.get("error"), dict):
        body = body["error"]
    return body if isinstance(body, dict) else {}


def _value(error: openai.APIStatusError, name: str) -> object:
    return _error_of(error).get(name)


def _message(error: openai.APIStatusError) -> str:
    """Return the endpoint's own message, in one line."""
    said = str(_value(error, "message") or error.response.text or error)
    return " ".join(said.split())


def _place(error: openai.APIStatusError) -> str:
    return error.response.headers.get("location", "elsewhere")


def _wait(headers: Mapping[str, str], said: str) -> float | None:
    """Return the seconds to wait, from the headers or, for Gemini, from the message."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        with suppress(ValueError):
            seconds = float(headers.get(name, "")) * unit
            if math.isfinite(seconds):
                return max(seconds, 0.0)
    with suppress(ValueError, TypeError, OverflowError):
        until = parsedate_to_datetime(headers.get("retry-after", ""))
        return max(until.timestamp() - time.time(), 0.0)
    found = _WAIT.search(said)
    if found is None:
        return None
    number = found[1].rstrip(".")
    return float(number) if number.replace(".", "", 1).isdecimal() else seconds_of(number) or None


def _terminal(status: int, text: str, said: str, url: str, place: str) -> tuple[str, str, str]:
    """Return what, where and hint of a permanent error."""
    if 300 <= status < 400:
        return f"it redirects to {place}, which is not followed", url, "Set llm.base_url to that"
    if status == 402 or any(words in text for words in _NO_MONEY):
        return "the account has no money left", url, "Top it up, then run again: answers are kept"
    if any(words in text for words in _REGION):
        return f"it does not serve this region: {said}", url, "Name another endpoint"
    if any(words in text for words in _OVER_LENGTH):
        hint = "Lower extract.llm.output_tokens, or llm.answers.output_tokens for questions"
        return f"the model writes no answer of so many tokens: {said}", url, hint
    if status in (401, 403) or any(words in text for words in _NO_KEY):
        return f"the key is refused: {said}", url, f"Set {KEY_VARIABLE}"
    if status == 404:
        hint = f"Mend llm.model or llm.base_url. {_doctor()}"
        return f"no such model or address: {said}", url, hint
    return f"it refuses the request with status {status}: {said}", url, _doctor()


def _doctor() -> str:
    return f"{command('doctor', '--llm')} says what the endpoint answers"
