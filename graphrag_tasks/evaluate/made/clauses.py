"""Single questions from sentences that state a fact: its subject or its object is asked for."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from graphrag_tasks.evaluate.made import wording
from graphrag_tasks.evaluate.made.candidates import (
    LISTING,
    LONGEST_NAME,
    SINGLE,
    Candidate,
    Stretch,
    Type,
    content_words,
    is_plain,
    is_said,
)
from graphrag_tasks.evaluate.made.corpus import WORD, Corpus, Entity, Fact, Sentence

LEAST_CONFIDENCE = 0.6
"""Of a relation; the extractor gives less to what it is not sure of."""
_LEAST_WORDS, _MOST_WORDS = 6, 40
"""Of a sentence: shorter ones lack context, longer ones are parsed worse."""
_MOST_SUBJECT, _MOST_REST, _MOST_ANSWER = 7, 24, 26
"""Words of a subject, of what is told of it, and of an answer."""
LEAST_ITEMS = 3
"""Of a list: two things are told in a sentence without being one."""
_COMMON_SHARE = 0.1
"""Share of the passages from which on a name is too common to be asked for, or about in general."""
_SAME_WORDS = 0.6
"""Share of a fact's words that another sentence has when it tells the same of something else."""
_FEW = 20
"""In a corpus of fewer passages no name is too common."""

_RULES = frozenset({"svo", "passive", "copula", "verb_prep"})
_ARTICLES = re.compile(r"(?:the|an?)\s+", re.IGNORECASE)
_VAGUE = frozenset(
    "this these those each every all some most many several no any other another such both what "
    "who which its their his her our your my one two three at in on by for with from if when "
    "after before while as to only even not there here step tip note warning first second next "
    "last same default certain various different following much more less few little part".split()
)
"""First words of subjects that name nothing."""
_GENERIC = frozenset(
    "user users system person people thing things way ways example examples option options "
    "result results number value values item items case part type kind set list name text "
    "page document section chapter image step reason idea problem method field function "
    "purpose advantage difference amount information data file menu button window box".split()
)
"""Heads that name nothing by themselves."""


@dataclass(frozen=True)
class Clause:
    """The main clause of a sentence that begins with its subject.

    Attributes:
        subject: As it stands inside of a sentence, with its article.
        name: The subject without its article, as written.
        head: The subject's last noun.
        entity: The node of the subject.
        verbs: From the subject to the end of the predicate: "can be", "also lists".
        rest: What follows the subject, without loose parts.
        arguments: Of the frame, without the subject.
    """

    sentence: Sentence
    frame_id: str
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
        """Where its sentence stands."""
        one = self.sentence
        return Stretch(one.document_id, one.char_start, one.char_end)

    @property
    def kind(self) -> str | None:
        """What kind of thing the subject is, in a word: its head noun, or else its type."""
        if self.head.islower() and self.head.isalpha() and " " in self.name:
            return self.head
        one = self.entity
        if one.type and one.type_source in ("head", "is_a", "key", "list", "kind", "column"):
            kind = one.type.lower().replace("_", " ")
            return kind if kind.replace(" ", "").isalpha() else None
        return None


