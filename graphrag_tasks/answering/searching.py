"""Search with a plan by the model."""

from __future__ import annotations

from dataclasses import replace

from graphrag_tasks.answering.model import Model
from graphrag_tasks.answering.plan import Plan, planned, with_paths
from graphrag_tasks.retrieval import Context
from graphrag_tasks.retrieval.graph.filters import Filters
from graphrag_tasks.retrieval.modes.registry import AUTO


def searched(model: Model, context: Context, mode: str, filters: Filters | None = None) -> Context:
    """Return a context extended by a model's search plan.

    Unchanged without `llm.answers.plan`. The signals stay those of the first search: the verdict is fitted to the
    log-odds of one reranker. `context` was found without the model; the plan chooses the mode only if `mode` is `auto`.
    """
    plan = planned(model, context.question) if model.config.answers.plan else Plan()
    chosen = plan.mode if mode == AUTO and plan.mode else context.mode
    if plan.beside or chosen != context.mode:
        found = model.index.search(context.question, chosen, context.k, filters, beside=plan.beside)
        route = context.route if chosen == context.mode else None
        context = replace(found, route=route, signals=context.signals)
    return with_paths(model.index, context, plan.paths)
