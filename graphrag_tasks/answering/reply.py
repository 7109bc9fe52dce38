"""A reply: sentences with citations, and a verdict whether there is an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

from graphrag_tasks.core.visible import visible
from graphrag_tasks.retrieval import Context, SourceSentence
from graphrag_tasks.retrieval.context.hits import one_line, place
from graphrag_tasks.retrieval.context.render import escape

if TYPE_CHECKING:
    import networkx as nx


State = Literal["answered", "uncertain", "not in these documents"]
NOT_HERE: Literal["not in these documents"] = "not in these documents"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether the documents answer a question.

    Attributes:
        state: `answered`, `uncertain`, or `not in these documents`, which is rarely wrong.
        probability: That the passages answer the question.
        unknown: Words and names of the question that no document contains.
    """

    state: State
    probability: float
    unknown: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        missing = _missing(self.unknown)
        if self.state == "answered":
            return f"Answered from the documents.{missing}"
        if self.state == "uncertain":
            return f"Uncertain: these passages are the nearest, but may not answer it.{missing}"
        return f"Not in these documents.{missing}"


def _missing(unknown: Sequence[str]) -> str:
    if not unknown:
        return ""
    names = ", ".join(f"“{word}”" for word in unknown)
    return f" {names} {'is' if len(unknown) == 1 else 'are'} mentioned nowhere."


Form = Literal["quotes", "list", "rows", "overview"]

_SHOWN_CHARACTERS = 400  # Characters shown of a sentence; 99 % of the SAP documents' sentences are shorter.


@dataclass(frozen=True, kw_only=True)
class Citation:
    """A citation number in the answer's text, and the cited sentence."""

    number: int
    source: SourceSentence

    @property
    def text(self) -> str:
        """The sentence."""
        return self.source.text

    @property
    def title(self) -> str:
        """Title of its document."""
        return self.source.title

    @property
    def page(self) -> int | None:
        """Page it begins on; None where the format has none."""
        return self.source.page

    @property
    def place(self) -> str:
        """Title and page of the sentence."""
        return place(self.source.title, self.source.page)


@dataclass(frozen=True, kw_only=True)
class AnswerSentence:
    """A sentence of an answer.

    Attributes:
        text: Text without citation numbers.
        citations: Cited sentences; never empty for a quotation.
        problem: What a model's sentence says and its source does not, in words.
        is_best: Whether it answers best, or nearly; other sentences are less sure, or context.
        answer: The words of it that answer, of a best quotation.
        release: Of a statement that changed: the release that says so. The newest is best, the one before it is not.
    """

    text: str
    citations: tuple[Citation, ...]
    is_best: bool = True
    problem: str | None = None
    release: str = ""
    answer: str = ""

    @property
    def parts(self) -> tuple[str, str, str]:
        """The shown text before, within and behind the words that answer."""
        before, answer, behind = self.shown.partition(one_line(self.answer) or "\n")
        return before, answer, behind

    @property
    def shown(self) -> str:
        """The text on one line behind its release, shortened if very long, as a row with code."""
        text = one_line(self.text)
        if self.release:
            text = f"{f'In {self.release}' if self.is_best else f'Before ({self.release})'}: {text}"
        if len(text) <= _SHOWN_CHARACTERS:
            return text
        return f"{text[:_SHOWN_CHARACTERS].rsplit(' ', 1)[0]} …"

    @property
    def marked(self) -> str:
        """The shown text, with its problem, if any."""
        return f"{self.shown} (to be checked: {self.problem})" if self.problem else self.shown

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of its citations, ascending."""
        return tuple(sorted({citation.number for citation in self.citations}))

    @property
    def line(self) -> str:
        """The shown text as an item of a list, with its citation numbers."""
        return f"- {self.shown} {_marks(self.numbers)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the sentence as JSON values."""
        return {
            "text": self.text,
            "citations": list(self.numbers),
            "is_best": self.is_best,
            "answer": self.answer,
            "problem": self.problem,
            "release": self.release,
        }


