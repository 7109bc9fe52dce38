"""The page of questions: the answer in one mode or in two, and questions to begin with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import indent
from typing import Annotated, Any
from urllib.parse import urlencode

import pyarrow.compute as pc
from pydantic import BeforeValidator, Field

from graphrag_tasks.answering import Reply, answer
from graphrag_tasks.core.visible import visible
from graphrag_tasks.graph.relation_kinds import FACT
from graphrag_tasks.language.names import is_code
from graphrag_tasks.retrieval import Context, Index
from graphrag_tasks.retrieval.modes.registry import PLAIN_MODES

MOST_CHUNKS = 50
"""Passages of an answer at most; more are no page to read. Chosen."""
Passages = Annotated[
    Annotated[int, Field(ge=1, le=MOST_CHUNKS)] | None, BeforeValidator(lambda given: given or None)
]
"""Passages that are asked for; an empty field leaves it to the kind of answer."""
_EXAMPLES = 6
_THINGS = 3
"""Questions to begin with, and how many of them are about a thing; chosen."""
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


def examples(index: Index) -> list[str]:
    """Return questions that the corpus should answer, made of what it states most often."""
    columns = ["entity_id", "name", "type", "is_named", "mentions"]
    entities = index.snapshot.table("entities", columns)
    order = [("mentions", "descending"), ("name", "ascending")]
    named = entities.filter(entities["is_named"]).sort_by(order).to_pylist()
    names = {row["entity_id"]: row["name"] for row in named if _is_askable(row["name"])}
    things = [row["name"] for row in named if row["type"] and row["entity_id"] in names]
    found = [f"What is {name}?" for name in things[:_THINGS]]
    columns = ["relation_id", "head_id", "tail_id", "phrase", "kind", "negated", "weight"]
    relations = index.snapshot.table("relations", columns)
    facts = relations.filter(
        pc.and_(pc.equal(relations["kind"], FACT), pc.invert(relations["negated"]))
    ).sort_by([("weight", "descending"), ("relation_id", "ascending")])
    verbs: set[str] = set()
    for row in facts.to_pylist():
        tail, verb = names.get(row["tail_id"]), row["phrase"]
        if len(found) == _EXAMPLES:
            break
        if tail and row["head_id"] in names and _asks_singular(verb) and verb not in verbs:
            verbs.add(verb)
            found.append(f"What {verb} {tail}?")
    return found


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
