"""Feedback: readers' judgements of answers, kept for evaluations."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import Depends, FastAPI, Request
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, Field

from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import ConfigError, QueryError
from graphrag_tasks.inspect.pages.ask import Asked, Passages, ask
from graphrag_tasks.inspect.pages.changes import Fields, authorised_editor, go_to, read_form, refusing
from graphrag_tasks.inspect.pages.graph import Renderer, SnapshotId
from graphrag_tasks.inspect.pages.reader import Reader
from graphrag_tasks.retrieval import Index
from graphrag_tasks.workbench.evaluation.feedback import gold_of, judge, judged_file, judgement_of
from graphrag_tasks.workbench.evaluation.gold import gold_at
from graphrag_tasks.workbench.evaluation.questions import GoldSpan, Judgement


@dataclass(frozen=True)
class Judging:
    """State of the feedback form: what was noted, or why nothing can be."""

    noted: str = ""
    problem: str = ""

    @classmethod
    def of(cls, config: Config, question: str) -> Judging:
        """Look up the judgement of a question."""
        try:
            known = judgement_of(judged_file(config), question)
        except ConfigError as error:
            return cls(problem=str(error))
        if known is None:
            return cls()
        has, lacks = {
            "right": ("with its sources", "without a source"),
            "wrong": ("with the right passage", "without a right passage"),
        }[known.judged or "right"]
        return cls(noted=f"Noted as {known.judged}, {has if known.has_gold else lacks}.")


class _Judged(BaseModel):
    question: str = Field(min_length=1, max_length=500, pattern=r"\S")
    mode: str = Field(max_length=20)
    beside: str = Field("", max_length=80)
    judged_mode: str = Field(max_length=20)
    k: Passages = None
    within: str = Field("", max_length=500)
    judged: Judgement
    passage: str = Field("", max_length=100)


def add_judging(app: FastAPI, reader: Reader, html: Renderer) -> None:
    """Add the route for the buttons below an answer."""

    @app.post("/snapshots/{snapshot_id}/ask", dependencies=[Depends(authorised_editor)])
    def judged(request: Request, snapshot_id: SnapshotId, fields: Fields) -> RedirectResponse:
        form = read_form(_Judged, fields)
        index = reader.index(snapshot_id)
        (said,) = ask(index, form.question, [form.judged_mode], form.k, within=form.within)
        gold = _gold(index, said, form)
        with refusing():
            judge(judged_file(reader.config), form.question, form.judged, gold)
        asked = form.model_dump(include={"question", "mode", "k", "within"}, exclude_none=True)
        asked["beside"] = form.beside.split()
        return go_to(request, html, f"/snapshots/{snapshot_id}/ask", asked)


def _gold(index: Index, said: Asked, form: _Judged) -> tuple[GoldSpan, ...]:
    """Return the gold sources of a question, as the reader marks them."""
    if form.passage:
        found = [chunk for chunk in said.found.chunks if chunk.chunk_id == form.passage]
        if not found:
            raise QueryError("the passage is not among those found", form.passage, "Ask again")
        return (gold_at(index.snapshot, found[:1]),)
    if form.judged == "right" and said.reply:
        return gold_of(index.snapshot, said.reply)
    return ()
