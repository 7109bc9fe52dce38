"""The language model for one question: within its money, and what may be sent to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.core.errors import BudgetError, TransientError, UnusableAnswersError
from graphrag_tasks.core.globs import excluded
from graphrag_tasks.llm import Answer, Client, Failure, Request
from graphrag_tasks.llm.prices import check_price, is_known
from graphrag_tasks.llm.schema import Form
from graphrag_tasks.retrieval import Index

NO_ANSWER = (BudgetError, TransientError, UnusableAnswersError)
"""Errors that leave a question to be answered without the model; others are to be mended first."""


class Model:
    """Asks for one question; everything that is asked shares one cap in money.

    Args:
        client: Who is asked, with the budget of the run.
        index: The index that is searched, opened with the reader's labels.
        max_usd: Most money for the question; None: the run's budget alone.

    Attributes:
        notes: Why something that was to be asked has no answer.

    Raises:
        PriceError: A cap in money is set, and the price of a model is not known.
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
        """What was spent; None where a price is not known."""
        spent = self.budget.spent
        known = all(is_known(self.config, model) for model in self._asked)
        return float(spent.usd or 0) if known or not spent.tokens else None

    @cached_property
    def sent(self) -> frozenset[str] | None:
        """The documents that may be sent, by id; None: all of the index."""
        if not self.config.exclude:
            return None
        table = self.index.snapshot.table("documents", ["document_id", "path"]).to_pylist()
        paths = {one["document_id"]: one["path"] for one in table}
        kept_back = excluded(paths, self.config.exclude, are_all=False)  # a reader may see a part
        return frozenset(paths) - kept_back if kept_back else None

    def ask(self, request: Request, tell: Callable[[str], None] | None = None) -> Answer | Failure:
        """Return the answer to a request, as `Client.ask_one` does, within the question's money."""
        model = self.client.identity(request.purpose).model
        if self._max_usd is not None:
            capped = self.config.budget.model_copy(update={"usd": max(self._max_usd, 1e-9)})
            check_price(self.config.model_copy(update={"budget": capped}), model)
        self._asked.add(model)
        return self.client.ask_one(request, self.budget, tell)

    def filled(self, form: type[Form], requests: Sequence[Request], what: str) -> list[Form | None]:
        """Return the filled forms, one for each request in order; None where there is none.

        A note says why the first of these has none.

        Args:
            form: The form of the answers, which all requests name.
            requests: Are asked side by side.
            what: What failed, as the beginning of the note: "No plan was made".

        Raises:
            TerminalError: The settings are to be mended.
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
