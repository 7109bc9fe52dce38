"""The result of a search, and explanations of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, cast, overload

from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.language.bm25.index import is_code_name, terms
from graphrag_tasks.retrieval.context.further import FURTHER, CommunityHit, FurtherHit, ListedHit, PathHit
from graphrag_tasks.retrieval.context.hits import FIRST_STAGE, ChunkHit, EntityHit, RelationHit
from graphrag_tasks.retrieval.context.render import (
    CHARACTERS_A_TOKEN,
    as_frame,
    as_html,
    as_networkx,
    as_prompt,
    as_text,
)
from graphrag_tasks.retrieval.question.router import Route, part_name, question_parts

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd


_FRAME = frozenset(
    terms(
        "much many long often old far big large small high soon late early new happen occur come"
        " go get take make belong mean mention name call list tell explain describe show give find"
        " know want need say state document file page section text article kind type sort thing"
        " way please anyone anybody someone somebody anything something everything example detail"
        " overview summary summarize summarise"
    )
)
"""Words of a question's frame, which say what is asked and name nothing that could be missing: quantities, light
verbs, and what documents and answers are called. Chosen by reading."""

_FUNCTION_WORDS = frozenset(
    terms(
        "about above across after against along among around before behind below beside between beyond during every"
        " except first last next now off out over per since through today two three four five six seven eight nine ten"
        " toward under until up within without"
    )
)
"""Prepositions, numbers and places in an order, which are missing nowhere."""

_SIGN_INSIDE = re.compile(r"\w[./_-]\w")


@dataclass(frozen=True, kw_only=True)
class Signals:
    """Evidence whether a question has an answer here.

    Attributes:
        unknown: Content words and names of the question that no document contains, as written.
        unknown_names: Those written as names: with a capital, a digit or punctuation inside.
    """

    unknown: tuple[str, ...] = ()
    unknown_names: tuple[str, ...] = ()


def content_words(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words with content: no frame words of questions such as "much", no function words such as "after"."""
    return tuple(word for word in words if not (_FRAME | _FUNCTION_WORDS).issuperset(terms(word)))


def is_content(term: str) -> bool:
    """Tell whether a term is a content word."""
    return term not in _FRAME


def written_as_names(question: str, words: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a question that are written as names, except its first word."""
    return tuple(
        word
        for word in words
        if is_code_name(word)
        or _SIGN_INSIDE.search(word)
        or (word[0].isupper() and not question.lstrip().startswith(word))
    )


Hits = tuple[ChunkHit, ...] | tuple[RelationHit, ...] | tuple[EntityHit, ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class Context:
    """The context of an answer, with the keys of the paper's Algorithm 2; a loop takes its chunks.

    `context["chunks"]`, `context["relations"]` and `context["entity"]` are the attributes `chunks`, `relations` and
    `entities`.

    Attributes:
        chunks: At most k chunks, best first.
        relations: At most 2k relations, best first.
        entities: The seeds: named by the question first, then the nearest.
        further: Other hits, by the names of `FURTHER`.
        route: Why the router chose the mode; None if the caller chose it.
        notes: Why something is missing; empty if nothing is.
        limits: Notes on parts of the question or of k that were cut off; also in `notes`.
        read: Score of every reranked chunk, by id, in first-stage order.
        signals: Evidence whether the question has an answer here.
    """

    question: str
    mode: str
    k: int
    snapshot_id: str
    chunks: tuple[ChunkHit, ...]
    relations: tuple[RelationHit, ...]
    entities: tuple[EntityHit, ...]
    further: Mapping[str, tuple[FurtherHit, ...]] = field(default_factory=dict)
    route: Route | None = None
    notes: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    read: Mapping[str, float] = field(default_factory=dict)
    signals: Signals = field(default_factory=Signals)

    @property
    def paths(self) -> tuple[PathHit, ...]:
        """Paths between entities, or chains from one, in mode `path`."""
        return cast("tuple[PathHit, ...]", self.further.get("paths", ()))

    @property
    def listed(self) -> tuple[ListedHit, ...]:
        """All entities that a listing question asks for, in mode `list`; `len` counts them."""
        return cast("tuple[ListedHit, ...]", self.further.get("listed", ()))

    @property
    def communities(self) -> tuple[CommunityHit, ...]:
        """Communities, best first, in mode `global`: at most k, all read ones in answers."""
        return cast("tuple[CommunityHit, ...]", self.further.get("communities", ()))

    @overload
    def __getitem__(self, key: int) -> ChunkHit: ...
    @overload
    def __getitem__(self, key: str) -> Hits: ...
    def __getitem__(self, key: str | int) -> Hits | ChunkHit:
        return self.chunks[key] if isinstance(key, int) else self._lists[key]

    def __iter__(self) -> Iterator[ChunkHit]:
        return iter(self.chunks)

    def __len__(self) -> int:
        return len(self.chunks)

    def to_prompt(self, budget_characters: int | None = None, *, budget_tokens: int | None = None) -> str:
        """Return the items as text for a language model, with numbered citations.

        Every item is `[n]` with its document's title and page: chunks from 1, then relations, paths, listed entities
        and communities. The number is `citation` in `to_frame` and independent of the budget. See `prompt.as_prompt`. A
        budget is the longest text, in characters or in tokens of four characters.

        Raises:
            QueryError: A budget is negative, or both are given.
        """
        if budget_tokens is not None:
            if budget_characters is not None:
                raise QueryError("give budget_characters or budget_tokens, not both")
            budget_characters = budget_tokens * CHARACTERS_A_TOKEN
        return as_prompt(self, budget_characters)

    def numbers(self, name: str) -> range:
        """Return the citation numbers of a kind of hits; `name` is one of `FURTHER`."""
        first = len(self.chunks) + len(self.relations) + 1
        for other in FURTHER:
            count = len(self.further.get(other, ()))
            if other == name:
                return range(first, first + count)
            first += count
        raise KeyError(name)

    def to_networkx(self) -> nx.MultiDiGraph:
        """Return the entities, relations and chunks found as a graph.

        Nodes have `kind` (entity or chunk) and `label`; edges have `kind` (relation or evidence) and, between entities,
        `relation`, `phrase`, `negated` and `score`.
        """
        return as_networkx(self)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per item; the column `kind` names its list."""
        return as_frame(self)

    to_pandas = to_frame

    def to_dict(self) -> dict[str, Any]:
        """Return the context as JSON values."""
        return {
            "question": self.question,
            "mode": self.mode,
            "k": self.k,
            "snapshot_id": self.snapshot_id,
            "route": asdict(self.route, dict_factory=_plain) if self.route else None,
            "notes": list(self.notes),
            "read": dict(self.read),
            "signals": asdict(self.signals, dict_factory=_plain),
            **{name: _plain_hits(hits) for name, hits in self._lists.items()},
            **{name: _plain_hits(self.further.get(name, ())) for name in FURTHER},
        }

    def __repr__(self) -> str:
        found = f"{len(self.chunks)} chunks, {len(self.relations)} relations"
        return f"Context({self.question!r}, mode {self.mode}, {found})"

    def __str__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)

    @property
    def _lists(self) -> dict[str, Hits]:
        return {"chunks": self.chunks, "relations": self.relations, "entity": self.entities}


