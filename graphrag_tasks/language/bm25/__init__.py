"""Words: what texts and questions are compared by, and BM25 over them.

The load stage and retrieval share it, so that a question is read as the texts were.
"""

from graphrag_tasks.language.bm25.index import Lexicon, word_tables
from graphrag_tasks.language.bm25.tokens import STOP_WORDS, fold, query_terms, terms, words

__all__ = ["STOP_WORDS", "Lexicon", "fold", "query_terms", "terms", "word_tables", "words"]
