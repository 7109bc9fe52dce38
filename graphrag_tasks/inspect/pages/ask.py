"""The question page: an answer, what is related to it, and example questions."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from glob import escape
from itertools import islice
from textwrap import indent
from threading import Lock, Thread
from typing import Annotated, Any
from weakref import WeakKeyDictionary

from pydantic import BeforeValidator, Field

from graphrag_tasks.answering import AnswerSentence, Reply, answer
from graphrag_tasks.answering.lists import asks_for_list
from graphrag_tasks.core.errors import GraphragError
from graphrag_tasks.core.schemas import CELL_SEPARATOR
from graphrag_tasks.core.visible import visible
from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.operations.documents import document_reports
from graphrag_tasks.operations.examples import EXAMPLES, examples, kept_examples, questions_beside
from graphrag_tasks.retrieval import Context, Index, RelationHit, SourceSentence
from graphrag_tasks.retrieval.context.context import is_content
from graphrag_tasks.retrieval.context.hits import Topic
from graphrag_tasks.retrieval.graph.filters import read_filters, values_of_fields
from graphrag_tasks.retrieval.modes.registry import PLAIN_MODES
from graphrag_tasks.retrieval.question.router import question_parts
from graphrag_tasks.sources.media_types import is_sheet
from graphrag_tasks.storage.artifacts import column
from graphrag_tasks.versions.chains import order_of
from graphrag_tasks.versions.told import changes

log = logging.getLogger(__name__)

MOST_CHUNKS = 50  # Most passages of an answer; more are no page to read. Chosen.
Passages = Annotated[Annotated[int, Field(ge=1, le=MOST_CHUNKS)] | None, BeforeValidator(lambda given: given or None)]
"""Requested number of passages; an empty field takes the mode's default."""
_PATIENCE_SECONDS = 0.7  # Extra time that a page may take for its examples; chosen.
_MOST_RELATED, _MOST_NEXT = 4, 3  # Facts, and questions, shown below an answer; chosen.
_MOST_SOURCES = 6  # Sources that stand beside an answer; the numbers of others lead to their documents. Chosen.
_MOST_UNSURE = 3  # Sentences shown where none surely answers; chosen.
_AROUND = 700  # Characters of text shown before and behind a cited sentence; chosen.
_LONGEST_SHORT = 90  # Characters of a short answer; a longer one is the sentence itself. Chosen.
_SURE = 0.9  # Probability of a short answer: of 120 questions 17 of 20 such are right, of less sure ones 4 of 12.
_COUNTED = re.compile(r"((?:[^:]*: )?[\d,.]+) ((?:of|in) .*)")  # What was counted, and among what.
_MOST_TOPICS = 10  # Topics listed on the first page; chosen.
_MOST_PATHS = 200  # Folders, and documents, that a question can be limited to by choosing; chosen.
_MOST_VALUES = 30  # Values of a field that are offered; fields with more are names or texts. Chosen.