@dataclass(frozen=True, kw_only=True, repr=False)
class Reply:
    """An answer to a question, from one snapshot; false where the documents have none.

    Attributes:
        question: The question, as it was typed.
        asked_as: A follow-up as it was searched, with what it leaves out; empty if the same.
        form: `quotes`; `list` if each sentence is an item, `rows` if it is a table row, `overview` if it is a topic
            with counts, which no document states.
        summary: What was counted in tables, over how many rows; empty for other answers.
        verdict: Whether the documents answer the question.
        sentences: The answer, in reading order; empty if there is none.
        nearby: What else was found for a list, beside the one that answers.
        context: What was searched and found.
        model: Name of the model that wrote it; None: it is quoted.
        usd: Cost of language models; 0 without one, None if its price is unknown.
        milliseconds: From the question to the reply.
        notes: Remarks for the reader, such as what was not read.
    """

    question: str
    verdict: Verdict
    sentences: tuple[AnswerSentence, ...]
    context: Context
    milliseconds: float
    form: Form = "quotes"
    summary: str = ""
    model: str | None = None
    usd: float | None = 0.0
    nearby: tuple[AnswerSentence, ...] = ()
    notes: tuple[str, ...] = ()
    asked_as: str = ""

    @property
    def asked_line(self) -> str:
        """The line that says how a follow-up was filled; empty for other questions."""
        return f"Asked as: “{one_line(self.asked_as)}”" if self.asked_as else ""

    @property
    def citations(self) -> tuple[Citation, ...]:
        """All citations of the answer, by number and position."""
        found = {
            (citation.number, citation.source.sentence_id): citation
            for sentence in (*self.sentences, *self.nearby)
            for citation in sentence.citations
        }
        return tuple(found[key] for key in sorted(found, key=lambda key: key[0]))

    @property
    def sources(self) -> tuple[Citation, ...]:
        """The same as `citations`."""
        return self.citations

    @property
    def confidence(self) -> float:
        """Probability that the passages answer the question."""
        return self.verdict.probability

    def __bool__(self) -> bool:
        return self.verdict.state != NOT_HERE

    @property
    def text(self) -> str:
        """The answer with citation numbers: paragraphs, or a line for each item."""
        if self.form != "quotes" or self.summary:
            lines = [sentence.line for sentence in self.sentences]
            return "\n".join([self.summary, *lines] if self.summary else lines)
        return "\n".join(
            f"{' '.join(sentence.marked for sentence in sentences)} {_marks(numbers)}"
            for numbers, sentences in self.paragraphs()
        )

    def to_networkx(self) -> nx.MultiDiGraph:
        """Return the part of the graph that the answer rests on.

        Its relations are those of the context with evidence among the cited sentences. Nodes and edges are as in
        `Context.to_networkx`.
        """
        graph = self.context.to_networkx()
        cited = {citation.source.sentence_id for citation in self.citations}
        used = {
            relation.relation_id
            for relation in self.context.relations
            if any(sentence.sentence_id in cited for sentence in relation.evidence)
        }
        others = [
            (head, tail, key)
            for head, tail, key, kind in graph.edges(keys=True, data="kind")
            if kind == "relation" and key not in used
        ]
        graph.remove_edges_from(others)
        chunks = {citation.source.chunk_id for citation in self.citations}
        alone = [node for node in graph if not graph.degree(node) and node not in chunks]
        graph.remove_nodes_from(alone)
        return graph

    def to_dict(self) -> dict[str, Any]:
        """Return the reply as JSON values."""
        return {
            "question": self.question,
            "asked_as": self.asked_as,
            "text": self.text,
            "form": self.form,
            "summary": self.summary,
            "verdict": asdict(self.verdict),
            "sentences": [sentence.to_dict() for sentence in self.sentences],
            "nearby": [sentence.to_dict() for sentence in self.nearby],
            "citations": [{"number": citation.number, **asdict(citation.source)} for citation in self.citations],
            "model": self.model,
            "usd": self.usd,
            "milliseconds": round(self.milliseconds, 1),
            "notes": list(self.notes),
            "context": self.context.to_dict(),
        }

    def __repr__(self) -> str:
        return f"Reply({self.question!r}, {self.verdict.state}, {len(self.sentences)} sentences)"

    def __str__(self) -> str:
        lines = [*filter(None, [self.asked_line]), self.verdict.sentence, ""]
        if self.text:
            near = ["Also near:", *(sentence.line for sentence in self.nearby), ""]
            lines += [self.text, "", *(near if self.nearby else ()), *self.source_lines()]
        return visible("\n".join([*lines, *(f"Note: {note}" for note in self.notes)]).rstrip())

    def _repr_html_(self) -> str:
        lines = "<br>".join(escape(line) for line in self.text.splitlines())
        sources = "<br>".join(escape(line) for line in replace(self, nearby=()).source_lines())
        notes = "".join(f"<p><i>{escape(note)}</i></p>" for note in self.notes)
        said = escape(self.verdict.sentence)
        asked = f"<p>{escape(self.asked_line)}</p>" if self.asked_as else ""
        return f"{asked}<p><b>{said}</b></p><p>{lines}</p><p><small>{sources}</small></p>{notes}"

    def source_lines(self) -> list[str]:
        """Return a line for each cited page or document: numbers, title and address."""
        numbers: dict[str, list[int]] = {}
        for number, citations in groupby(self.citations, key=lambda one: one.number):
            sources = [citation.source for citation in citations]
            pages = [source.page for source in sources if source.page is not None]
            where = place(sources[0].title, min(pages, default=None), max(pages, default=None))
            numbers.setdefault(f"{where} ({sources[0].uri})", []).append(number)
        return [visible(f"{_marks(those)} {where}") for where, those in numbers.items()]

    def paragraphs(self) -> Iterator[tuple[tuple[int, ...], Sequence[AnswerSentence]]]:
        """Yield consecutive sentences with the same citation numbers, and these."""
        for numbers, sentences in groupby(self.sentences, key=lambda sentence: sentence.numbers):
            yield numbers, list(sentences)


def _marks(numbers: Sequence[int]) -> str:
    return "".join(f"[{number}]" for number in numbers)
