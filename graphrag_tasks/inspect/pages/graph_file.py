"""The graph page as a single file with script, style and data, without a server.

Data from documents are JSON that cannot end its HTML element, and escaped text. The policy lets a browser run only our
script and load nothing.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import pyarrow as pa
import pyarrow.compute as pc
from markupsafe import Markup

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.inspect.export import Provenance, Selection, provenance
from graphrag_tasks.inspect.pages.graph import LISTED, as_json, script_text
from graphrag_tasks.inspect.pages.neighbourhood import NEIGHBOURS, NO_TYPE, Neighbourhoods, View
from graphrag_tasks.inspect.pages.rendering import style_text, templates
from graphrag_tasks.retrieval.browse import Browser
from graphrag_tasks.storage.snapshots.store import Snapshot

MOST_ENTITIES_HELD = 5_000
"""Most entities of a file: with their sentences a few megabytes, which a browser reads in a second."""

_TITLES, _ALIASES = 5, 6  # Documents and other names shown for an entity, as on the graph page.

_Columns = dict[str, list[Any]]


class GraphPage(str):
    """An HTML page, which a notebook shows in a frame."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"GraphPage({len(self):,} characters)"

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self)}" width="100%" height="640"></iframe>'


def graph_page(snapshot: Snapshot, selection: Selection) -> GraphPage:
    """Return a part of a snapshot's graph as an HTML page."""
    count = selection.entities.num_rows
    if count > MOST_ENTITIES_HELD:
        what = f"{count:,} entities are more than one page holds ({MOST_ENTITIES_HELD:,})"
        raise ConfigError(what, "--format html", "Choose a part: --entity NAME, --community TITLE")
    sources = provenance(snapshot, selection)
    held = _held(snapshot, selection, sources)
    script, style = script_text(), style_text()
    policy = (
        f"default-src 'none'; script-src 'sha256-{_digest(script)}'; "
        f"style-src 'sha256-{_digest(style)}'; base-uri 'none'; form-action 'none'"
    )
    kinds = sorted(set(held["relations"]["kind"]), key=_rank_of_kind) or ["fact"]
    start = urlencode([("kind", kind) for kind in kinds])
    page = templates().get_template("graph_file.html").render(
        policy=policy, start=start, title=selection.title, snapshot_id=snapshot.snapshot_id,
        count=count, relation_count=selection.relations.num_rows, omitted=selection.omitted,
        document_count=sources.documents.num_rows,
        kinds=kinds, view=View((), frozenset(kinds)), neighbours=NEIGHBOURS, action="",
        first="", documents={"id": [], "title": []}, listed=_listed(held),
        # not escaped as HTML: files of ours, and JSON without the characters that end an element
        held=Markup(as_json(held)), script=Markup(script), style=Markup(style),  # noqa: S704
    )  # fmt: skip
    return GraphPage(page)


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _rank_of_kind(kind: str) -> int:
    return ("fact", "association", "condition").index(kind)


def _held(snapshot: Snapshot, selection: Selection, sources: Provenance) -> dict[str, _Columns]:
    """Return the page's data, each table as columns; see `web/src/enclosed.ts`."""
    relations = selection.relations.sort_by([("weight", "descending"), ("relation_id", "ascending")])
    ids = relations["relation_id"].to_pylist()
    told = Neighbourhoods(Browser(snapshot)).relations(ids)
    document_of = _places(sources.documents, "document_id")
    chunk_documents = {
        chunk: document_of[document]
        for chunk, document in zip(
            *(sources.chunks[name].to_pylist() for name in ("chunk_id", "document_id")), strict=True
        )
    }
    stating: dict[str, set[int]] = defaultdict(set)
    for row in sources.evidence.to_pylist():
        stating[row["relation_id"]].add(chunk_documents[row["chunk_id"]])
    entity_of = _places(selection.entities, "entity_id")
    return {
        "entities": _entities(selection, sources, chunk_documents),
        "relations": {
            "id": ids,
            "head": [entity_of[head] for head in relations["head_id"].to_pylist()],
            "tail": [entity_of[tail] for tail in relations["tail_id"].to_pylist()],
            "phrase": relations["phrase"].to_pylist(),
            "kind": relations["kind"].to_pylist(),
            "stated": list(map(int, relations["support"].to_pylist())),
            "confidence": [round(float(value), 3) for value in relations["confidence"].to_pylist()],
            "weight": [round(float(value), 3) for value in relations["weight"].to_pylist()],
            "documents": [sorted(stating[relation_id]) for relation_id in ids],
        },
        "sentences": told["sentences"],
        "documents": {
            "id": sources.documents["document_id"].to_pylist(),
            "title": sources.documents["title"].to_pylist(),
            "uri": sources.documents["uri"].to_pylist(),
        },
    }


def _places(table: pa.Table, key: str) -> dict[str, int]:
    return {row_id: place for place, row_id in enumerate(table[key].to_pylist())}


def _entities(selection: Selection, sources: Provenance, chunk_documents: Mapping[str, int]) -> _Columns:
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for row in sources.mentions.to_pylist():
        counts[row["entity_id"]][chunk_documents[row["chunk_id"]]] += row["mentions"]
    aliases: dict[str, list[str]] = defaultdict(list)
    for row in sources.aliases.to_pylist():
        aliases[row["entity_id"]].append(row["alias"])
    entities = selection.entities
    rows = list(zip(*(entities[name].to_pylist() for name in ("entity_id", "name")), strict=True))
    return {
        "id": [entity_id for entity_id, _ in rows],
        "name": [name for _, name in rows],
        "type": pc.fill_null(entities["type"], NO_TYPE).to_pylist(),
        "mentions": pc.fill_null(entities["mentions"], 0).to_pylist(),
        "aliases": [[alias for alias in aliases[entity_id] if alias != name][:_ALIASES] for entity_id, name in rows],
        "documents": [_most(counts[entity_id]) for entity_id, _ in rows],
        "of_documents": [len(counts[entity_id]) for entity_id, _ in rows],
    }


def _most(counts: Counter[int]) -> list[int]:
    """Return the documents that mention an entity most."""
    return sorted(counts, key=lambda document: (-counts[document], document))[:_TITLES]


def _listed(held: Mapping[str, _Columns]) -> Sequence[dict[str, Any]]:
    """Return the first relations in words, for browsers without scripts."""
    relations, sentences, names = held["relations"], held["sentences"], held["entities"]["name"]
    first: dict[int, dict[str, Any]] = {}
    uris = dict(zip(held["documents"]["id"], held["documents"]["uri"], strict=True))
    for row, relation in enumerate(sentences["relation"]):
        if relation < LISTED and relation not in first:
            first[relation] = {
                "text": "".join(sentences["texts"][row]), "title": sentences["title"][row],
                "page": sentences["page"][row], "uri": uris[sentences["document"][row]],
            }  # fmt: skip
    return [
        {"head": names[relations["head"][place]], "phrase": relations["phrase"][place],
         "tail": names[relations["tail"][place]], "stated": relations["stated"][place],
         "confidence": relations["confidence"][place], "sentence": first.get(place)}
        for place in range(min(LISTED, len(relations["id"])))
    ]  # fmt: skip
