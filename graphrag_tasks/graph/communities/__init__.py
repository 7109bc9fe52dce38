"""Communities: Leiden at several resolutions over the entity graph, titled and summarised.

`source` numbers the graph, `partition` finds the communities, `levels` chooses what is central in
each, and `summaries` holds the Protocol of summarizers and the extractive one.
"""

from graphrag_tasks.graph.communities.source import COLUMNS
from graphrag_tasks.graph.communities.stage import communities
from graphrag_tasks.graph.communities.summaries import (
    CitedSentence,
    CommunityContext,
    ExtractiveSummarizer,
    Summarizer,
    Summary,
    make_summarizer,
)

__all__ = [
    "COLUMNS",
    "CitedSentence",
    "CommunityContext",
    "ExtractiveSummarizer",
    "Summarizer",
    "Summary",
    "communities",
    "make_summarizer",
]
