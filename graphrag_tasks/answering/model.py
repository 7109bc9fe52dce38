"""Access to the language model for one question: cost limit, and what may be sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.core.errors import BudgetError, TransientError, UnusableAnswersError
from graphrag_tasks.core.globs import excluded
from graphrag_tasks.llm import Answer, Client, Failure, Request
from graphrag_tasks.llm.request import Form
from graphrag_tasks.llm.tokens import check_price, is_known
from graphrag_tasks.retrieval import Index

NO_ANSWER = (BudgetError, TransientError, UnusableAnswersError)
"""Errors after which a question is answered without the model; others need fixing first."""


class Model:
    """Asks the model for one question, with a common cost limit for all requests.

    Args:
        client: Client with the budget of the run.
        index: The searched index, opened with the reader's labels.
        max_usd: Cost limit of the question; None: only the run's budget.

    Attributes:
        notes: Reasons for missing answers.
    """

    def __init__(self, client: Client, index: Index, max_usd: float | None = None) -> None:
        self.client, self.index = client, index
        self.notes: list[str] = []
        self._max_usd = max_usd
        self._asked: set[str] = set()
        self.budget = client.part_of_budget(max_usd)

    @property
    def config(self) -> LlmConfig:
        """The settings of the model."""
        return self.client.config

    @property
    def usd(self) -> float | None:
        """Money spent; None if a price is unknown."""
        spent = self.budget.spent
        known = all(is_known(self.config, model) for model in self._asked)
        return float(spent.usd or 0) if known or not spent.tokens else None

    @cached_property
    def sent(self) -> frozenset[str] | None:
        """Ids of the documents that may be sent; None means all."""
        if not self.config.exclude:
            return None
        table = self.index.snapshot.table("documents", ["document_id", "path"]).to_pylist()
        paths = {one["document_id"]: one["path"] for one in table}
        kept_back = excluded(paths, self.config.exclude, are_all=False)  # a reader may see a part
        return frozenset(paths) - kept_back if kept_back else None

    def ask(self, request: Request, tell: Callable[[str], None] | None = None) -> Answer | Failure:
        """Return the answer to a request, as `Client.ask_one` does, within the question's limit."""
        model = self.client.identity(request.purpose).model
        if self._max_usd is not None:
            capped = self.config.budget.model_copy(update={"usd": max(self._max_usd, 1e-9)})
            check_price(self.config.model_copy(update={"budget": capped}), model)
        self._asked.add(model)
        return self.client.ask_one(request, self.budget, tell)

    def filled(self, form: type[Form], requests: Sequence[Request], what: str) -> list[Form | None]:
        """Return the parsed answers to concurrent requests, in order; None for failures.

        A note explains the first failure and begins with `what`, such as "No plan was made".
        """

        def one(request: Request) -> Form | str:
            try:
                found = self.ask(request)
            except NO_ANSWER as error:
                return error.what
            return found.why if isinstance(found, Failure) else found.parsed(form)

        with ThreadPoolExecutor(self.client.concurrency) as threads:
            results = list(threads.map(one, requests))
        failed = [one for one in results if isinstance(one, str)]
        if failed:
            self.notes.append(f"{what}: {failed[0]}.")
        return [None if isinstance(one, str) else one for one in results]