class Clauses:
    """The clauses of a corpus that questions can be made from, and what the graph says of them."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._chunks = len({one.chunk_id for one in corpus.sentences.values()})
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
        self.found: list[Clause] = [
            clause for frame in frames if (clause := self._clause(frame, starts)) is not None
        ]

    def is_common(self, entity: Entity) -> bool:
        """Tell whether so many passages mention an entity that asking for it asks for nothing."""
        return is_everywhere(entity, self._chunks)

    def has_other_heads(self, clause: Clause) -> bool:
        """Tell whether another head has one of a clause's facts in nearly the same words."""
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
        """Tell whether the graph has a tail beside those of a clause, for its relation."""
        here = {one.tail_id for one in clause.facts}
        return any(self._tails[one.head_id, one.relation] - here for one in clause.facts)

    def also_said(self, clause: Clause) -> tuple[Stretch, ...]:
        """Return the clause's sentence, and others that state all of its facts."""
        facts = clause.facts
        others = [self._sentences[one.relation_id] for one in facts]
        shared = [one for one in others[0] if all(one in some for some in others)] if others else []
        found = [clause.stretch]
        for one in shared:
            sentence = self.corpus.sentences[one]
            if sentence.sentence_id != clause.sentence.sentence_id:
                found.append(Stretch(sentence.document_id, sentence.char_start, sentence.char_end))
        return tuple(found)

    def _goes_on_at(self, frame: Mapping[str, Any]) -> int | None:
        """Return where "and" begins a further finite verb of a subject; None for other frames."""
        if frame["rule"] != "inherited":
            return None
        first, lemma = frame["predicate"].split(" ")[0], frame["predicate_lemma"].split(" ")[0]
        text = self.corpus.sentences[frame["sentence_id"]].text[: frame["end"]]
        before = text.rfind(first)
        joined = re.search(r"(?:,|\b(?:and|or|but|then))\s+$", text[: max(before, 0)])
        return before if joined and first != lemma and before > 0 else None

    def _clause(self, frame: Mapping[str, Any], starts: Mapping[str, list[int]]) -> Clause | None:
        sentence = self.corpus.sentences[frame["sentence_id"]]
        text = sentence.text
        if frame["rule"] not in _RULES or frame["negated"] or not is_prose(text):
            return None
        subjects = [one for one in frame["arguments"] if one["role"] == "subject"]
        if len(subjects) != 1 or self.corpus.is_passed_over(sentence):
            return None
        subject = subjects[0]
        end = subject["end"]
        if (
            subject["start"] != 0
            or text[:end] != subject["text"]
            or subject["entity_type"] == "PRON"
        ):
            return None
        facts = tuple(
            one for one in self.corpus.facts.get(frame["frame_id"], ())
            if one.confidence >= LEAST_CONFIDENCE and one.head_start < end
        )  # fmt: skip
        facts = tuple(dict.fromkeys(facts))
        if not facts or len({one.head_id for one in facts}) != 1:
            return None
        entity = self.corpus.entities.get(facts[0].head_id)
        between = text[end : frame["start"]]
        if entity is None or not _joins(between) or not text[end : end + 1].isspace():
            return None
        surface = text[:end]
        name = _ARTICLES.sub("", surface, count=1) if _ARTICLES.match(surface) else surface
        words = name.split()
        if not words or len(words) > _MOST_SUBJECT or len(surface) > LONGEST_NAME:
            return None
        if (
            words[0].lower() in _VAGUE
            or "→" in name
            or "you" in name.lower()
            or re.search(r"[,;:()]|\band\b|\bor\b", name)
        ):
            return None
        stop = min((one for one in starts.get(sentence.sentence_id, ()) if one > frame["end"]),
                   default=len(text))  # fmt: skip
        told = _without_end(text[end:stop], cut=stop < len(text))
        rest = wording.core(told.strip())
        verbs = " ".join(text[end : int(frame["end"])].split())
        rest, verbs = (re.sub(r"\balso ", "", one, count=1) if "also" in verbs.split() else one
                       for one in (rest, verbs))  # fmt: skip
        if not rest or len(rest.split()) > _MOST_REST or not wording.is_balanced(rest):
            return None
        if not rest.startswith(verbs) or wording.points_elsewhere(surface):
            return None
        head = text[subject["head_start"] : subject["head_end"]]
        return Clause(
            sentence=sentence, frame_id=frame["frame_id"],
            subject=self.corpus.decapitalised(surface), name=name, head=head, entity=entity,
            verbs=verbs, lemma=frame["predicate_lemma"], rule=frame["rule"],
            passive=frame["passive"], rest=rest,
            arguments=tuple(one for one in frame["arguments"] if one["role"] != "subject"),
            facts=facts,
        )  # fmt: skip


def is_everywhere(entity: Entity, chunks: int) -> bool:
    """Tell whether a large share of a corpus's passages mentions an entity."""
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
        and len(text) <= 400
    )


def singles(clauses: Clauses) -> Iterator[Candidate]:
    """Yield questions that one sentence answers."""
    for clause in clauses.found:
        for made in (subject_asked(clauses, clause), object_asked(clauses, clause)):
            if made is not None:
                yield made
    yield from _definitions(clauses)


