"""A search that the model plans."""

from __future__ import annotations

from dataclasses import replace

from graphrag_tasks.answering.model import Model
from graphrag_tasks.answering.plan import Plan, planned, with_paths
from graphrag_tasks.retrieval import Context
from graphrag_tasks.retrieval.graph.filters import Filters
from graphrag_tasks.retrieval.modes.registry import AUTO


def searched(model: Model, context: Context, mode: str, filters: Filters | None = None) -> Context:
    """Return what is found for the question of a context with the model's help.

    Nothing is asked, and the context is as it was, without `llm.answers.plan`. The signals stay
    those of the first search: a verdict is fitted to the log-odds of one reranker.

    Args:
        model: Who is asked.
        context: What was found without help.
        mode: As the caller gave it; only where it is `auto`, the plan chooses.
        filters: Of the search.

    Raises:
        TerminalError: The settings of the model are to be mended.
    """
    plan = planned(model, context.question) if model.config.answers.plan else Plan()
    chosen = plan.mode if mode == AUTO and plan.mode else context.mode
    if plan.beside or chosen != context.mode:
        found = model.index.search(context.question, chosen, context.k, filters, beside=plan.beside)
        route = context.route if chosen == context.mode else None
        context = replace(found, route=route, signals=context.signals)
    return with_paths(model.index, context, plan.paths)
