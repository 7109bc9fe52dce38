"""A span of OpenTelemetry for each request, where the process that asks has set that up.

It has names and counts by the conventions for generative AI, and no text: neither what is asked nor
what is answered, nor a message of an error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from graphrag_tasks.llm.ledger import Billed
from graphrag_tasks.llm.outcome import Outcome

_SDK = "opentelemetry.sdk.trace"
"""Whoever wants spans has loaded it before; nothing is imported for those who do not."""


def traced(record: Billed, send: Callable[[], Outcome]) -> Outcome:
    """Send a request within a span, where spans are wanted."""
    if _SDK not in sys.modules:
        return send()
    from opentelemetry.trace import SpanKind, StatusCode, get_tracer

    attributes = {
        "gen_ai.operation.name": "chat" if record.max_output else "embeddings",
        "gen_ai.request.model": record.model,
        "gen_ai.request.max_tokens": record.max_output,
        "graphrag.purpose": record.purpose,
        "graphrag.request_key": record.key,
    }
    name = f"{attributes['gen_ai.operation.name']} {record.model}"
    with get_tracer("graphrag_tasks.llm").start_as_current_span(
        name, kind=SpanKind.CLIENT, attributes=attributes, record_exception=False,
        set_status_on_exception=False,
    ) as span:  # fmt: skip
        try:
            outcome = send()
        except Exception as error:
            span.set_attribute("error.type", type(error).__name__)
            span.set_status(StatusCode.ERROR)
            raise
        span.set_attribute("graphrag.kind", str(outcome.kind))
        if outcome.usage is not None:
            span.set_attribute("gen_ai.usage.input_tokens", outcome.usage.prompt_tokens)
            span.set_attribute("gen_ai.usage.output_tokens", outcome.usage.completion_tokens)
        return outcome
