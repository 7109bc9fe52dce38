"""The question page: an answer, what is related to it, and example questions."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from glob import escape
from itertools import islice
from textwrap import indent
from threading import Lock, Thread
from typing import Annotated, Any
from weakref import WeakKeyDictionary

from pydantic import BeforeValidator, Field

from graphrag_tasks.answering import Reply, answer
from graphrag_tasks.core.errors import GraphragError
from graphrag_tasks.core.visible import visible
from graphrag_tasks.operations.documents import document_reports
from graphrag_tasks.operations.examples import EXAMPLES, examples, kept_examples
from graphrag_tasks.retrieval import Context, Index, RelationHit
from graphrag_tasks.retrieval.graph.filters import Filters, read_filters, values_of_fields
from graphrag_tasks.retrieval.modes.registry import PLAIN_MODES
from graphrag_tasks.sources.media_types import is_sheet
from graphrag_tasks.storage.artifacts import column

log = logging.getLogger(__name__)

MOST_CHUNKS = 50  # Most passages of an answer; more are no page to read. Chosen.
Passages = Annotated[Annotated[int, Field(ge=1, le=MOST_CHUNKS)] | None, BeforeValidator(lambda given: given or None)]
"""Requested number of passages; an empty field takes the mode's default."""
_PATIENCE_SECONDS = 0.7  # Extra time that a page may take for its examples; chosen.
_MOST_RELATED = 4  # Facts shown below an answer; chosen.
_MOST_PATHS = 200  # Folders, and documents, that a question can be limited to by choosing; chosen.
_MOST_VALUES = 30  # Values of a field that are offered; fields with more are names or texts. Chosen.
_FILTER = re.compile(r"[^/=<>]+[=<>]")  # Begin of a filter by a field; anything else is a part of a path.


@dataclass(frozen=True)
class ModeAnswer:
    """Result of a question in one mode.

    Attributes:
        reply: The answer, if the mode gives one.
        found: What was found.
    """

    mode: str
    reply: Reply | None
    found: Context

    @property
    def related(self) -> list[RelationHit]:
        """A few facts of the sentences that are cited, or of their passages where these are no sheets."""
        sources = [citation.source for citation in self.reply.citations] if self.reply is not None else []
        cited = {source.sentence_id for source in sources}
        cited |= {source.chunk_id for source in sources if not is_sheet(source.uri)}
        told = (
            fact
            for fact in self.found.relations
            if any(cited & {said.sentence_id, said.chunk_id} for said in fact.evidence)
        )
        return list(islice(told, _MOST_RELATED))


def ask(index: Index, question: str, mode: str, k: int | None = None, after: str = "", within: str = "") -> ModeAnswer:
    """Ask a question.

    Without `k` a mode reads its default number of chunks. `after` is the question before. `within` limits what is read:
    a part of the paths of documents, a pattern, or filters as in "release>=5.0, department=finance".
    """
    filters = _filters(within.strip())
    if mode in PLAIN_MODES:  # those find passages and answer nothing
        return ModeAnswer(mode, None, index.search(question, mode, k, filters))
    reply = answer(index, question, mode=mode, k=k, filters=filters, after=after)
    return ModeAnswer(mode, reply, reply.context)


def _filters(within: str) -> Filters:
    if _FILTER.match(within):
        return read_filters(filter(str.strip, within.split(",")))
    pattern = within if {"*", "?"} & set(within) else f"*{escape(within)}*"
    return {"uri": pattern} if within else {}


@dataclass(frozen=True)
class Home:
    """What stands below an empty question: counts of a snapshot.

    `unread` counts documents that were not read, or not as a whole.
    """

    documents: int
    unread: int
    entities: int
    relations: int

    @classmethod
    def of(cls, index: Index) -> Home:
        """Return it for an opened snapshot, as its reader sees it."""
        reports = document_reports(index.snapshot)
        facts = index.facts
        return cls(
            len(reports), sum(report.is_problem for report in reports),
            facts.entities, facts.relations,
        )  # fmt: skip


def limits(index: Index) -> list[str]:
    """Return what a question can be limited to: values of fields, folders, and documents."""
    listed = index.snapshot.table("documents", ["uri"])
    uris = column(listed, "uri").to_pylist()
    folders = {uri[: uri.rindex("/") + 1] for uri in uris if uri.count("/") > 1}
    fields = [
        f"{field}={value}"
        for field, values in values_of_fields(index.snapshot, index.graph).items()
        if 1 < len(values) <= _MOST_VALUES
        for value in values
    ]
    return [*fields, *sorted(folders)[:_MOST_PATHS], *sorted(uris)[:_MOST_PATHS]]


class Examples:
    """Example questions of each index, found in a background thread, as this takes time."""

    def __init__(self) -> None:
        self._found: WeakKeyDictionary[Index, tuple[Thread, list[str]]] = WeakKeyDictionary()
        self._lock = Lock()

    def of(self, index: Index) -> tuple[list[str], bool]:
        """Return the examples found so far, and whether they are complete."""
        with self._lock:
            if index not in self._found:
                found = list[str]()
                work = Thread(target=_extend, args=(found, index), name="examples", daemon=True)
                self._found[index] = work, found
                work.start()
            work, found = self._found[index]
        work.join(_PATIENCE_SECONDS)
        return list(found), not work.is_alive()


def _extend(found: list[str], index: Index) -> None:
    try:
        found.extend(kept_examples(index) or islice(examples(index), EXAMPLES))
    except GraphragError as error:
        log.warning("no examples of questions: %s", error)


def as_json(asked: ModeAnswer) -> dict[str, Any]:
    """Return the result as JSON values."""
    return asked.found.to_dict() if asked.reply is None else asked.reply.to_dict()


def as_markdown(asked: ModeAnswer) -> str:
    """Return the answer with sources as Markdown; without an answer, the chunks found."""
    question = f"## {asked.found.question if asked.reply is None else asked.reply.question}"
    if asked.reply is not None:
        lines = [f"- {line}" for line in asked.reply.source_lines()]
        verdict = f"**{asked.reply.verdict.sentence}**"
        said = [asked.reply.asked_line, verdict, asked.reply.text, "\n".join(lines)]
    else:
        passages = [f"{chunk.text}\n\n{chunk.title} ({chunk.uri})" for chunk in asked.found.chunks]
        said = [indent(passage, "> ", lambda _line: True) for passage in passages]
    return visible("\n\n".join(filter(None, [question, *said])) + "\n")
