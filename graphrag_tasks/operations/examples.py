"""Questions that a corpus answers, shown where nothing has been asked yet."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice, zip_longest

import pyarrow.compute as pc

from graphrag_tasks.answering import AnswerSentence, answer
from graphrag_tasks.answering.overview import stands_alone
from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import ArtifactError, GraphragError, QueryError
from graphrag_tasks.core.schemas import CELL_SEPARATOR
from graphrag_tasks.embed.protocol import ENDPOINT
from graphrag_tasks.graph.weights import FACT
from graphrag_tasks.language.names import is_code
from graphrag_tasks.retrieval import Index, open_index
from graphrag_tasks.storage.snapshots.manifests import Manifest
from graphrag_tasks.storage.snapshots.store import Snapshot, Store

_NUMBER = re.compile(r"(?:chapter |section )?(?:\d+|[a-z](?=[.]\d))(?:[.]\d+)*[.:]? +", re.IGNORECASE)
"""The number of a heading, as in "A.5 " and "Chapter 6. "."""
_Candidate = tuple[str, Callable[[AnswerSentence], bool]]  # A question, and whether a sentence answers it.

EXAMPLES, _TRIED = 6, 12  # Example questions shown, and candidates tried of each kind; chosen.
_FILE = "examples.json"
"""Beside the tables of a snapshot, which it is no part of: whatever it says, the id is the same."""
_LARGE = 1_000  # Chunks from which examples are made at publish; with fewer a page finds them at once. Chosen.
_LONGEST_HEADING = 12  # words
_FIRST = 2  # Sentences that begin a section, the heading itself among them.
_SHORTEST = 2  # characters
_LONGEST = 4  # words

log = logging.getLogger(__name__)


def keep_examples(config: Config, manifest: Manifest) -> None:
    """Find the examples of a large snapshot that was just published, and keep them with it.

    With access labels each reader has other examples: nothing is kept. Nor is it where questions are encoded by an
    endpoint, which costs.
    """
    keeps_none = config.access.enabled or config.embed.embedder == ENDPOINT
    if keeps_none or manifest.tables["chunks"].rows < _LARGE:
        return
    store = Store(config.store)
    try:
        index = open_index(config.store, manifest.snapshot_id, language=config.language)
        found = _still_told(store, manifest, index) or dict(islice(examples(index), EXAMPLES))
        store.snapshot_folder(manifest.snapshot_id).write_json(_FILE, found)
    except (GraphragError, OSError) as error:  # the snapshot is there all the same
        log.warning("no examples of questions: %s", error)


def _still_told(store: Store, manifest: Manifest, index: Index) -> dict[str, str]:
    """Return the examples of the snapshot before, if all chunks that answer them are there; else none.

    Asking all of them again takes a third of the time of a run in which one document changed.
    """
    try:
        kept = store.snapshot_folder(manifest.parent_id).read_json(_FILE) if manifest.parent_id else {}
    except ArtifactError:
        return {}
    is_whole = isinstance(kept, dict) and len(kept) == EXAMPLES
    return kept if is_whole and None not in map(index.graph.chunks.row_of, kept.values()) else {}


def kept_examples(index: Index) -> list[str]:
    """Return the examples that were kept with a snapshot; none if it has labels, or is small."""
    if type(index.snapshot) is not Snapshot:  # it is a view of one
        return []
    try:
        return list(map(str, index.snapshot.folder.read_json(_FILE)))
    except ArtifactError:
        return []


def examples(index: Index) -> Iterator[tuple[str, str]]:
    """Yield questions that the corpus answers, each with the chunk that does: of terms, headings and facts in turn.

    Each is asked: it is yielded only if the documents answer it, and the best sentence states what it was made from.
    """
    kinds = (_of_terms, _of_headings, _of_facts)
    answered = [_answered(index, islice(of(index), _TRIED)) for of in kinds]
    yield from filter(None, chain.from_iterable(zip_longest(*answered)))


def _answered(index: Index, candidates: Iterator[_Candidate]) -> Iterator[tuple[str, str]]:
    for question, is_answer in candidates:
        reply = answer(index, question)
        best = [one for one in reply.sentences if one.is_best]
        if reply.verdict.state == "answered" and any(map(is_answer, best[:1])):
            yield question, best[0].citations[-1].source.chunk_id


def _of_terms(index: Index) -> Iterator[_Candidate]:
    """Yield what the most mentioned names are."""
    entities = index.snapshot.table("entities", ["name", "mentions"])
    yield from _defined(entities.sort_by([("mentions", "descending"), ("name", "ascending")])["name"].to_pylist())


def _defined(names: Iterable[str]) -> Iterator[_Candidate]:
    for name in filter(_is_askable, names):
        told = rf"(?:(?:an?|the) )?{re.escape(name)} (?:(?:is|are) (?:an?|the)|means) "
        asked = f"What does {name} mean?" if name.islower() else f"What is {name}?"
        yield asked, partial(_begins, re.compile(told, re.IGNORECASE))


def _begins(told: re.Pattern[str], one: AnswerSentence) -> bool:
    return told.match(one.text) is not None


def _states(sentence_ids: frozenset[str], one: AnswerSentence) -> bool:
    return any(citation.source.sentence_id in sentence_ids for citation in one.citations)


def _of_headings(index: Index) -> Iterator[_Candidate]:
    """Yield headings: questions as they stand, topics, then what else stands below a document's title."""
    topics = {topic.title.casefold() for topic in index.topics(_TRIED)}
    below: dict[str, set[str]] = {}
    order: dict[str, tuple[bool, bool, int]] = {}
    places = Counter[str]()
    for row in index.snapshot.table("chunks", ["chunk_id", "document_id", "heading_path"]).to_pylist():
        if row["heading_path"]:
            heading = row["heading_path"][-1]
            below.setdefault(heading, set()).add(row["chunk_id"])
            if heading not in order and (len(row["heading_path"]) > 1 or heading.endswith("?")):
                is_topic = _NUMBER.sub("", heading).casefold() in topics
                order[heading] = (not heading.endswith("?"), not is_topic, places[row["document_id"]])
                places[row["document_id"]] += 1
    for heading in sorted(order, key=lambda one: order[one]):
        yield from _about(index, heading, below[heading])


