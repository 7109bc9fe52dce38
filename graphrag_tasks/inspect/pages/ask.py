"""The question page: answers in up to four modes, and example questions."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from glob import escape
from itertools import chain, islice, zip_longest
from textwrap import indent
from threading import Lock, Thread
from typing import Annotated, Any
from urllib.parse import urlencode
from weakref import WeakKeyDictionary

import pyarrow.compute as pc
from markupsafe import Markup
from pydantic import BeforeValidator, Field

from graphrag_tasks.answering import AnswerSentence, Reply, answer
from graphrag_tasks.core.errors import GraphragError
from graphrag_tasks.core.visible import visible
from graphrag_tasks.graph.drawing import draw
from graphrag_tasks.graph.relation_kinds import FACT
from graphrag_tasks.inspect.export import listed_facts
from graphrag_tasks.inspect.pages.map import View, view
from graphrag_tasks.language.names import is_code
from graphrag_tasks.operations.documents import document_reports
from graphrag_tasks.retrieval import Context, Index
from graphrag_tasks.retrieval.graph.filters import Filters, read_filters, values_of_fields
from graphrag_tasks.retrieval.modes.registry import PLAIN_MODES
from graphrag_tasks.storage.columns import column

_NUMBER = re.compile(
    r"(?:chapter |section )?(?:\d+|[a-z](?=[.]\d))(?:[.]\d+)*[.:]? +", re.IGNORECASE
)
"""The number of a heading, as in "A.5 " and "Chapter 6. "."""
_Candidate = tuple[str, Callable[[AnswerSentence], bool]]
"""A question, and whether a sentence in bold answers it."""

log = logging.getLogger(__name__)

MOST_CHUNKS = 50
"""Most passages of an answer; more are no page to read. Chosen."""
Passages = Annotated[
    Annotated[int, Field(ge=1, le=MOST_CHUNKS)] | None, BeforeValidator(lambda given: given or None)
]
"""Requested number of passages; an empty field takes the mode's default."""
_EXAMPLES = 6
_TRIED = 12
"""Example questions shown, and candidates tried; chosen."""
_PATIENCE_SECONDS = 0.7
"""Extra time that a page may take for its examples; chosen."""
_DRAWN, _NEIGHBOURS = 6, 12
"""Entities with which an answer's graph starts, and neighbours of each."""
_MOST_PATHS = 200
"""Folders, and documents, that a question can be limited to by choosing; chosen."""
_MOST_VALUES = 30
"""Values of a field that are offered; fields with more are names or texts. Chosen."""
_FILTER = re.compile(r"[^/=<>]+[=<>]")
"""Begin of a filter by a field; anything else is a part of a path."""
_LONGEST_HEADING = 12  # words
_SHORTEST = 2  # characters
_LONGEST = 4  # words


@dataclass(frozen=True)
class Asked:
    """Result of a question in one mode.

    Attributes:
        reply: The answer, if the mode gives one.
        found: What was found, and `drawn` its facts as a picture; "" if there are none.
    """

    mode: str
    reply: Reply | None
    found: Context
    drawn: Markup

    @property
    def graph(self) -> str:
        """Query string of the graph page for the first facts; empty without facts."""
        names = dict.fromkeys(
            name for fact in self.found.relations for name in (fact.head, fact.tail)
        )
        asked = [("name", name) for name in list(names)[:_DRAWN]]
        return urlencode([*asked, ("most", _NEIGHBOURS)]) if asked else ""


def ask(
    index: Index, question: str, modes: Sequence[str], k: int | None = None, after: str = "",
    within: str = "",
) -> list[Asked]:  # fmt: skip
    """Ask a question in several modes; the empty question gives [].

    Without `k` each mode reads its default number of chunks. `after` is the question before.
    `within` limits what is read: a part of the paths of documents, a pattern, or filters as in
    "release>=5.0, department=finance".
    """
    if not question.strip():
        return []
    asked = []
    filters = _filters(within.strip())
    for mode in dict.fromkeys(mode for mode in modes if mode):
        if mode in PLAIN_MODES:  # those are there to be compared
            reply, found = None, index.search(question, mode, k, filters)
        else:
            reply = answer(index, question, mode=mode, k=k, filters=filters, after=after)
            found = reply.context
        asked.append(Asked(mode, reply, found, _drawn(index, found)))
    return asked


def _filters(within: str) -> Filters:
    if _FILTER.match(within):
        return read_filters(filter(str.strip, within.split(",")))
    pattern = within if {"*", "?"} & set(within) else f"*{escape(within)}*"
    return {"uri": pattern} if within else {}


