"""Lexical search: terms of texts and questions, and BM25.

The load stage and retrieval share it, so that questions and texts have the same terms.
"""

from graphrag_tasks.language.bm25.index import STOP_WORDS, Lexicon, fold, query_terms, terms, word_tables, words

__all__ = ["STOP_WORDS", "Lexicon", "fold", "query_terms", "terms", "word_tables", "words"]
