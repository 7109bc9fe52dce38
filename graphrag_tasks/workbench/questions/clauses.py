"""Clauses for questions: subject, verb, and predicate."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphrag_tasks.extract.frames import PRONOUN
from graphrag_tasks.workbench.questions import wording
from graphrag_tasks.workbench.questions.candidates import LONGEST_NAME, Stretch, content_words
from graphrag_tasks.workbench.questions.corpus import Corpus, Entity, Fact, Sentence
from graphrag_tasks.workbench.questions.words import words

LEAST_CONFIDENCE = 0.6  # Least confidence of a relation; the extractor gives less to doubtful ones.
_LEAST_WORDS, _MOST_WORDS = 6, 40  # Words of a sentence: shorter ones lack context, longer ones are parsed worse.
_MOST_CHARACTERS = 400  # Longest sentence in characters.
_MOST_SUBJECT, _MOST_REST = 7, 24  # Most words of a subject, and of its predicate.
_COMMON_SHARE = 0.1  # Share of the passages from which a name is too common for a question.
_SAME_WORDS = 0.6  # Share of a fact's words in another sentence from which that states the same of something else.
_FEW = 20  # In a smaller corpus no name is too common.

_RULES = frozenset({"svo", "passive", "copula", "verb_prep"})
_FURTHER_CLAUSE = re.compile(r",\s+(?:and|but|or|so|while)\s+$")
_FURTHER_VERB = re.compile(r"(?:,|\b(?:and|or|but|then))\s+$")
ARTICLES = re.compile(r"(?:the|an?)\s+", re.IGNORECASE)
_VAGUE = words("vague_first_words")  # First words of subjects that name nothing.


@dataclass(frozen=True)
class Clause:
    """The main clause of a sentence that begins with its subject.

    Attributes:
        subject: As inside a sentence, with its article.
        name: The subject without its article, as written.
        head: The subject's last noun.
        entity: The node of the subject.
        verbs: From the subject to the end of the predicate: "can be", "also lists".
        rest: The text after the subject, without loose parts.
        arguments: Arguments of the frame, without the subject.
    """

    sentence: Sentence
    subject: str
    name: str
    head: str
    entity: Entity
    verbs: str
    lemma: str
    rule: str
    passive: bool
    rest: str
    arguments: tuple[Mapping[str, Any], ...]
    facts: tuple[Fact, ...]

    @property
    def stretch(self) -> Stretch:
        """The span of its sentence."""
        one = self.sentence
        return Stretch(one.document_id, one.char_start, one.char_end)

    @property
    def kind(self) -> str | None:
        """The kind of the subject, in a word: its head noun, or else its type."""
        if self.head.islower() and self.head.isalpha() and " " in self.name:
            return self.head
        one = self.entity
        if one.type and one.type_source in ("key", "list", "kind"):
            kind = one.type.lower().replace("_", " ")
            return kind if kind.replace(" ", "").isalpha() else None
        return None


class Clauses:
    """The clauses of a corpus that can become questions, and related facts."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._chunks = len({sentence.chunk_id for sentence in corpus.sentences.values()})
        self._heads: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._tails: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._sentences: dict[str, dict[str, None]] = defaultdict(dict)
        self._stated: dict[tuple[str, str, str], dict[str, None]] = defaultdict(dict)
        frames = list(corpus.frames())
        for frame in frames:
            for fact in corpus.facts.get(frame["frame_id"], ()):
                self._heads[fact.relation, fact.tail_id].add(fact.head_id)
                self._tails[fact.head_id, fact.relation].add(fact.tail_id)
                self._sentences[fact.relation_id][frame["sentence_id"]] = None
                stated = self._stated[fact.head_id, fact.relation, fact.tail_id]
                stated[frame["sentence_id"]] = None
        starts: dict[str, list[int]] = defaultdict(list)
        for frame in frames:
            start = self._goes_on_at(frame)
            if start is not None:
                starts[frame["sentence_id"]].append(start)
        self.found: list[Clause] = [clause for frame in frames if (clause := self._clause(frame, starts)) is not None]

    def is_common(self, entity: Entity) -> bool:
        """Tell whether too many passages mention an entity for a question about it."""
        return is_everywhere(entity, self._chunks)

    def has_other_heads(self, clause: Clause) -> bool:
        """Tell whether another subject shares one of a clause's facts in nearly the same words."""
        told = content_words(clause.rest)
        for fact in clause.facts:
            for other in self._heads[fact.relation, fact.tail_id]:
                if other == fact.head_id:
                    continue
                for sentence in self._stated[other, fact.relation, fact.tail_id]:
                    words = content_words(self.corpus.sentences[sentence].text)
                    if len(told & words) >= _SAME_WORDS * len(told):
                        return True
        return False

    def has_other_tails(self, clause: Clause) -> bool:
        """Tell whether the graph has further tails for a clause's relation."""
        here = {fact.tail_id for fact in clause.facts}
        return any(self._tails[fact.head_id, fact.relation] - here for fact in clause.facts)

    def also_said(self, clause: Clause) -> tuple[Stretch, ...]:
        """Return the spans of the clause's sentence, and of others that state all of its facts."""
        facts = clause.facts
        others = [self._sentences[fact.relation_id] for fact in facts]
        shared = [other for other in others[0] if all(other in some for some in others)] if others else []
        found = [clause.stretch]
        for one in shared:
            sentence = self.corpus.sentences[one]
            if sentence.sentence_id != clause.sentence.sentence_id:
                found.append(Stretch(sentence.document_id, sentence.char_start, sentence.char_end))
        return tuple(found)

    def _goes_on_at(self, frame: Mapping[str, Any]) -> int | None:
        """Return where another finite verb or clause begins after "and"; None for other frames."""
        text = self.corpus.sentences[frame["sentence_id"]].text
        first = (frame["arguments"] or [None])[0]
        if frame["rule"] in _RULES and first and first["role"] == "subject":
            start = int(first["start"])
            return start if _FURTHER_CLAUSE.search(text[:start]) else None
        if frame["rule"] != "inherited":
            return None
        verb, lemma = frame["predicate"].split(" ")[0], frame["predicate_lemma"].split(" ")[0]
        before = text[: frame["end"]].rfind(verb)
        is_joined = before > 0 and _FURTHER_VERB.search(text[:before])
        return before if is_joined and verb != lemma else None

    def _clause(self, frame: Mapping[str, Any], starts: Mapping[str, list[int]]) -> Clause | None:
        sentence = self.corpus.sentences[frame["sentence_id"]]
        text = sentence.text
        subject = _subject(frame, text)
        if subject is None or self.corpus.is_passed_over(sentence):
            return None
        end = subject["end"]
        facts = tuple(dict.fromkeys(
            one for one in self.corpus.facts.get(frame["frame_id"], ())
            if one.confidence >= LEAST_CONFIDENCE and one.head_start < end
        ))  # fmt: skip
        if len({fact.head_id for fact in facts}) != 1:
            return None
        entity = self.corpus.entities.get(facts[0].head_id)
        surface = text[:end]
        name = ARTICLES.sub("", surface, count=1) if ARTICLES.match(surface) else surface
        if entity is None or not _is_name(name):
            return None
        verbs = " ".join(text[end : int(frame["end"])].split())
        rest = self._rest(frame, text, end, starts.get(sentence.sentence_id, ()))
        if "also" in verbs.split():
            rest, verbs = (re.sub(r"\balso ", "", one, count=1) for one in (rest, verbs))
        if not 0 < len(rest.split()) <= _MOST_REST or not wording.is_balanced(rest):
            return None
        if not rest.startswith(verbs) or wording.points_elsewhere(surface):
            return None
        return Clause(
            sentence=sentence, subject=self.corpus.decapitalised(surface), name=name,
            head=text[subject["head_start"] : subject["head_end"]], entity=entity,
            verbs=verbs, lemma=frame["predicate_lemma"], rule=frame["rule"],
            passive=frame["passive"], rest=rest,
            arguments=tuple(one for one in frame["arguments"] if one["role"] != "subject"),
            facts=facts,
        )  # fmt: skip

    @staticmethod
    def _rest(frame: Mapping[str, Any], text: str, end: int, starts: Sequence[int]) -> str:
        """Return the predicate of a subject, up to its next verb."""
        stop = min((start for start in starts if start > frame["end"]), default=len(text))
        told = text[end:stop]
        if stop < len(text):
            told = re.sub(r"[\s,]+(?:and|or|but|so|while|then|and then)?\s*$", "", told)
        return wording.core(told.strip())


