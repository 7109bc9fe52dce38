"""The word lists of `words.json` for the question rules."""

from graphrag_tasks.language.word_lists import WordLists

words = WordLists("graphrag_tasks.workbench.questions").words
