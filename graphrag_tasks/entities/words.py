"""The word lists of `words.json`, used by all stages."""

from graphrag_tasks.language.dictionary import WordLists

_LISTS = WordLists("graphrag_tasks.entities")
words, any_of = _LISTS.words, _LISTS.any_of
