"""The word lists of `words.json`, which the rules that make questions read."""

from graphrag_tasks.language.word_lists import WordLists

words = WordLists("graphrag_tasks.workbench.questions").words
