"""Spans of requests: names and counts, no text."""

from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from graphrag_tasks.core.errors import EndpointError
from graphrag_tasks.llm import Client
from tests.llm.endpoint import scripted
from tests.llm.test_client import requests, settings


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    return exporter


def test_each_request_is_a_span_without_text(tmp_path: Path, spans: InMemorySpanExporter) -> None:
    with scripted() as endpoint:
        client = Client(settings(endpoint), str(tmp_path), "run")
        client.ask(requests(3))
        client.ask(requests(3))  # known: nothing leaves
    found = spans.get_finished_spans()
    assert [one.name for one in found] == ["chat m"] * 3
    for one in found:
        attributes = dict(one.attributes or {})
        assert attributes["graphrag.purpose"] == "summarize"
        assert attributes["graphrag.kind"] == "answered"
        assert attributes["gen_ai.usage.input_tokens"]
        assert "text" not in " ".join(map(str, attributes.values()))


def test_a_refusal_is_an_error_without_its_message(
    tmp_path: Path, spans: InMemorySpanExporter
) -> None:
    refuse = (401, {"message": "wrong key sk-secret", "code": "invalid_api_key"})
    with scripted(refuse=lambda _: refuse) as endpoint, pytest.raises(EndpointError):
        Client(settings(endpoint), str(tmp_path), "run").ask(requests(1))
    (one,) = spans.get_finished_spans()
    assert (one.attributes or {})["error.type"] == "EndpointError"
    assert not one.events
    assert "sk-secret" not in one.to_json()
