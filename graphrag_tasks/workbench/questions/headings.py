"""Questions from headings: "Importing customers" becomes "How do I import customers?"."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graphrag_tasks.core.schemas import BLOCK_SEPARATOR
from graphrag_tasks.extract.inflection import base_of_gerund
from graphrag_tasks.workbench.questions.candidates import LONGEST_QUESTION, SINGLE, Candidate, Stretch, is_plain
from graphrag_tasks.workbench.questions.corpus import Corpus
from graphrag_tasks.workbench.questions.words import words

_NUMBERED = re.compile(r"^(?:(?:chapter|section|part|appendix|step)\s+\S+|[A-Z]?\d*(?:\.\d+)+\.?|\d+\.?)\s+", re.I)
_LEAST_WORDS, _MOST_WORDS = 2, 9  # Words of a heading, without its number.
_LEAST_SECTION, _MOST_SECTION = 12, 400  # Words of a section: shorter ones answer nothing, longer ones are too broad.
_MOST_PLACES = 2  # Most sections with the same heading: more are about different things.
_MOST_ANSWER = 300  # Longest answer in characters: whole sentences from the section's start.
_NOT_DONE = words("not_done")  # Heading verbs that are not instructions, or whose gerund is mostly an adjective.
_AFTER_VERB = words("after_verb")  # Words that mark a preceding gerund as a verb: "Adding a photo".
_TELLS = re.compile(r"\b(?:you|your|click|select|choose|use|press|open|enter|run|type|set)\b", re.I)
"""Words of instructions."""
_INTRODUCES = re.compile(r"\b(?:this|the following) (?:section|chapter|part|appendix|page)\b", re.I)


def asked_by_headings(corpus: Corpus) -> Iterator[Candidate]:
    """Yield a question for each suitable heading, with its section as gold."""
    rows = corpus.rows("frames", ["predicate_lemma"])
    verbs = {str(row["predicate_lemma"]).split(" ")[0] for row in rows}
    found: dict[str, list[tuple[Stretch, str]]] = defaultdict(list)
    for heading, section, text in _sections(corpus):
        question = _question(heading, corpus, verbs)
        if question is not None and is_plain(question):
            found[question].append((section, text))
    for question, places in found.items():
        if len(places) <= _MOST_PLACES:
            answer = _first_sentences(places[0][1])
            yield Candidate(SINGLE, question, answer, (tuple(stretch for stretch, _ in places),),
                            "heading", question.casefold(), answer)  # fmt: skip


def _sections(corpus: Corpus) -> Iterator[tuple[str, Stretch, str]]:
    columns = ["document_id", "ordinal", "kind", "text", "char_start", "char_end"]
    blocks: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for block in corpus.rows("blocks", columns):
        blocks[block["document_id"]].append(block)
    for document in sorted(blocks, key=lambda one: corpus.uris.get(one, "")):
        if document not in corpus.uris or corpus.is_legal(document):
            continue
        heading, below = "", list[Mapping[str, Any]]()
        for row in sorted(blocks[document], key=lambda row: int(row["ordinal"])):
            if row["kind"] not in ("title", "heading"):
                below.append(row)
                continue
            yield from _section(document, heading, below)
            heading, below = row["text"], []
        yield from _section(document, heading, below)


def _section(document: str, heading: str, below: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Stretch, str]]:
    while below and re.match(r"(?:figure|table|example) \d", below[0]["text"], re.I):
        below = below[1:]
    words = sum(len(row["text"].split()) for row in below)
    if not 0 < len(heading) <= LONGEST_QUESTION or not _LEAST_SECTION <= words <= _MOST_SECTION:
        return
    if below[0]["kind"] not in ("paragraph", "list_item") or _INTRODUCES.search(below[0]["text"]):
        return
    text = BLOCK_SEPARATOR.join(row["text"] for row in below)
    if not _TELLS.search(text):
        return
    yield heading, Stretch(document, below[0]["char_start"], below[-1]["char_end"]), text


def _question(heading: str, corpus: Corpus, verbs: set[str]) -> str | None:
    words = " ".join(_NUMBERED.sub("", heading.strip()).split())
    if words.endswith("?"):
        is_whole = re.match(r"(?:how|what|why|when|where|who|which|can|do|does|is|are)\b", words, re.I)
        return words if is_whole and len(words.split()) > _LEAST_WORDS else None
    words = words.rstrip(":. ")
    if not _LEAST_WORDS <= len(words.split()) <= _MOST_WORDS or re.search(r"[,;:()/→]", words):
        return None
    first, _, rest = words.partition(" ")
    if first.lower() in ("how", "to"):
        told = re.fullmatch(r"(?:how )?to (.+)", words, re.I)
        return f"How do I {corpus.lowered(told[1])}?" if told and " " in told[1] else None
    base = base_of_gerund(first.lower(), verbs)
    if base is None or base in _NOT_DONE:
        return None
    rest = re.sub(r" and \w+ing\b.*$", "", corpus.lowered(rest))
    rest = re.sub(r"\byour\b", "my", rest)
    if re.fullmatch(r"(?:the |an? )?\w+ and|the \w+|up|out|on|off|in|started|more", rest):
        return None
    if rest.split(" ")[0].endswith("ing") or not _is_done(corpus, base, rest):
        return None
    return f"How do I {base} {rest}?"


def _is_done(corpus: Corpus, verb: str, rest: str) -> bool:
    """Tell whether a gerund is a verb, not an adjective as in "Painting tools"."""
    first = rest.split(" ")[0].lower()
    if first in _AFTER_VERB:
        return True
    noun = re.escape(first.removesuffix("s"))
    before, article = "to|can|you|and|or|will|may", "an?|the|your|any|all|some|new"
    pattern = rf"\b(?:{before}) {re.escape(verb)} (?:(?:{article}) )?{noun}"
    return re.search(pattern, corpus.text) is not None


def _first_sentences(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= _MOST_ANSWER:
        return line
    ends = [match.end() for match in re.finditer(r"[.!?](?= )", line[:_MOST_ANSWER])]
    return line[: ends[-1]] if ends else line[:_MOST_ANSWER].rsplit(" ", 1)[0]
