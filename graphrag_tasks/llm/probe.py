"""Ask an endpoint one real question: is it reachable, and which features does it support?"""

from __future__ import annotations

from contextlib import closing

from pydantic import BaseModel

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.core.errors import EndpointError
from graphrag_tasks.llm.answers import Failure
from graphrag_tasks.llm.client import Client
from graphrag_tasks.llm.endpoint import Endpoint
from graphrag_tasks.llm.prices import price
from graphrag_tasks.llm.request import Request

_SENTENCE = "Table VBBE replaces table VBBS."
_SYSTEM = "Name the subject and the object of the sentence you are given."
_MAX_OUTPUT = 200  # Most output tokens, far more than two names in JSON take.


class _Ends(BaseModel):
    subject: str
    object: str


def reach(config: LlmConfig) -> str:
    """Return in words whether an endpoint answers, and whether it lists the model."""
    endpoint = Endpoint(config)
    with closing(endpoint):
        names = endpoint.models()
    listed = "listed" if config.model in names else f"not among its {len(names)} models"
    return f"{endpoint.url}: reached; {config.model} is {listed}"


def answer_once(config: LlmConfig) -> str:
    """Ask for one structured answer; return in words how it was obtained and its cost."""
    client = Client(config)
    (result,) = client.ask([Request("doctor", _SYSTEM, _SENTENCE, _Ends, _MAX_OUTPUT)])
    if isinstance(result, Failure):
        hint = "Name another model, or set llm.structured: docs/how-to/llm-extraction.md"
        raise EndpointError(f"{result.kind}: {result.why}", config.url, hint)
    usd = price(config, config.model, result.usage)
    cost = "price unknown" if usd is None else f"{usd:.6f} USD"
    said = result.parsed(_Ends).model_dump()
    how = client.abilities("doctor").structured
    return f"by {how}: {said}; {result.usage.total} tokens, {cost}"
