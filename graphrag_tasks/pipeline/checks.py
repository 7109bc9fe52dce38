"""Check a configuration before anything is read or written, and list its model requests."""

from __future__ import annotations

from collections.abc import Callable

from graphrag_tasks.core.commands import command
from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.core.extras import require
from graphrag_tasks.embed.protocol import ENDPOINT
from graphrag_tasks.embed.vectors.vector_store import check_vector_store
from graphrag_tasks.extract import make_extractor
from graphrag_tasks.extract.llm import LlmReader
from graphrag_tasks.llm import Client
from graphrag_tasks.llm.answers_file import answers_file
from graphrag_tasks.llm.prices import check_price
from graphrag_tasks.parse.pdf.engines import check_pdf_engine
from graphrag_tasks.sources.listing import SourceRoot, source_roots
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.snapshots.store import Store


def _check_extractor(config: Config) -> None:
    make_extractor(config.extract, config.language)
    if config.extract.asks:
        LlmReader(Client(config.llm), config)


def _check_answers(config: Config) -> None:
    if _purposes(config) or config.embed.embedder == ENDPOINT:
        answers_file(config.llm, config.store)


def _check_excluded(config: Config) -> None:
    if config.llm.exclude and config.embed.embedder == ENDPOINT:
        what = "llm.exclude names documents that are not sent, but embed.embedder sends all"
        raise ConfigError(what, "embed.embedder", "Set embed.embedder = local, or exclude nothing")


CHECKS: tuple[Callable[[Config], object], ...] = (
    _check_extractor,
    _check_answers,
    _check_excluded,
    lambda config: check_pdf_engine(config.parse),
    lambda config: check_vector_store(Folder(config.store), config.load),
)
"""Checks; each raises if a module cannot do what the configuration asks."""


def check(config: Config, *, spends: bool = True) -> tuple[SourceRoot, ...]:
    """Check a configuration before anything is read or written, and return the sources' roots.

    With `spends` false, nothing that costs money is asked, and prices may be unknown.
    """
    require("index")
    roots = source_roots(sources_of(config))
    for refuse in CHECKS:
        refuse(config)
    if spends:
        client = Client(config.llm)
        for purpose in _purposes(config).values():
            check_price(config.llm, client.identity(purpose).model)
        if config.embed.embedder == ENDPOINT:
            check_price(client.at(config.embed.base_url).config, config.embed.model)
    return roots


def asked_of_models(config: Config) -> list[str]:
    """Return what a run would ask language models and endpoints, a line for each purpose."""
    settings, found = config.llm, []
    cap = f"at most {settings.budget.usd:g} USD" if settings.budget.usd else "no cap in money"
    for stage, purpose in _purposes(config).items():
        model = settings.model_for(purpose)
        found.append(f"{stage} asks {model} at {settings.url}, where no answer is kept ({cap})")
    if config.embed.embedder == ENDPOINT:
        url = config.embed.base_url or settings.url
        found.append(f"embed sends new texts to {config.embed.model} at {url} ({cap})")
    return found


def _purposes(config: Config) -> dict[str, str]:
    """Return the purposes of language model requests, by the stage that asks."""
    wanted = {
        ("extract", "extract"): config.extract.asks,
        ("resolve", "confirm"): config.resolve.confirm,
        ("communities", "summarize"): config.communities.summarizer == "llm",
    }
    return dict(one for one, is_wanted in wanted.items() if is_wanted)


def sources_of(config: Config) -> tuple[str, ...]:
    """Return the configured sources, or else those of the store's snapshot."""
    if config.sources:
        return config.sources
    if sources := Store(config.store).sources():
        return sources
    what = "no source is named, and none is known, as nothing is published in the store"
    hint = f"Name one: {command('index', 'FOLDER', store=config.store)}"
    raise ConfigError(what, config.store, hint)