def _about(index: Index, heading: str, chunks: set[str]) -> Iterator[_Candidate]:
    """Yield the question of a heading, which what stands in its chunks answers."""
    named = _NUMBER.sub("", heading)
    if not named.endswith("?"):
        yield f"What does it say about {named}?", partial(_tells, index, chunks)
    elif named.count(" ") < _LONGEST_HEADING:
        yield named, partial(_stands_in, chunks)


def _stands_in(chunks: set[str], one: AnswerSentence) -> bool:
    return one.citations[-1].source.chunk_id in chunks and CELL_SEPARATOR not in one.text


def _tells(index: Index, chunks: set[str], one: AnswerSentence) -> bool:
    """Tell whether a sentence is the first below a heading, and understood without others."""
    source = one.citations[-1].source
    first = [said.sentence_id for said in index.sentences(source.chunk_id)[:_FIRST]]
    return _stands_in(chunks, one) and source.sentence_id in first and stands_alone(source.text)


def questions_beside(index: Index, chunk_id: str) -> Iterator[str]:
    """Yield questions on what stands near a chunk in its document, the nearest first.

    They are made from headings that no other document has, and names in the chunk. Each is asked as for `examples`;
    a heading is only answered by what stands below it.
    """
    found = index.snapshot.find_rows("chunks", "chunk_id", chunk_id).to_pylist()
    if not found:
        raise QueryError("no such passage in this snapshot", chunk_id, "Ask again")
    own = found[0]
    table = index.snapshot.table("chunks", ["chunk_id", "document_id", "heading_path", "ordinal"])
    documents: dict[str, set[str]] = {}
    below: dict[str, tuple[int, set[str]]] = {}
    for row in table.to_pylist():
        for heading in row["heading_path"]:
            documents.setdefault(heading, set()).add(row["document_id"])
        if row["document_id"] == own["document_id"] and row["heading_path"]:
            away = abs(row["ordinal"] - own["ordinal"])
            nearest, ids = below.setdefault(row["heading_path"][-1], (away, set()))
            below[row["heading_path"][-1]] = min(nearest, away), ids | {row["chunk_id"]}
    versions = {own["document_id"], *index.releases.versions_of(own["document_id"])}
    headings = [
        heading
        for heading in sorted(below, key=lambda one: below[one][0])
        if heading not in own["heading_path"] and documents[heading] <= versions
    ]
    of_headings = chain.from_iterable(_about(index, heading, below[heading][1]) for heading in headings[:_TRIED])
    asked = _answered(index, chain(of_headings, _defined(index.names_in(own["text"]))))
    yield from (question for question, _ in asked)


def _of_facts(index: Index) -> Iterator[_Candidate]:
    """Yield the most supported facts, each with a question that it answers, one per verb."""
    entities = index.snapshot.table("entities", ["entity_id", "name", "is_named"])
    named = entities.filter(entities["is_named"]).to_pylist()
    names = {row["entity_id"]: row["name"] for row in named if _is_askable(row["name"])}
    columns = ["relation_id", "head_id", "tail_id", "phrase", "kind", "negated", "weight"]
    relations = index.snapshot.table("relations", columns)
    facts = relations.filter(pc.and_(pc.equal(relations["kind"], FACT), pc.invert(relations["negated"]))).sort_by(
        [("weight", "descending"), ("relation_id", "ascending")]
    )
    verbs: set[str] = set()
    for row in facts.to_pylist():
        tail, verb = names.get(row["tail_id"]), row["phrase"]
        if tail and row["head_id"] in names and _asks_singular(verb) and verb not in verbs:
            verbs.add(verb)
            stated = frozenset(one.sentence_id for one in index.cite(row["relation_id"]))
            yield f"What {verb} {tail}?", partial(_states, stated)


def _is_askable(name: str) -> bool:
    return not is_code(name) and len(name) > _SHORTEST and len(name.split()) <= _LONGEST


def _asks_singular(verb: str) -> bool:
    """Tell whether a verb may follow "What": "replaces", not "is" or "replace"."""
    return verb.isalpha() and verb.endswith("s") and verb not in ("is", "was", "has", "does")