def subject_asked(clauses: Clauses, clause: Clause) -> Candidate | None:
    """Ask which thing it is that something is told of: "What states the balance of …?"."""
    told = re.sub(r"\s*\([^()]*\)$", "", clause.rest)
    if clause.lemma.startswith("be ") and clause.verbs.startswith(("is to ", "are to ")):
        return None
    if _is_narrated(clause) or not _is_askable_name(clause) or clauses.is_common(clause.entity):
        return None
    if clause.rule == "copula" or len(content_words(told)) < 4 or wording.points_elsewhere(told):
        return None
    if clause.verbs.endswith("ed") and re.search(r" (?:may|can|is|are|was|were|will|must) ", told):
        return None  # what looks like the verb is a participle: "images compressed by it may be"
    if clauses.has_other_heads(clause) or re.search(r"\b(?:its|itself|themselves)\b", told):
        return None
    opening = which(clause)
    if opening is None:
        return None
    return checked(
        SINGLE, f"{opening} {told}?", answer_of(clause.subject), clauses, clause, "subject"
    )


def which(clause: Clause) -> str | None:
    """Return the question word with the kind of the subject, which agrees with its verb."""
    kind = clause.kind
    label = clause.entity.type_source in ("label", "first_name", "user")
    if kind and kind.lower() == clause.head.lower():
        if wording.agrees(clause.head, clause.verbs, clause.lemma):
            return f"Which {kind}"
        return None
    if wording.is_plural_noun(clause.head) or not wording.agrees("x", clause.verbs, clause.lemma):
        return None
    if kind:
        return f"Which {kind}"
    return wording.asking(clause.entity.type, label)


def object_asked(clauses: Clauses, clause: Clause, *, alone: bool = True) -> Candidate | None:
    """Ask for what is told of the subject: "What does the Balance Sheet state?".

    `alone`: nothing else is told of it with this verb.
    """
    if not _is_askable_name(clause) or not wording.agrees(clause.head, clause.verbs, clause.lemma):
        return None
    if clause.rule == "copula" or not clause.arguments or _is_narrated(clause):
        return None
    if alone and clauses.has_other_tails(clause):
        return None
    if any(one["role"] in ("clause", "indirect_object") for one in clause.arguments):
        return None
    argument = clause.arguments[0]
    answer = " ".join(clause.rest[len(clause.verbs) :].split())
    if not answer or len(answer.split()) > _MOST_ANSWER or wording.points_elsewhere(answer):
        return None
    preposition = argument["preposition"]
    if argument["role"] == "object" and not preposition:
        if not clause.passive and _starts_at(clause, argument, answer):
            word, after = "What", ""
        else:
            return None
    elif argument["role"] in ("oblique", "agent") and preposition and clause.verbs:
        if not answer.lower().startswith(f"{preposition} "):
            return None
        where = _where(clause, argument, preposition)
        word, after = (where, "") if where else ("What", f" {preposition}")
        answer = answer if where else answer[len(preposition) + 1 :]
        if not where and (preposition in _LOOSE_PREPOSITIONS or not clause.passive):
            return None
    else:
        return None
    if clauses.is_common(clause.entity) or not answer:
        return None
    if clause.lemma.split(" ")[0][:5] in clause.subject.lower():
        return None
    asked = wording.inverted(clause.subject, clause.verbs, clause.lemma)
    if asked is None:
        return None
    alike = [one for one in clause.arguments if one["slot"] == argument["slot"]]
    type: Type = LISTING if len(alike) >= LEAST_ITEMS and "," in answer else SINGLE
    return checked(type, f"{word} {asked}{after}?", answer_of(answer), clauses, clause, "object")


_LOOSE_PREPOSITIONS = frozenset({"of", "as", "like", "than", "without", "during", "after", "before",
                                 "in", "on", "at", "within", "until", "through", "via",
                                 "using", "between", "among", "into", "onto", "over"})  # fmt: skip
"""Prepositions that no question ends with naturally, or that tell of a time or a manner."""
_STORING = frozenset({"store", "keep", "locate", "find", "place", "save", "install", "define",
                      "display", "list", "show", "record"})  # fmt: skip
"""Verbs whose "in" tells where."""


def _where(clause: Clause, argument: Mapping[str, Any], preposition: str) -> str | None:
    if preposition in ("in", "on", "under", "at") and clause.passive and clause.lemma in _STORING:
        return "Where"
    if argument["entity_type"] == "DATE" and preposition in ("in", "on", "at"):
        return "When"
    return None


