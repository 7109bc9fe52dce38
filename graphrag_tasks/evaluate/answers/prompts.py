"""What a judge is asked, and the forms of its verdicts."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

Better = Literal["first", "second", "neither"]

ALIGNMENT = """\
You compare an answer to a question with a reference answer that is right.
verdict: "same" where the answer states all that the reference states, in whatever words; \
"partly" where it states a part of it, or states it with something that is wrong; "different" \
where it states none of it, or something else; "undecided" where this cannot be told. What the \
answer says beyond the reference does not matter, nor does its length."""

RELEVANCE = """\
You are given a question, its right answer and a passage of a document.
relevant: whether the passage is of use for arriving at the answer."""

STATEMENTS = """\
You are given a question and an answer to it.
statements: every statement that the answer makes, as sentences that are understood by themselves, \
without pronouns; one fact each. None where it states nothing."""

SUPPORT = """\
You are given passages of documents and numbered statements.
verdicts: for each statement its number, and whether it follows from the passages alone."""

GUESS = """\
You are given an answer.
question: the question that it answers. evasive: whether it commits itself to nothing, as "I do \
not know" does."""

PREFERENCE = """\
You compare two answers to a question, with a reference answer that is right.
better: "first" or "second", whichever comes nearer to what the reference states; "neither" where \
they state the same of it, or neither does. The order of the two says nothing, and length is no \
merit: what the reference does not state counts for nothing."""


class Alignment(BaseModel):
    """How an answer compares with the reference (Min et al., section 4.2.1)."""

    reason: str
    verdict: Literal["same", "partly", "different", "undecided"]


class Relevance(BaseModel):
    """Whether a passage is of use."""

    reason: str
    relevant: bool


class Statements(BaseModel):
    """What an answer states."""

    statements: list[str]


class Support(BaseModel):
    """Whether passages support a statement, given by its number."""

    statement: int
    reason: str
    supported: bool


class Supports(BaseModel):
    """The verdicts on all statements of an answer."""

    verdicts: list[Support]


class Guess(BaseModel):
    """The question that an answer seems to answer."""

    question: str
    evasive: bool


class Preference(BaseModel):
    """Which of two answers is better."""

    reason: str
    better: Better
