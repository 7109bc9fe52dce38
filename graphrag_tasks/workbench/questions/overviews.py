"""Global questions: what the graph's communities are about."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from graphrag_tasks.language.names import is_plural
from graphrag_tasks.workbench.questions import wording
from graphrag_tasks.workbench.questions.candidates import GLOBAL, Candidate, Stretch, content_words, is_plain, near
from graphrag_tasks.workbench.questions.clauses import is_everywhere, is_prose
from graphrag_tasks.workbench.questions.corpus import Corpus, Entity, Sentence
from graphrag_tasks.workbench.questions.single import GENERIC_HEADS
from graphrag_tasks.workbench.questions.wording import plural_of

_LEAST_SIZE = 4  # Fewest names of a community: smaller ones are covered by a sentence.
_MOST_CENTRAL = 10  # Names of a community that may represent it, the most central first.
_LEAST_SENTENCES, _MOST_SENTENCES = 2, 4  # Fewest and most gold sentences of an answer; chosen.
_PASSING = re.compile(r"\b(?:not|never|should|shall|itself|was|were|has been|have been|remains?)\b|\$\d|;")
"""Signs of a sentence about an example or a detail."""
_ALIKE = 0.5  # Jaccard similarity from which two sentences say the same.
_COUNTED = re.compile(
    r"(?:one|two|three|single|new|main|last|first|same|each|other|own|various|several|many|most|higher|lower|larger|smaller|usual|"
    r"\d+)\b", re.IGNORECASE
)  # fmt: skip
_QUOTED = re.compile(r"^“(.+)” \([^\n]*\)$", re.MULTILINE)  # A quoted sentence in a summary of `graph.communities`.


def overviews(corpus: Corpus) -> Iterator[Candidate]:
    """Yield "What are the main topics about X?" for communities, X being a central name.

    Gold are sentences about that name, those of the community's summary first.
    """
    central = _central(corpus)
    mentioned: dict[str, dict[str, None]] = defaultdict(dict)
    for row in corpus.rows("mentions", ["entity_id", "sentence_id"]):
        mentioned[row["entity_id"]][row["sentence_id"]] = None
    seen: set[str] = set()
    chunks = len({sentence.chunk_id for sentence in corpus.sentences.values()})
    columns = ["community_id", "level", "summary", "size"]
    rows = corpus.rows("communities", columns)
    for row in sorted(rows, key=lambda one: (one["level"], -one["size"], one["community_id"])):
        if row["size"] < _LEAST_SIZE:
            continue
        quoted = {" ".join(one.split()) for one in _QUOTED.findall(row["summary"])}
        for entity_id in central.get(row["community_id"], ())[:_MOST_CENTRAL]:
            entity = corpus.entities.get(entity_id)
            if entity is None or entity_id in seen or not _is_topic(entity):
                continue
            if is_everywhere(entity, chunks):
                continue
            told = _about(corpus, entity.name, list(mentioned[entity_id]), quoted)
            if len(told) >= _LEAST_SENTENCES:
                seen.add(entity_id)
                yield _candidate(corpus, entity.name, told)
                break


def _central(corpus: Corpus) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for row in corpus.rows("members", ["community_id", "entity_id", "centrality"]):
        found[row["community_id"]].append((-row["centrality"], row["entity_id"]))
    return {key: [entity for _, entity in sorted(some)] for key, some in found.items()}


def _is_topic(entity: Entity) -> bool:
    name = entity.name
    head = name.rpartition(" ")[2].lower()
    return (
        (entity.is_named or entity.is_term or " " in name)
        and (" " in name or name[:1].isupper()) and head not in GENERIC_HEADS
        and is_plain(name) and re.search(r"[^\W\d_]{3}", name) is not None
        and _COUNTED.match(name) is None and not wording.points_elsewhere(name)
        and len(name) <= 50 and ":" not in name
    )  # fmt: skip


def _about(corpus: Corpus, name: str, mentioned: Sequence[str], quoted: set[str]) -> list[Sentence]:
    """Return sentences about a name, at most one per chunk; quoted ones come first."""
    found: dict[str, tuple[tuple[bool, int], Sentence]] = {}
    for place, sentence_id in enumerate(mentioned):
        sentence = corpus.sentences.get(sentence_id)
        if sentence is None or not _tells(corpus, sentence) or not _begins_with(name, sentence.text):
            continue
        rank = (" ".join(sentence.text.split()) not in quoted, place)
        if sentence.chunk_id not in found or rank < found[sentence.chunk_id][0]:
            found[sentence.chunk_id] = rank, sentence
    told: list[Sentence] = []
    words: list[frozenset[str]] = []
    for _, sentence in sorted(found.values(), key=lambda one: one[0]):
        if not near(content_words(sentence.text), words, _ALIKE):
            told.append(sentence)
            words.append(content_words(sentence.text))
    return told[:_MOST_SENTENCES]


def _tells(corpus: Corpus, sentence: Sentence) -> bool:
    """Tell whether a sentence states something by itself."""
    text = sentence.text
    is_read = sentence.has_verb and is_prose(text) and not corpus.is_passed_over(sentence)
    return is_read and not (_PASSING.search(text) or wording.points_elsewhere(wording.core(text)))


def _candidate(corpus: Corpus, name: str, told: Sequence[Sentence]) -> Candidate:
    gold = tuple((Stretch(sentence.document_id, sentence.char_start, sentence.char_end),) for sentence in told)
    answer = " ".join(" ".join(sentence.text.split()) for sentence in told)
    question = f"What are the main topics about {_shown(corpus, name)} in the documents?"
    return Candidate(GLOBAL, question, answer, gold, "community", f"topic {name}", answer)


def _begins_with(name: str, text: str) -> bool:
    """Tell whether a sentence begins with a name, and so is about it."""
    pattern = rf"(?:(?:the|an?|each|every|most|all) )?{re.escape(name)}(?:s|es)?(?!\w)"
    found = re.match(pattern, text, re.IGNORECASE)
    return found is not None and (not name[:1].isupper() or name in found[0])


def _shown(corpus: Corpus, name: str) -> str:
    """Return a name as a topic: common nouns in the plural, if the corpus has it."""
    if name != name.lower() or is_plural(name):
        return name
    plural = plural_of(name)
    return plural if re.search(rf"\b{re.escape(plural)}\b", corpus.text) else name