def _plain_hits(hits: Iterable[Any]) -> list[dict[str, Any]]:
    return [asdict(hit, dict_factory=_plain) for hit in hits]


def _plain(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields}


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """Why a search returns a chunk, or not.

    Attributes:
        route: Why the router chose the mode; None if the caller chose it.
        chunk: The chunk; None if the mode cannot return it (`bm25`, without a shared word).
        place: Its place from 1; None below `places`.
        words: Terms shared with its text, title or headings, with BM25 scores, highest first.
        relations: Its statements, nearest to the question first.
    """

    question: str
    mode: str
    route: Route | None
    chunk: ChunkHit | None
    place: int | None
    places: int
    words: Mapping[str, float]
    names: tuple[str, ...]
    relations: tuple[RelationHit, ...]

    def __str__(self) -> str:
        lines = [f"{self.question} (mode {self.mode})"]
        if self.route:
            lines.append(f"routed as {self.route.kind}: {'; '.join(self.route.reasons)}")
        at = f"place {self.place}" if self.place else f"below the first {self.places} places"
        if self.chunk is None:
            return "\n".join([*lines, f"{at}: this mode does not return it"])
        lists = ", ".join(f"{name} {rank}" for name, rank in self.chunk.ranks.items())
        lines += [f"{self.chunk.title}: {at}", f"place in each list: {lists}"]
        parts = enumerate(question_parts(self.question), 1)
        lines += [f"{name}: {part}" for n, part in parts if (name := part_name(n)) in self.chunk.ranks]
        if self.chunk.similarity is not None:
            lines.append(f"cosine with the question: {self.chunk.similarity:.3f}")
        by = "the reranker" if FIRST_STAGE in self.chunk.ranks else "cosine and words"
        lines.append(f"answers the question, by {by}: {self.chunk.score:.0%}")
        shared = ", ".join(f"{term} {score:.1f}" for term, score in self.words.items())
        lines.append(f"words that both hold, with their BM25: {shared or 'none'}")
        lines.append(f"names that both hold: {', '.join(self.names) or 'none'}")
        if self.chunk.path:
            lines.append(f"led to by: {' → '.join(self.chunk.path)}")
        lines += [f"states ({relation.score:.2f}): {relation.text}" for relation in self.relations]
        return "\n".join(lines)
