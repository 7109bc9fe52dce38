"""The adopt stage: accepts a language model's facts if its sentences support them.

It reads text only: the same replies give the same rows. A fact that the rules also found raises their confidence. With
the extractor `llm`, the rules' facts of a prose sentence are dropped if the model gave at least as many supported
facts; with `hybrid` they stay. So neither a lazy model nor a document that instructs it removes facts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import LLM, ExtractConfig, LanguageConfig
from graphrag_tasks.core.stage import StageResult, stage, table
from graphrag_tasks.extract.context import PLACE
from graphrag_tasks.extract.coreference import LEAST_CONFIDENCE, with_resolutions
from graphrag_tasks.extract.dependency.nominal import EXTRACTOR_NAME as RULES
from graphrag_tasks.extract.frames import Frame
from graphrag_tasks.extract.llm.meaning import name_forms
from graphrag_tasks.extract.llm.requests import Told, ToldFact
from graphrag_tasks.extract.llm.support import EXTRACTOR_NAME, FactCheck, Reason, Setting
from graphrag_tasks.extract.phrases import is_conditional, phrase_of
from graphrag_tasks.extract.tables import frame_row, said, triple_id
from graphrag_tasks.language.parser import SentenceParser
from graphrag_tasks.language.tokens import Doc
from graphrag_tasks.llm.request import Kind, validated

SILENT = "silent"  # Status of a window without a supported fact, although the rules found some.

_Row = dict[str, Any]


@stage(
    per="shard",
    reads=(
        table("chunks", "chunk_id", "heading_path"),
        table("sentences", *PLACE, "text"),
        table("frames"),
        table("triples"),
        table("coreferences"),
        table("windows", "sentence_ids", "keys", "leads"),
        table("replies"),
    ),
    makes=("adopted_frames", "adopted_triples", "answers", "declined"),
    settings={"config": "extract", "language": "language"},
    libraries=("spacy",),
)
def adopt(
    chunks: pa.Table,
    sentences: pa.Table,
    frames: pa.Table,
    triples: pa.Table,
    coreferences: pa.Table,
    windows: pa.Table,
    replies: pa.Table,
    *,
    config: ExtractConfig,
    language: LanguageConfig,
) -> StageResult:
    """Merge a language model's facts with the rules' facts.

    Returns:
        `adopted_frames` and `adopted_triples`: all facts of the shard, replacing `frames` and `triples`; `answers`, one
        row for each request; and `declined`, the unsupported facts.
    """
    sure = coreferences.filter(pc.greater_equal(coreferences["confidence"], LEAST_CONFIDENCE))
    shown = _Shown(chunks, sentences, sure, windows, replies, language)
    facts = _Facts(frames, triples)
    answers, declined, confirmed = [], [], 0
    reasons = Counter[str]()
    for reply in shown.replies:
        told = shown.told(reply)
        adopted: Counter[str] = Counter()
        for fact in told.relations if told else ():
            sentence_id = shown.sentence(reply, fact)
            judged = shown.judge(reply, sentence_id, fact, told, facts)
            if sentence_id is None or isinstance(judged, Reason):
                reasons[str(judged)] += 1
                declined.append(_declined(reply, sentence_id, fact, str(judged)))
            else:
                adopted[sentence_id] += 1
                confirmed += facts.add(judged, shown.rows[sentence_id])
        answers.append(_answer(reply, told, adopted, facts))
    if config.extractor == LLM:
        facts.drop(facts.told_whole())
    tables = {
        "adopted_frames": pa.Table.from_pylist(facts.frame_rows(), schema=schemas.FRAMES),
        "adopted_triples": pa.Table.from_pylist(facts.triple_rows(sure.to_pylist()), schema=schemas.TRIPLES),
        "answers": pa.Table.from_pylist(answers, schema=schemas.ANSWERS),
        "declined": pa.Table.from_pylist(declined, schema=schemas.DECLINED),
    }
    stats = {
        "told": sum(row["told"] for row in answers),
        "adopted": sum(row["adopted"] for row in answers),
        "confirmed": confirmed,
        "windows_silent": sum(one["status"] == SILENT for row in answers for one in row["windows"]),
        **{f"declined_{reason}": count for reason, count in sorted(reasons.items())},
    }
    return StageResult(tables, stats)


class _Shown:
    """The sentences shown to a model, and its replies."""

    def __init__(
        self,
        chunks: pa.Table,
        sentences: pa.Table,
        coreferences: pa.Table,
        windows: pa.Table,
        replies: pa.Table,
        language: LanguageConfig,
    ) -> None:
        self._beside = {
            one: (key or "", lead or "")
            for row in windows.to_pylist()
            for one, key, lead in zip(row["sentence_ids"], row["keys"], row["leads"], strict=True)
        }
        self.replies: list[_Row] = replies.to_pylist()
        wanted = pa.array(sorted({one for reply in self.replies for one in reply["sentence_ids"]}), pa.string())
        rows = sentences.filter(pc.is_in(sentences["sentence_id"], value_set=wanted)).to_pylist()
        self.rows: dict[str, _Row] = {row["sentence_id"]: row for row in rows}
        self._headings = dict(zip(chunks["chunk_id"].to_pylist(), chunks["heading_path"].to_pylist(), strict=True))
        self._mentions: dict[str, list[_Row]] = defaultdict(list)
        for row in coreferences.to_pylist():
            self._mentions[row["sentence_id"]].append(row)
        self._tokens = self._parsed(language)
        self._judges: dict[tuple[str, str], FactCheck] = {}

    def told(self, reply: _Row) -> Told | None:
        """Return the parsed facts of a reply; None if it is not an answer."""
        return validated(reply["text"], Told) if reply["status"] == Kind.ANSWERED else None

    def sentence(self, reply: _Row, fact: ToldFact) -> str | None:
        """Return the sentence that a fact refers to, or None if that number was not shown."""
        ids = reply["sentence_ids"]
        return ids[fact.sentence - 1] if 0 < fact.sentence <= len(ids) else None

    def judge(
        self, reply: _Row, sentence_id: str | None, fact: ToldFact, told: Told | None, facts: _Facts
    ) -> Frame | Reason:
        """Return a fact as a frame, or the reason why it is declined."""
        if sentence_id is None or told is None:
            return Reason.NO_SENTENCE
        key = (reply["request_key"], sentence_id)
        if key not in self._judges:
            row = self.rows[sentence_id]
            setting = self._setting(reply, sentence_id)
            self._judges[key] = FactCheck(setting, lambda frame: facts.has(frame, row))
        types = {entity.name: entity.type for entity in told.entities}
        return self._judges[key].frame(fact, types)

    def _setting(self, reply: _Row, sentence_id: str) -> Setting:
        row = self.rows[sentence_id]
        near = dict.fromkeys(
            one
            for window in reply["windows"]
            if sentence_id in window["sentence_ids"]
            for one in window["sentence_ids"]
            if one != sentence_id
        )
        around = [*(self._headings.get(row["chunk_id"]) or ())]
        around += [self.rows[one]["text"] for one in near]
        key, lead = self._beside[sentence_id]
        tokens, mentions = self._tokens[row["text"]], self._mentions[sentence_id]
        return Setting(row["text"], tokens, key, lead, around, mentions)

    def _parsed(self, language: LanguageConfig) -> dict[str, Doc]:
        """Return the parses of the sentences with a told fact, by text."""
        texts: dict[str, None] = {}
        for reply in self.replies:
            told = self.told(reply)
            for fact in told.relations if told else ():
                if (one := self.sentence(reply, fact)) is not None:
                    texts[self.rows[one]["text"]] = None
        parser = SentenceParser(language.model, entities=False)
        return dict(zip(texts, parser.parse(list(texts)), strict=True)) if texts else {}


@dataclass
class _Facts:
    """The facts of a shard: the rules' and the adopted ones."""

    frames: pa.Table
    triples: pa.Table
    _of_sentence: dict[str, list[_Row]] = field(init=False)
    _new: dict[str, tuple[_Row, _Row]] = field(init=False, default_factory=dict)
    _known: set[tuple[object, ...]] = field(init=False, default_factory=set)
    _confirmed: set[str] = field(init=False, default_factory=set)
    _gone: set[str] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        self._of_sentence = defaultdict(list)
        for row in self.triples.to_pylist():
            self._of_sentence[row["sentence_id"]].append(row)

    def count(self, sentence_ids: Iterable[str]) -> int:
        return sum(len(self._of_sentence[one]) for one in sentence_ids)

    def has(self, frame: Frame, sentence: Mapping[str, Any]) -> bool:
        """Tell whether the rules found the fact with exactly this relation."""
        row = _triple(frame, "")
        return any(
            _is_same(row, other) and row["relation"] == other["relation"]
            for other in self._of_sentence[sentence["sentence_id"]]
        )

    def add(self, frame: Frame, sentence: Mapping[str, Any]) -> bool:
        """Add a fact, and tell whether the rules found it too."""
        place = {name: sentence[name] for name in PLACE}
        of_frame = place | frame_row(frame, sentence["sentence_id"])
        row = place | _triple(frame, of_frame["frame_id"]) | {"said": said(sentence["text"])}
        row["triple_id"] = triple_id(row)
        key = (row["sentence_id"], *_meaning(row))
        for other in self._of_sentence[row["sentence_id"]]:
            if _is_same(row, other):
                if key not in self._known:
                    both = (1 - other["confidence"]) * (1 - row["confidence"])
                    other["confidence"] = round(1 - both, 6)
                self._known.add(key)
                self._confirmed.add(other["triple_id"])
                return True
        if key not in self._known:
            self._known.add(key)
            self._new[row["triple_id"]] = (of_frame, row)
        return False

    def told_whole(self) -> set[str]:
        """Return the sentences for which a model gave at least as many facts as the rules."""
        told = Counter(row["sentence_id"] for _, row in self._new.values())
        told.update(
            row["sentence_id"]
            for rows in self._of_sentence.values()
            for row in rows
            if row["triple_id"] in self._confirmed
        )
        return {one for one, count in told.items() if count >= self.count((one,))}

    def drop(self, sentence_ids: set[str]) -> None:
        """Drop the rules' facts in some sentences, except those confirmed by a model."""
        for sentence_id in sentence_ids:
            for row in self._of_sentence[sentence_id]:
                if row["extractor"] == RULES and row["triple_id"] not in self._confirmed:
                    self._gone.add(row["triple_id"])

    def triple_rows(self, coreferences: Iterable[_Row]) -> list[_Row]:
        """Return all triples: the rules' in their order, then the adopted ones."""
        kept = [row for rows in self._of_sentence.values() for row in rows if row["triple_id"] not in self._gone]
        return kept + with_resolutions((row for _, row in self._new.values()), coreferences)

    def frame_rows(self) -> list[_Row]:
        """Return all frames that still have a triple."""
        rows = [row for rows in self._of_sentence.values() for row in rows]
        stay = {row["frame_id"] for row in rows if row["triple_id"] not in self._gone}
        gone = {row["frame_id"] for row in rows if row["triple_id"] in self._gone} - stay
        kept = [row for row in self.frames.to_pylist() if row["frame_id"] not in gone]
        return kept + [frame for frame, _ in self._new.values()]


