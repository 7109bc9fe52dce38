"""Extraction: sentences in, n-ary predicate frames and binary triples out.

`frames` holds the value objects and the protocol of extractors, `dependency` the rule extractor
that is the default, `linear` patterns in lines, `triples` the step from frames to graph edges, and
`tsv` the tab-separated form that benchmarks of open information extraction read.
"""

from graphrag_tasks.extract.coreference import ParseRecorder, resolve_mentions
from graphrag_tasks.extract.stage import EXTRACTORS, extract, extract_facts, make_extractor

__all__ = [
    "EXTRACTORS",
    "ParseRecorder",
    "extract",
    "extract_facts",
    "make_extractor",
    "resolve_mentions",
]
