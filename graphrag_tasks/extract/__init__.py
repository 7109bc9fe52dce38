"""Extract stage: turns sentences into n-ary predicate frames and binary triples.

In: sentences and table cells. Out: the tables `frames`, `triples` and `coreferences`. Open `stage.py` first, then
`frames.py` (value objects), `dependency` (the default rules), `linear` (patterns) and `triples.py` (from frames to
graph edges).
"""

from graphrag_tasks.extract.coreference import ParseRecorder, resolve_mentions
from graphrag_tasks.extract.stage import EXTRACTORS, extract, extract_facts, make_extractor

__all__ = ["EXTRACTORS", "ParseRecorder", "extract", "extract_facts", "make_extractor", "resolve_mentions"]