def _triple(frame: Frame, frame_id: str) -> _Row:
    head, tail = frame.arguments
    relation = " ".join(filter(None, [frame.predicate_lemma, tail.preposition]))
    return {
        "frame_id": frame_id, "relation": relation, 
        "phrase": phrase_of(frame, head, relation, tail),
        "head": head.text, "head_start": head.start, "head_end": head.end,
        "tail": tail.text, "tail_start": tail.start, "tail_end": tail.end,
        "head_type": head.entity_type, "tail_type": tail.entity_type,
        "head_resolved": None, "tail_resolved": None, "negated": frame.negated,
        "conditional": is_conditional(frame), "rule": frame.rule, "extractor": frame.extractor,
        "confidence": frame.confidence,
    }  # fmt: skip


def _meaning(row: _Row) -> tuple[object, ...]:
    ends = (" ".join(name_forms(row[end])) for end in ("head", "tail"))
    return (*ends, row["relation"], row["negated"])


def _is_same(told: _Row, found: _Row) -> bool:
    """Tell whether a model's fact equals a rule's: overlapping head and tail, same main word."""
    if told["negated"] != found["negated"] or found["extractor"] == EXTRACTOR_NAME:
        return False
    if not any(_related(told["relation"], found["relation"])):
        return False
    return all(
        told[f"{end}_start"] < found[f"{end}_end"] and found[f"{end}_start"] < told[f"{end}_end"]
        for end in ("head", "tail")
    )


