"""Answer questions about the corpus as a whole by its topics, with documents and shares."""

from __future__ import annotations

from graphrag_tasks.answering.reply import AnswerSentence, Citation
from graphrag_tasks.retrieval import Context, Index
from graphrag_tasks.retrieval.modes.overview import has_subject

_TOPICS = 10
_LEAST_DOCUMENTS = 2
"""Most topics listed, and fewest documents of a topic (unless no topic has so many)."""


def asks_for_overview(context: Context) -> bool:
    """Tell whether a question asks for the topics of the whole corpus, without a subject."""
    return context.mode == "global" and not has_subject(context.question)


def overview(index: Index) -> tuple[AnswerSentence, ...]:
    """Return the topics of the corpus with their documents, largest topic first.

    Titles, counts and shares are computed; each topic cites the beginning of its most typical
    documents.
    """
    found = index.topics(_TOPICS)
    found = tuple(one for one in found if one.documents >= _LEAST_DOCUMENTS) or found
    lines = []
    for number, topic in enumerate(found, 1):
        titles = "; ".join(dict.fromkeys(source.title for source in topic.sources))
        documents = f"{topic.documents} document{'s' * (topic.documents != 1)} ({topic.share:.0%})"
        lines.append(
            AnswerSentence(
                text=f"{topic.title}: {documents}, such as {titles}",
                citations=tuple(
                    Citation(number=number, source=sentence) for sentence in topic.sources
                ),
            )
        )
    return tuple(lines)
