"""The page of questions: the answer in one mode or in two, and questions to begin with."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from textwrap import indent
from threading import Lock, Thread
from typing import Annotated, Any
from urllib.parse import urlencode
from weakref import WeakKeyDictionary

import pyarrow.compute as pc
from pydantic import BeforeValidator, Field

from graphrag_tasks.answering import Reply, answer
from graphrag_tasks.core.errors import GraphragError
from graphrag_tasks.core.visible import visible
from graphrag_tasks.graph.relation_kinds import FACT
from graphrag_tasks.language.names import is_code
from graphrag_tasks.retrieval import Context, Index
from graphrag_tasks.retrieval.modes.registry import PLAIN_MODES

log = logging.getLogger(__name__)

MOST_CHUNKS = 50
"""Passages of an answer at most; more are no page to read. Chosen."""
Passages = Annotated[
    Annotated[int, Field(ge=1, le=MOST_CHUNKS)] | None, BeforeValidator(lambda given: given or None)
]
"""Passages that are asked for; an empty field leaves it to the kind of answer."""
_EXAMPLES = 6
_TRIED = 12
"""Questions to begin with, and how many are asked to find them; chosen."""
_PATIENCE_SECONDS = 2.0
"""That a page may take longer for its examples; chosen."""
_DRAWN, _NEIGHBOURS = 6, 12
"""Entities of an answer's facts that its graph begins with, and neighbours of each of them."""
_SHORTEST = 2  # characters
_LONGEST = 4  # words


@dataclass(frozen=True)
class Asked:
    """What one mode says to a question: an answer, where the mode gives one, and what was found."""

    mode: str
    reply: Reply | None
    found: Context

    @property
    def graph(self) -> str:
        """The query of the graph page for what the first facts relate; empty without facts."""
        names = dict.fromkeys(
            name for fact in self.found.relations for name in (fact.head, fact.tail)
        )
        asked = [("name", name) for name in list(names)[:_DRAWN]]
        return urlencode([*asked, ("most", _NEIGHBOURS)]) if asked else ""


def ask(index: Index, question: str, modes: Sequence[str], k: int | None = None) -> list[Asked]:
    """Ask a question in some modes; none of the empty question.

    Without `k` each mode reads as many chunks as it does elsewhere.
    """
    if not question.strip():
        return []
    asked = []
    for mode in dict.fromkeys(mode for mode in modes if mode):
        if mode in PLAIN_MODES:  # those are there to be compared
            asked.append(Asked(mode, None, index.search(question, mode, k)))
        else:
            reply = answer(index, question, mode=mode, k=k)
            asked.append(Asked(mode, reply, reply.context))
    return asked


def examples(index: Index) -> Iterator[str]:
    """Yield questions that the corpus answers with what it states most often.

    Each is asked: only those are given whose answer has a sentence that states the fact they are
    made of in bold.
    """
    for relation_id, question in islice(_candidates(index), _TRIED):
        reply = answer(index, question)
        stated = {source.sentence_id for source in index.cite(relation_id)}
        best = (one.citations for one in reply.sentences if one.is_best)
        quoted = {citation.source.sentence_id for citations in best for citation in citations}
        if reply.verdict.state == "answered" and stated & quoted:
            yield question


def _candidates(index: Index) -> Iterator[tuple[str, str]]:
    """Yield facts of the most support with a question that each answers, one of each verb."""
    entities = index.snapshot.table("entities", ["entity_id", "name", "is_named"])
    named = entities.filter(entities["is_named"]).to_pylist()
    names = {row["entity_id"]: row["name"] for row in named if _is_askable(row["name"])}
    columns = ["relation_id", "head_id", "tail_id", "phrase", "kind", "negated", "weight"]
    relations = index.snapshot.table("relations", columns)
    facts = relations.filter(
        pc.and_(pc.equal(relations["kind"], FACT), pc.invert(relations["negated"]))
    ).sort_by([("weight", "descending"), ("relation_id", "ascending")])
    verbs: set[str] = set()
    for row in facts.to_pylist():
        tail, verb = names.get(row["tail_id"]), row["phrase"]
        if tail and row["head_id"] in names and _asks_singular(verb) and verb not in verbs:
            verbs.add(verb)
            yield row["relation_id"], f"What {verb} {tail}?"


class Examples:
    """Example questions of each index, found beside the requests, as asking them takes time."""

    def __init__(self) -> None:
        self._found: WeakKeyDictionary[Index, tuple[Thread, list[str]]] = WeakKeyDictionary()
        self._lock = Lock()

    def of(self, index: Index) -> tuple[list[str], bool]:
        """Return those found so far, and whether that is all; a first page waits for some."""
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
        found.extend(islice(examples(index), _EXAMPLES))
    except GraphragError as error:
        log.warning("no examples of questions: %s", error)


def _is_askable(name: str) -> bool:
    return not is_code(name) and len(name) > _SHORTEST and len(name.split()) <= _LONGEST


def _asks_singular(verb: str) -> bool:
    """Return whether a verb may follow "What": "replaces", not "is" (of what?) nor "replace"."""
    return verb.isalpha() and verb.endswith("s") and verb not in ("is", "was", "has", "does")


def as_json(asked: Asked) -> dict[str, Any]:
    """Return what was said and found as JSON values."""
    return asked.reply.to_dict() if asked.reply else asked.found.to_dict()


def as_markdown(asked: Asked) -> str:
    """Return the answer with its sources as Markdown; of a mode without one, the chunks found."""
    question = f"## {asked.found.question}"
    if asked.reply:
        lines = [f"- {line}" for line in asked.reply.sources()]
        said = [f"**{asked.reply.verdict.sentence}**", asked.reply.text, "\n".join(lines)]
    else:
        passages = [f"{chunk.text}\n\n{chunk.title} ({chunk.uri})" for chunk in asked.found.chunks]
        said = [indent(passage, "> ", lambda _line: True) for passage in passages]
    return visible("\n\n".join(filter(None, [question, *said])) + "\n")