def _related(told: str, found: str) -> Iterator[bool]:
    ours, theirs = told.split(" "), found.split(" ")
    yield ours == theirs
    yield ours[0] == theirs[0] and ours[0] not in ("be", "have")
    yield ours[:2] == theirs[:2] and ours[0] == "be"


def _declined(reply: Mapping[str, Any], sentence_id: str | None, fact: ToldFact, reason: str) -> _Row:
    return {
        "request_key": reply["request_key"], "document_id": reply["document_id"],
        "sentence_id": sentence_id,
        "head": fact.head, "relation": fact.relation, "tail": fact.tail, "reason": reason,
    }  # fmt: skip


def _answer(reply: Mapping[str, Any], told: Told | None, adopted: Mapping[str, int], facts: _Facts) -> _Row:
    windows = []
    for window in reply["windows"]:
        ids = window["sentence_ids"]
        is_silent = told is not None and not any(adopted.get(one) for one in ids) and facts.count(ids) > 0
        windows.append(window | {"status": SILENT if is_silent else reply["status"]})
    kept = ("request_key", "document_id", "status", "provider", "model")
    return {name: reply[name] for name in (*kept, "prompt_tokens", "completion_tokens")} | {
        "windows": windows,
        "told": len(told.relations) if told else 0,
        "adopted": sum(adopted.values()),
    }