def _drawn(index: Index, found: Context) -> Markup:
    ids = [hit.relation_id for hit in found.relations]
    facts = listed_facts(index.snapshot, "Facts", ids) if ids else None
    # not escaped: the picture escapes what it shows
    return Markup(draw(facts) if facts and facts.relations.num_rows else "")  # noqa: S704


@dataclass(frozen=True)
class Home:
    """What stands below an empty question: counts of a snapshot, and its map.

    `unread` counts documents that were not read, or not as a whole.
    """

    documents: int
    unread: int
    entities: int
    relations: int
    map: View

    @classmethod
    def of(cls, index: Index) -> Home:
        """Return it for an opened snapshot, as its reader sees it."""
        reports = document_reports(index.snapshot)
        facts = index.facts
        return cls(
            len(reports), sum(report.is_problem for report in reports),
            facts.entities, facts.relations, view(index, ""),
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


def examples(index: Index) -> Iterator[str]:
    """Yield questions that the corpus answers: of terms, headings and facts in turn.

    Each is asked: it is yielded only if the documents answer it, and a sentence in bold states what
    it was made from.
    """
    kinds = (_of_terms, _of_headings, _of_facts)
    answered = [_answered(index, islice(of(index), _TRIED)) for of in kinds]
    yield from filter(None, chain.from_iterable(zip_longest(*answered)))


def _answered(index: Index, candidates: Iterator[_Candidate]) -> Iterator[str]:
    for question, is_answer in candidates:
        reply = answer(index, question)
        best = [one for one in reply.sentences if one.is_best]
        if reply.verdict.state == "answered" and any(map(is_answer, best)):
            yield question


def _of_terms(index: Index) -> Iterator[_Candidate]:
    """Yield what the most mentioned names are."""
    entities = index.entities().sort_values(["mentions", "name"], ascending=[False, True])
    for name in filter(_is_askable, entities["name"]):
        told = rf"(?:(?:an?|the) )?{re.escape(name)}(?:: | (?:is|means) )"
        asked = f"What does {name} mean?" if name.islower() else f"What is {name}?"
        yield asked, partial(_begins, re.compile(told, re.IGNORECASE))


def _begins(told: re.Pattern[str], one: AnswerSentence) -> bool:
    return told.match(one.text) is not None


def _is_quoted(_one: AnswerSentence) -> bool:
    return True


def _states(sentence_ids: frozenset[str], one: AnswerSentence) -> bool:
    return any(citation.source.sentence_id in sentence_ids for citation in one.citations)


def _of_headings(index: Index) -> Iterator[_Candidate]:
    """Yield headings: questions as they stand, and what is said about those that name a topic."""
    paths = column(index.snapshot.table("chunks", ["heading_path"]), "heading_path").to_pylist()
    headings = dict.fromkeys(_NUMBER.sub("", path[-1]) for path in paths if path)
    topics = {topic.title.casefold() for topic in index.topics(_TRIED)}
    asked = [one for one in headings if one.endswith("?") and one.count(" ") < _LONGEST_HEADING]
    named = [one for one in headings if one.casefold() in topics]
    for question in (*asked, *(f"What does it say about {one}?" for one in named)):
        yield question, _is_quoted


def _of_facts(index: Index) -> Iterator[_Candidate]:
    """Yield the most supported facts, each with a question that it answers, one per verb."""
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
            stated = frozenset(one.sentence_id for one in index.cite(row["relation_id"]))
            yield f"What {verb} {tail}?", partial(_states, stated)


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
        found.extend(islice(examples(index), _EXAMPLES))
    except GraphragError as error:
        log.warning("no examples of questions: %s", error)


def _is_askable(name: str) -> bool:
    return not is_code(name) and len(name) > _SHORTEST and len(name.split()) <= _LONGEST


def _asks_singular(verb: str) -> bool:
    """Tell whether a verb may follow "What": "replaces", not "is" or "replace"."""
    return verb.isalpha() and verb.endswith("s") and verb not in ("is", "was", "has", "does")


def as_json(asked: Asked) -> dict[str, Any]:
    """Return the result as JSON values."""
    return asked.reply.to_dict() if asked.reply else asked.found.to_dict()


def as_markdown(asked: Asked) -> str:
    """Return the answer with sources as Markdown; without an answer, the chunks found."""
    question = f"## {asked.reply.question if asked.reply else asked.found.question}"
    if asked.reply:
        lines = [f"- {line}" for line in asked.reply.sources()]
        verdict = f"**{asked.reply.verdict.sentence}**"
        said = [asked.reply.asked_line, verdict, asked.reply.text, "\n".join(lines)]
    else:
        passages = [f"{chunk.text}\n\n{chunk.title} ({chunk.uri})" for chunk in asked.found.chunks]
        said = [indent(passage, "> ", lambda _line: True) for passage in passages]
    return visible("\n\n".join(filter(None, [question, *said])) + "\n")
