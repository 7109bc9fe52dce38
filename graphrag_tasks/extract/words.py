"""The word lists of `words.json`, which rules and patterns read."""

from graphrag_tasks.language.dictionary import WordLists

_LISTS = WordLists("graphrag_tasks.extract")
words, mapping, any_of = _LISTS.words, _LISTS.mapping, _LISTS.any_of