def _definitions(clauses: Clauses) -> Iterator[Candidate]:
    """Yield "What is X?" for terms that sentences define; any definition will do."""
    by_name: dict[str, list[tuple[Clause, str]]] = defaultdict(list)
    for clause in clauses.found:
        if clause.rule != "copula" or clause.verbs not in ("is", "are"):
            continue
        told = clause.rest[len(clause.verbs) :].strip()
        if re.match(r"(?:an?|the|one of the|any|tools?|sets?)\s", told) is None:
            continue
        if re.match(
            r"(?:an? (?:important|good|great|common|useful|special|big|major|very)|one of the "
            r"(?:most|main)|the (?:most|best|main|same|only|one))\b",
            told,
        ):
            continue
        if len(content_words(told)) < 3 or wording.points_elsewhere(told):
            continue
        by_name[_folded(clause.name)].append((clause, told))
    for some in by_name.values():
        clause, told = some[0]
        if not (_is_askable_name(clause) or clause.entity.is_term):
            continue
        if clause.head.lower() in _GENERIC and " " not in clause.name:
            continue
        if re.match(r"the\b", clause.subject) and " of " in clause.name:
            continue
        if told.startswith("the ") and re.match(r"the\b", clause.subject):
            continue
        if wording.is_plural_noun(clause.head) != (clause.verbs == "are"):
            continue
        question = f"What {clause.verbs} {clause.subject}?"
        made = checked(SINGLE, question, answer_of(told), clauses, clause, "definition")
        if made is not None:
            others = [stretch for one, _ in some for stretch in (one.stretch,)]
            yield Candidate(made.type, made.question, made.answer,
                            (tuple(dict.fromkeys(others)),), made.rule, made.subject,
                            made.sentence)  # fmt: skip


def checked(
    type: Type, question: str, answer: str, clauses: Clauses, clause: Clause, rule: str
) -> Candidate | None:
    """Return a candidate whose answer stands in its sentence and not in the question."""
    question = " ".join(question.split())
    text = " ".join(clause.sentence.text.split()).casefold()
    said = " ".join(answer.split())
    if re.search(r"\b(?:to|of|the|an?|in|for|that|and|or|by|with|is|are)$", said):
        return None
    if re.match(
        r"(?:you|your|us|one|an?) to\b|you\b|(?:one|some) of\b|(?:several|many|some|few|a few|a number|a lot|more|all|much)\b",
        said,
    ):
        return None
    if re.search(r"\b(?:can|will|may|must|should|could|would) \w+ed\b", question):
        return None
    if said.casefold() not in text or is_said(said, question) or not is_plain(question):
        return None
    if (
        not wording.is_balanced(question)
        or not wording.is_balanced(said)
        or not content_words(said)
    ):
        return None
    return Candidate(type, question, said, (clauses.also_said(clause),), rule,
                     _folded(clause.name), clause.sentence.text)  # fmt: skip


def answer_of(text: str) -> str:
    """Return a text as an answer: on one line, without the mark that ends it."""
    return " ".join(text.split()).rstrip(" .,;:")


def _is_narrated(clause: Clause) -> bool:
    """Tell whether a clause tells what has happened in an example: "pixels have been added"."""
    return clause.verbs.startswith(("has ", "have ", "had ")) and " been" in clause.verbs


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()


def _is_askable_name(clause: Clause) -> bool:
    """Tell whether a subject names something that a question can be about."""
    head = clause.head.lower()
    if head in _GENERIC and " " not in clause.name:
        return False
    words = WORD.findall(clause.name)
    if clause.entity.is_named or any(any(map(str.isupper, word[1:])) for word in words):
        return True
    has_capital = any(word[:1].isupper() for word in words[1:])
    return has_capital or (clause.entity.is_term and len(words) > 1) or (
        len(words) > 1 and head not in _GENERIC and not _ARTICLES.match(clause.subject)
    )  # fmt: skip


def _joins(between: str) -> bool:
    """Tell whether only helping verbs and adverbs stand between a subject and its verb."""
    return all(
        word in wording.AUXILIARIES or word.endswith("ly") or word in ("be", "been", "being")
        or word in ("usually", "often", "always", "only", "normally", "also")
        for word in between.split()
    )  # fmt: skip


def _starts_at(clause: Clause, argument: Mapping[str, Any], answer: str) -> bool:
    """Tell whether an answer begins with an argument, up to its article."""
    first = " ".join(argument["text"].split())
    return answer.startswith(first.split(" ")[0])


def _without_end(text: str, *, cut: bool) -> str:
    return re.sub(r"[\s,]+(?:and|or|but|then|and then)?\s*$", "", text) if cut else text
