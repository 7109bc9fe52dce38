"""Judge answers without a model: citations by gold, and support by words.

Deterministic and free, so it can run every night. It uses the positions of citations, and words, numbers, names and
negation (`language.support`). Citation precision and recall are those of ALCE (Gao et al., arXiv 2305.14627), with gold
in place of a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from graphrag_tasks.answering import AnswerSentence, Reply
from graphrag_tasks.answering.reply import NOT_HERE
from graphrag_tasks.language.support import Source, problem
from graphrag_tasks.workbench.evaluation.gold import Target, exact_match, word_f1
from graphrag_tasks.workbench.evaluation.questions import Question

COVERAGE, CITATION_PRECISION, CITATION_RECALL = "coverage", "citation_precision", "citation_recall"
ANSWERED, EXACT_MATCH, WORD_F1 = "answered", "exact_match", "word_f1"
REFUSED = "refused"  # Share of the unanswerable questions that were not answered; `uncertain` counts as not answered.
FIGURES = (COVERAGE, CITATION_PRECISION, CITATION_RECALL, ANSWERED, EXACT_MATCH, WORD_F1)


@dataclass(frozen=True)
class UnaidedVerdict:
    """Verdict on an answer without a model.

    Attributes:
        coverage: Share of the gold items that a supported sentence of the answer cites.
        citation_precision: Share of the chosen sentences' citations with a gold item; None without citations.
        citation_recall: Share of the sentences that their citations support; None without any.
        answered: 1, or 0 if the documents were said to contain no answer.
        exact_match: Whether a model's answer equals the reference; None for quotations.
        word_f1: F1 of the words of a model's answer; None for quotations.
    """

    id: str
    coverage: float
    citation_precision: float | None
    citation_recall: float | None
    answered: float
    exact_match: float | None = None
    word_f1: float | None = None


@dataclass(frozen=True)
class Refusal:
    """Outcome of a question that the corpus does not answer.

    Attributes:
        text: The answer, if it got one.
        refused: 1, or 0 if the verdict was that the documents answer it.
    """

    id: str
    question: str
    text: str
    refused: float


def refusal(question: Question, reply: Reply, text: str) -> Refusal:
    """Judge the reply to a question that the corpus does not answer."""
    return Refusal(question.id, question.question, text, float(reply.verdict.state != "answered"))


def unaided(target: Target, reply: Reply) -> UnaidedVerdict:
    """Judge an answer by the gold of its question."""
    sentences = reply.sentences
    supported = [answer_sentence for answer_sentence in sentences if is_supported(answer_sentence, reply.question)]
    held = [
        target.items_at(citation.source) for sentence in sentences if sentence.is_best
        for citation in sentence.citations
    ]  # fmt: skip
    stated = {
        item for sentence in supported for citation in sentence.citations
        for item in target.items_at(citation.source)
    }  # fmt: skip
    reference = target.question.answer if reply.model else ""
    text = " ".join(answer_sentence.text for answer_sentence in sentences)
    return UnaidedVerdict(
        id=target.question.id,
        coverage=len(stated) / len(target.gold),
        citation_precision=fmean(map(bool, held)) if held else None,
        citation_recall=len(supported) / len(sentences) if sentences else None,
        answered=float(reply.verdict.state != NOT_HERE),
        exact_match=exact_match(text, reference) if reference else None,
        word_f1=word_f1(text, reference) if reference else None,
    )


def is_supported(sentence: AnswerSentence, question: str) -> bool:
    """Tell whether a sentence's citations support it, judged by words."""
    if not sentence.citations or sentence.problem:
        return False
    cited = "\n".join(citation.source.text for citation in sentence.citations)
    near = "\n".join({citation.source.title for citation in sentence.citations})
    return problem(sentence.text, Source(cited, near, question)) is None


def figures(verdicts: Sequence[UnaidedVerdict]) -> dict[str, float]:
    """Return the mean of each figure over the answers that have it."""
    found = {}
    for name in FIGURES:
        values = [value for verdict in verdicts if (value := getattr(verdict, name)) is not None]
        if values:
            found[name] = fmean(values)
    return found
