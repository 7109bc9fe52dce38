"""Questions made from headings: "Importing customers" becomes "How do I import customers?".

No person writes these questions, so figures on them flatter: they use words of the documents.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.core.ids import content_id
from graphrag_tasks.core.schemas import BLOCK_SEPARATOR
from graphrag_tasks.extract.words import base_of_gerund
from graphrag_tasks.storage.snapshots.store import Snapshot
from graphrag_tasks.workbench.evaluation.gold import Place, gold_at
from graphrag_tasks.workbench.evaluation.questions import Question

_LEGAL = re.compile(r"licen[cs]e|copying|copyright|legal|fdl|gpl\b|changelog|contributors", re.I)
"""Titles and paths of legal texts that ship with documents."""
_NUMBERED = re.compile(r"^(?:(?:chapter|section|part|appendix|step)\s+\S+|[A-Z]?\d*(?:\.\d+)+\.?|\d+\.?)\s+", re.I)
_LEAST_WORDS, _MOST_WORDS = 2, 9  # Words of a heading, without its number.
_LONGEST = 240  # Longest question in characters; nobody would ask a longer one.
_UNPLAIN = re.compile(r"[\n\r\t<>{}|\\`]|https?:|\s{2}|[\x00-\x1f\x7f]|\.\.")
"""What stands in no question: code, line ends, addresses."""
_LEAST_SECTION, _MOST_SECTION = 12, 400  # Words of a section: shorter ones answer nothing, longer ones are too broad.
_MOST_PLACES = 2  # Most sections with the same heading: more are about different things.
_MOST_ANSWER = 300  # Longest answer in characters: whole sentences from the section's start.

_NOT_DONE = frozenset({
    "account", "be", "begin", "bill", "come", "draw", "follow", "get", "go", "have", "include",
    "introduce", "let", "open", "paint", "put", "see", "understand",
})  # fmt: skip
"""Heading verbs that are not instructions, or whose gerund is mostly an adjective."""
_AFTER_VERB = frozenset({"a", "all", "an", "multiple", "new", "several", "the", "your"})
"""Words that mark a preceding gerund as a verb: "Adding a photo"."""
_TELLS = re.compile(r"\b(?:you|your|click|select|choose|use|press|open|enter|run|type|set)\b", re.I)
"""Words of instructions."""
_INTRODUCES = re.compile(r"\b(?:this|the following) (?:section|chapter|part|appendix|page)\b", re.I)
_ASKS = re.compile(r"(?:how|what|why|when|where|who|which|can|do|does|is|are)\b", re.I)
_ENDLESS = re.compile(r"(?:the |an? )?\w+ and|the \w+|up|out|on|off|in|started|more")
"""What of a heading names nothing that is done."""


class _Section(NamedTuple):
    """A section below a heading."""

    place: Place
    heading: str
    text: str


def make_questions(snapshot: Snapshot, number: int = 60, seed: int = 0) -> list[Question]:
    """Make at most `number` questions from a snapshot's headings; the section below is the gold.

    Documents take turns; the seed decides which of their questions come first. With access labels, `snapshot` is what
    `visibility.visible` lets through.
    """
    if number < 1:
        raise ConfigError(f"must be at least 1 (got {number})", "--number", "Ask for 60")
    words = _Words(snapshot)
    found: dict[str, list[_Section]] = defaultdict(list)
    for section in _sections(snapshot):
        question = words.question(section.heading)
        if question and len(question) <= _LONGEST and not _UNPLAIN.search(question):
            found[question].append(section)
    places = {asked: some for asked, some in found.items() if len(some) <= _MOST_PLACES}
    if not places:
        hint = "Index documents with headings that say what to do, or write questions by hand"
        raise ConfigError("no heading makes a question", snapshot.folder.uri, hint)
    turns: Counter[str] = Counter()  # of each document
    turn = {}
    for asked in sorted(places, key=lambda asked: content_id("draw", seed, asked)):
        document = places[asked][0].place.document_id
        turn[asked] = turns[document]
        turns[document] += 1
    drawn = sorted(turn, key=turn.__getitem__)[:number]
    return [_asked(snapshot, asked, places[asked]) for asked in drawn]


def _asked(snapshot: Snapshot, question: str, places: Sequence[_Section]) -> Question:
    gold = gold_at(snapshot, [section.place for section in places])
    return Question(
        id=f"made-{content_id('made', question, gold.path, gold.char_start, gold.char_end)}",
        question=question,
        answer=_first_sentences(places[0].text),
        type="single",
        gold=(gold,),
    )


def _sections(snapshot: Snapshot) -> Iterator[_Section]:
    """Yield the sections that may answer a question, by document, without legal texts."""
    columns = ["document_id", "ordinal", "kind", "text", "char_start", "char_end"]
    blocks: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for block in snapshot.table("blocks", columns).sort_by("ordinal").to_pylist():
        blocks[block["document_id"]].append(block)
    documents = snapshot.table("documents", ["document_id", "uri", "path", "title"])
    for row in documents.sort_by("uri").to_pylist():
        if _LEGAL.search(f"{row['title']} {row['path']}"):
            continue
        heading, below = "", list[Mapping[str, Any]]()
        for block in [*blocks[row["document_id"]], {"kind": "heading", "text": ""}]:
            if block["kind"] not in ("title", "heading"):
                below.append(block)
                continue
            while below and re.match(r"(?:figure|table|example) \d", below[0]["text"], re.I):
                below = below[1:]
            text = BLOCK_SEPARATOR.join(part["text"] for part in below)
            if heading and _tells(below, text):
                ends = below[0]["char_start"], below[-1]["char_end"]
                yield _Section(Place(row["document_id"], *ends, row["uri"]), heading, text)
            heading, below = block["text"], []


def _tells(blocks: Sequence[Mapping[str, Any]], text: str) -> bool:
    """Tell whether a section gives instructions, at a length that answers a question."""
    return (
        _LEAST_SECTION <= len(text.split()) <= _MOST_SECTION
        and blocks[0]["kind"] in ("paragraph", "list_item")
        and not _INTRODUCES.search(blocks[0]["text"])
        and _TELLS.search(text) is not None
    )


class _Words:
    """How a corpus writes its words, so that headings can be reworded."""

    def __init__(self, snapshot: Snapshot) -> None:
        texts = snapshot.table("sentences", ["text"])["text"].to_pylist()
        self._text = "\n".join(" ".join(text.split()) for text in texts).casefold()
        self._counts = Counter(word for text in texts for word in re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", text)[1:])
        self._capitals: Counter[str] = Counter()
        for word, count in self._counts.items():
            self._capitals[word.casefold()] += 0 if word.islower() else count
        lemmas = snapshot.table("frames", ["predicate_lemma"])["predicate_lemma"].to_pylist()
        self._verbs = {lemma.split(" ")[0] for lemma in lemmas}

    def question(self, heading: str) -> str | None:
        """Return the question that a heading answers, if it is an instruction or a question."""
        words = " ".join(_NUMBERED.sub("", heading.strip()).split())
        if words.endswith("?"):
            return words if _ASKS.match(words) and len(words.split()) > _LEAST_WORDS else None
        words = words.rstrip(":. ")
        if not _LEAST_WORDS <= len(words.split()) <= _MOST_WORDS or re.search(r"[,;:()/→]", words):
            return None
        first, _, rest = words.partition(" ")
        if first.lower() in ("how", "to"):
            told = re.fullmatch(r"(?:how )?to (.+)", words, re.I)
            return f"How do I {self._lowered(told[1])}?" if told and " " in told[1] else None
        base = base_of_gerund(first.lower(), self._verbs)
        if base is None or base in _NOT_DONE:
            return None
        rest = re.sub(r" and \w+ing\b.*$", "", self._lowered(rest))
        rest = re.sub(r"\byour\b", "my", rest)
        is_named = not (_ENDLESS.fullmatch(rest) or rest.split(" ")[0].endswith("ing"))
        return f"How do I {base} {rest}?" if is_named and self._is_done(base, rest) else None

    def _is_done(self, verb: str, rest: str) -> bool:
        """Tell whether a gerund is a verb, not an adjective as in "Painting tools"."""
        first = rest.split(" ")[0].lower()
        if first in _AFTER_VERB:
            return True
        noun = re.escape(first.removesuffix("s"))
        before, article = "to|can|you|and|or|will|may", "an?|the|your|any|all|some|new"
        pattern = rf"\b(?:{before}) {re.escape(verb)} (?:(?:{article}) )?{noun}"
        return re.search(pattern, self._text) is not None

    def _lowered(self, words: str) -> str:
        """Return a heading's words in lower case; names and quotations stay."""

        def lower(run: re.Match[str]) -> str:
            parts = re.findall(r"[^\W\d_]+", run[0])
            is_kept = run[0][0] in '"“' or not all(map(self._is_common, parts))
            return run[0] if is_kept else run[0].lower()

        return re.sub(r"[\"“][^\"”]*[\"”]|\b[A-Z]\w*(?:[ -][A-Z]\w*)*", lower, words)

    def _is_common(self, word: str) -> bool:
        """Tell whether the corpus mostly writes a word in lower case."""
        lower = word[:1].lower() + word[1:]
        is_more = self._counts[lower] > self._capitals[word.casefold()]
        return lower == word or (word[1:].islower() and is_more)


def _first_sentences(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= _MOST_ANSWER:
        return line
    ends = [match.end() for match in re.finditer(r"[.!?](?= )", line[:_MOST_ANSWER])]
    return line[: ends[-1]] if ends else line[:_MOST_ANSWER].rsplit(" ", 1)[0]
