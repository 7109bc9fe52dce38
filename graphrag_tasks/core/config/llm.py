"""Settings of the language model: where it is, what it may cost, how fast it is asked."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from graphrag_tasks.core.config.base import BaseConfig

_PURPOSES = ("extract", "confirm", "summarize", "answer", "judge", "ontology")
"""What a model is asked for: to read windows of sentences, to judge pairs of names, to summarise communities, to
answer questions (and plan for them), to judge answers, and to name types and relations."""

OPENAI_URL = "https://api.openai.com/v1"


class ModelPrice(BaseConfig):
    """What a model costs, in USD for a million tokens; 0 is a price, absence is not."""

    input: float = Field(ge=0, description="of a prompt")
    output: float = Field(0, ge=0, description="of an answer")


class BudgetConfig(BaseConfig):
    """What a run may spend; requests whose fate is unknown count in full."""

    usd: float = Field(5.0, ge=0, description="most money; 0: no cap in money")
    month_usd: float = Field(0, ge=0, description="most money of all runs on the store in a month, by UTC; 0: no cap")
    tokens: int = Field(0, ge=0, description="most tokens, prompts and answers; 0: no cap")
    approve_above_usd: float = Field(
        0, ge=0, description="in Airflow: expected price of reading that somebody approves; 0: none"
    )

    @property
    def caps_money(self) -> bool:
        """Whether money is capped, so that prices must be known."""
        return bool(self.usd or self.month_usd)


class AnswersConfig(BaseConfig):
    """What a question may show a model, and how long its answer may be."""

    prompt_tokens: int = Field(6000, gt=0, description="most tokens of passages and instructions")
    output_tokens: int = Field(600, gt=0, description="most tokens of an answer")
    plan: bool = Field(False, description="have the model rewrite a question by the graph before the search")


class LlmConfig(BaseConfig):
    """An endpoint that speaks OpenAI's Chat Completions; without a model nothing is asked.

    Its key comes from GRAPHRAG_LLM_API_KEY or, for OpenAI itself alone, from OPENAI_API_KEY.
    """

    base_url: str = Field("", description="of the endpoint, as in http://host:8000/v1; OpenAI's")
    model: str = Field("", description="name of the model; none: nothing is asked")
    models: dict[str, str] = Field(
        default_factory=dict,
        description="other models by purpose, as a cheap one that reads and a good one that "
        f"answers: {', '.join(_PURPOSES)}",
    )
    answers: AnswersConfig = AnswersConfig()
    concurrency: int = Field(
        8, gt=0, le=256, description="requests at a time; as many as the endpoint answers side by side"
    )
    requests_per_minute: int = Field(
        0, ge=0, description="limit of an endpoint that does not tell its own; 0: as it says"
    )
    tokens_per_minute: int = Field(
        0, ge=0, description="limit of an endpoint that does not tell its own; 0: as it says"
    )
    timeout_seconds: float = Field(120, gt=0, description="of one request")
    retry_failed: bool = Field(False, description="ask again what got no valid answer before")
    answers_file: str = Field("", description="SQLite file of answers and costs; by default in the store, if a folder")
    structured: Literal["json_schema", "json_object", "prompt"] = Field(
        "json_schema", description="how answers get their form; weaker ones for endpoints that refuse a schema"
    )
    parameters: dict[str, Any] = Field(
        default_factory=dict, description="sent as they are: temperature, seed, reasoning_effort"
    )
    exclude: tuple[str, ...] = Field((), description="paths of documents that are never sent: * in a folder, ** in all")
    budget: BudgetConfig = BudgetConfig()
    batch: Literal["off", "auto"] = Field(
        "off", description="auto: facts are asked for in batches, where the endpoint has them"
    )
    prices: dict[str, ModelPrice] = Field(
        default_factory=dict, description="by model; instead of the known list prices"
    )

    @field_validator("models")
    @classmethod
    def _purposes_are_known(cls, value: dict[str, str]) -> dict[str, str]:
        if unknown := sorted(value.keys() - set(_PURPOSES)):
            raise ValueError(f"unknown purpose {unknown[0]!r}. Known: {', '.join(_PURPOSES)}")
        return value

    @model_validator(mode="after")
    def _address_is_one(self) -> LlmConfig:
        if self.base_url and not self.base_url.startswith(("http://", "https://")):
            raise ValueError("base_url must begin with http:// or https://")
        return self

    @property
    def url(self) -> str:
        """The endpoint's address."""
        return self.base_url.rstrip("/") or OPENAI_URL

    def model_for(self, purpose: str) -> str:
        """Return the model that a purpose asks."""
        return self.models.get("answer" if purpose == "plan" else purpose) or self.model