_OF_BLOCKS = ["document_id", "kind", "text", "char_start", "char_end"]
_ASKS_CHANGES = re.compile(r"\bchange[ds]?\b", re.IGNORECASE)
_ASKS_YES_OR_NO = re.compile(
    r"(?:am|are|can|could|did|do|does|had|has|have|is|may|might|must|need|shall|should|was|were|will|would)\b",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(r"(?:yes|no)(?= *[,.:;–])", re.IGNORECASE)


@dataclass(frozen=True)
class Source:
    """What stands beside an answer for one of its numbers.

    Attributes:
        sentence: The first cited sentence.
        name: Title of its document, or the name of its file where several have this title.
        release: Release or date of its document, if it has versions.
        row: The cells of a cited table row below their headers; empty for other text.
        blocks: The text around it: the kind of each block, and its parts with whether they are cited.
    """

    number: int
    sentence: SourceSentence
    name: str
    release: str
    row: Sequence[tuple[str, str]]
    blocks: Sequence[tuple[str, Sequence[tuple[str, bool]]]]


@dataclass(frozen=True)
class ModeAnswer:
    """Result of a question in one mode.

    Attributes:
        reply: The answer, if the mode gives one.
        found: What was found.
        sources: What the shown sentences cite, by citation number.
        changes: How many statements of a document changed whose newest version is cited.
        asks_changes: Whether the question asks for changes, where documents have releases.
    """

    mode: str
    reply: Reply | None
    found: Context
    sources: Mapping[int, Source] = field(default_factory=dict)
    changes: int = 0
    asks_changes: bool = False

    @property
    def is_sure(self) -> bool:
        """Whether the documents surely answer."""
        return self.reply is not None and self.reply.verdict.state == "answered"

    @property
    def short(self) -> tuple[str, str]:
        """The answer in a few words, and what they hold for: what was counted, or the words of one sure sentence."""
        if self.reply is None or not self.is_sure:
            return "", ""
        if counted := _COUNTED.match(self.reply.summary):
            return counted[1], counted[2]
        question, best = self.reply.question, [one for one in self.reply.sentences if one.is_best]
        words = {one.parts[1].strip(" ,.;:") for one in best}
        is_several = len(words) != 1 or asks_for_list(question) or len(question_parts(question)) > 1
        if self.reply.form != "quotes" or is_several or self.reply.verdict.probability < _SURE:
            return self.reply.summary, ""
        if _ASKS_YES_OR_NO.match(question):
            found = _YES_OR_NO.match(best[0].shown.rpartition("? ")[2])
            return found[0] if found else "", ""
        short = words.pop()
        said = set(filter(is_content, terms(short)))
        is_new = 2 * len(said.intersection(terms(question))) < len(said) or not said
        return short if len(short) <= _LONGEST_SHORT and is_new else "", ""

    @property
    def sentences(self) -> Sequence[AnswerSentence]:
        """The sentences that are shown: those that answer, or the nearest ones."""
        if self.reply is None:
            return ()
        if self.reply.form != "quotes" or self.reply.model:
            return self.reply.sentences
        best = [one for one in self.reply.sentences if one.is_best]
        return best if self.is_sure else best[:_MOST_UNSURE]

    @property
    def before(self) -> Sequence[AnswerSentence]:
        """What was said before it changed, of each shown sentence that did."""
        return [one for one in self.reply.sentences if one.release and not one.is_best] if self.reply else ()

    @property
    def related(self) -> list[RelationHit]:
        """A few facts of the sentences that are cited, or of their passages where these are no sheets."""
        sources = [citation.source for one in self.sentences for citation in one.citations] if self.is_sure else []
        cited = {source.sentence_id for source in sources}
        cited |= {source.chunk_id for source in sources if not is_sheet(source.uri)}
        told = (
            fact
            for fact in self.found.relations
            if any(cited & {said.sentence_id, said.chunk_id} for said in fact.evidence)
        )
        return list(islice(told, _MOST_RELATED))


def ask(
    index: Index, question: str, mode: str, k: int | None = None, after: str = "", only: Sequence[str] = ()
) -> ModeAnswer:
    """Ask a question.

    Without `k` a mode reads its default number of chunks. `after` is the question before. `only` limits what is read,
    as in `release>=5.0` and `uri=docs/*`; values of one field are alternatives.
    """
    filters = read_filters(filter(None, only))
    if mode in PLAIN_MODES:  # those find passages and answer nothing
        return ModeAnswer(mode, None, index.search(question, mode, k, filters))
    reply = answer(index, question, mode=mode, k=k, filters=filters, after=after)
    said = ModeAnswer(mode, reply, reply.context)
    of_before = [citation.source for one in said.before[:1] for citation in one.citations]
    changed = sum(change.count for source in of_before for change in changes(index.snapshot, source.title))
    asks = bool(index.releases.of and _ASKS_CHANGES.search(question))
    return replace(said, sources=_sources(index, [*said.sentences, *said.before]), changes=changed, asks_changes=asks)


def _sources(index: Index, sentences: Iterable[AnswerSentence]) -> dict[int, Source]:
    cited: dict[int, list[SourceSentence]] = {}
    for one in sentences:
        for citation in one.citations:
            if citation.number in cited or len(cited) < _MOST_SOURCES:
                cited.setdefault(citation.number, []).append(citation.source)
    return {number: _source(index, number, those) for number, those in sorted(cited.items())}


def _source(index: Index, number: int, cited: Sequence[SourceSentence]) -> Source:
    first = cited[0]
    titles = column(index.snapshot.table("documents", ["title"]), "title").to_pylist()
    name = first.title if titles.count(first.title) == 1 else first.uri.rpartition("/")[2]
    release = index.releases.of.get(first.document_id, "")
    if CELL_SEPARATOR in first.text:
        cells = [cell.partition(": ") for cell in first.text.split(CELL_SEPARATOR)]
        row = [(header, value) if value else ("", header) for header, _, value in cells]
        return Source(number, first, name, release, row, ())
    around = _AROUND if first.page is None else 0  # the picture of a page shows the rest
    start, end = first.char_start - around, first.char_end + around
    rows = index.snapshot.find_rows("blocks", "document_id", first.document_id, _OF_BLOCKS).to_pylist()
    near = [row for row in rows if row["char_start"] < end and start < row["char_end"]]
    return Source(number, first, name, release, (), [(row["kind"], _parts(row, cited)) for row in near])


def _parts(block: Mapping[str, Any], cited: Sequence[SourceSentence]) -> list[tuple[str, bool]]:
    """Return the text of a block in parts, each with whether it is cited."""
    text, start = block["text"], block["char_start"]
    places = sorted({(max(one.char_start - start, 0), one.char_end - start) for one in cited})
    parts, at = [], 0
    for begin, end in places:
        if at <= begin < end and begin < len(text):
            parts += [(text[at:begin], False), (text[begin:end], True)]
            at = end
    return [part for part in (*parts, (text[at:], False)) if part[0]]


@dataclass(frozen=True)
class Home:
    """What stands below an empty question: counts of a snapshot, and its topics.

    `unread` counts documents that were not read, or not as a whole.
    """

    documents: int
    unread: int
    topics: Sequence[Topic]

    @classmethod
    def of(cls, index: Index) -> Home:
        """Return it for an opened snapshot, as its reader sees it."""
        reports = document_reports(index.snapshot)
        return cls(len(reports), sum(report.is_problem for report in reports), index.topics(_MOST_TOPICS))


def limits(index: Index) -> dict[str, dict[str, str]]:
    """Return what a question can be limited to: by kind, each filter with its words."""
    uris = sorted(column(index.snapshot.table("documents", ["uri"]), "uri").to_pylist())
    folders = sorted({uri[: uri.rindex("/") + 1] for uri in uris if uri.count("/") > 1})
    found = {
        "folders": {f"uri={escape(one)}*": one for one in folders[:_MOST_PATHS]},
        "documents": {f"uri={escape(one)}": one for one in uris[:_MOST_PATHS]},
    }
    for name, values in values_of_fields(index.snapshot, index.graph).items():
        if 1 < len(values) <= _MOST_VALUES:
            found[name] = {f"{name}={value}": value for value in values}
            if name == "release" and (ordered := list(filter(order_of, values))):
                found["as_of"] = {f"as_of={value}": value for value in ordered}
    return found


class Examples:
    """Example questions of each index, and of each cited chunk, kept as finding them takes time."""

    def __init__(self) -> None:
        self._found: WeakKeyDictionary[Index, tuple[Thread, list[str]]] = WeakKeyDictionary()
        self._beside: WeakKeyDictionary[Index, dict[str, list[str]]] = WeakKeyDictionary()
        self._lock = Lock()

    def of(self, index: Index) -> tuple[list[str], bool]:
        """Return the examples found so far in a background thread, and whether they are complete."""
        with self._lock:
            if index not in self._found:
                found = list[str]()
                work = Thread(target=_extend, args=(found, index), name="examples", daemon=True)
                self._found[index] = work, found
                work.start()
            work, found = self._found[index]
        work.join(_PATIENCE_SECONDS)
        return list(found), not work.is_alive()

    def beside(self, index: Index, chunk_id: str) -> list[str]:
        """Return a few questions on what stands beside a chunk."""
        with self._lock:
            known = self._beside.setdefault(index, {})
        if chunk_id not in known:
            known[chunk_id] = list(islice(questions_beside(index, chunk_id), _MOST_NEXT))
        return known[chunk_id]


def _extend(found: list[str], index: Index) -> None:
    try:
        found.extend(kept_examples(index) or (question for question, _ in islice(examples(index), EXAMPLES)))
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
