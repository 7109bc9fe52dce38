"""The word lists of `words.json` for the question rules."""

from graphrag_tasks.language.dictionary import WordLists

words = WordLists("graphrag_tasks.workbench.questions").words
