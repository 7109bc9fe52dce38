"""Questions about a whole part of the corpus: what its communities of names are about."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from graphrag_tasks.evaluate.made import wording
from graphrag_tasks.evaluate.made.candidates import GLOBAL, Candidate, Stretch, is_plain
from graphrag_tasks.evaluate.made.clauses import is_prose
from graphrag_tasks.evaluate.made.corpus import Corpus, Sentence

_LEAST_SIZE = 5
"""Names of a community: what fewer are about is told by a sentence."""
_LEAST_SENTENCES = 2
_QUOTED = re.compile(r"^“(.+)” \([^\n]*\)$", re.MULTILINE)
"""A sentence of a summary, as `graph.communities` quotes it."""


def overviews(corpus: Corpus) -> Iterator[Candidate]:
    """Yield "What are the main topics about X?" for communities, by their most central name."""
    central: dict[str, tuple[float, str]] = {}
    for row in corpus.rows("members", ["community_id", "entity_id", "centrality"]):
        best = central.get(row["community_id"])
        if best is None or (-row["centrality"], row["entity_id"]) < (-best[0], best[1]):
            central[row["community_id"]] = (row["centrality"], row["entity_id"])
    by_text: dict[str, list[Sentence]] = defaultdict(list)
    for one in corpus.sentences.values():
        by_text[" ".join(one.text.split())].append(one)
    seen: set[str] = set()
    columns = ["community_id", "level", "title", "summary", "size"]
    rows = sorted(corpus.rows("communities", columns), key=lambda one: (one["level"], -one["size"], one["community_id"]))
    for row in rows:
        _, entity_id = central.get(row["community_id"], (0.0, ""))
        entity = corpus.entities.get(entity_id)
        if row["size"] < _LEAST_SIZE or entity is None or entity_id in seen:
            continue
        name = entity.name
        known = entity.is_named or (entity.is_term and (" " in name or name[:1].isupper()))
        if not known or not is_plain(name) or len(name) < 3:
            continue
        if wording.points_elsewhere(name) or not re.search(r"[^\W\d_]{3}", name):
            continue
        quoted = [by_text.get(" ".join(one.split()), []) for one in _QUOTED.findall(row["summary"])]
        held = [some for some in quoted if some and _names(name, some[0].text)]
        held = [some for some in held if is_prose(some[0].text)
                and not corpus.is_passed_over(some[0])]  # fmt: skip
        if len(held) < _LEAST_SENTENCES or len({some[0].chunk_id for some in held}) < _LEAST_SENTENCES:
            continue
        seen.add(entity_id)
        gold = tuple(
            tuple(Stretch(one.document_id, one.char_start, one.char_end) for one in some)
            for some in held
        )
        answer = " ".join(" ".join(some[0].text.split()) for some in held)
        yield Candidate(GLOBAL, f"What are the main topics about {name}?", answer, gold,
                        "community", name.casefold(), answer)  # fmt: skip


def _names(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None