def _subject(frame: Mapping[str, Any], text: str) -> Mapping[str, Any] | None:
    """Return the only subject of a main clause, if the sentence begins with it."""
    if frame["rule"] not in _RULES or frame["negated"] or not is_prose(text):
        return None
    subjects = [one for one in frame["arguments"] if one["role"] == "subject"]
    if len(subjects) != 1:
        return None
    one: Mapping[str, Any] = subjects[0]
    end = int(one["end"])
    is_whole = one["start"] == 0 and text[:end] == one["text"] and text[end : end + 1].isspace()
    if not is_whole or one["entity_type"] == PRONOUN or not _joins(text[end : frame["start"]]):
        return None
    return one


def _is_name(name: str) -> bool:
    parts = name.split()
    return (
        0 < len(parts) <= _MOST_SUBJECT
        and len(name) <= LONGEST_NAME
        and parts[0].lower() not in _VAGUE
        and "you" not in name.lower()
        and re.search(r"[,;:()→]|\band\b|\bor\b", name) is None
    )


def is_everywhere(entity: Entity, chunks: int) -> bool:
    """Tell whether a large share of passages mentions an entity."""
    return chunks >= _FEW and entity.chunks > _COMMON_SHARE * chunks


def is_prose(text: str) -> bool:
    """Tell whether a text is a sentence that rules can turn into a question."""
    words = text.split()
    return (
        _LEAST_WORDS <= len(words) <= _MOST_WORDS
        and text.endswith(".")
        and text[:1].isupper()
        and " | " not in text
        and sum(map(str.isupper, words)) <= len(words) / 3
        and len(text) <= _MOST_CHARACTERS
    )


def _joins(between: str) -> bool:
    return all(
        word in wording.AUXILIARIES or word in ("be", "been", "being")
        or (word.endswith("ly") and word != "only")
        or word in ("usually", "often", "always", "normally", "also")
        for word in between.split()
    )  # fmt: skip
