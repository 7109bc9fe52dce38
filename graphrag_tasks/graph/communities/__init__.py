"""Communities: Leiden at several resolutions over the entity graph, titled and summarised.

The entity graph comes in; communities with titles and summaries go out. Open `stage.py` first.
"""

from graphrag_tasks.graph.communities.partition import COLUMNS
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
