"""Detect the language of a question or sentence by script, function words and other words.

Both are too short for statistical identification. A question is English unless it contains only function words of
another language. A sentence needs known words to be English: names and technical terms do not tell.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from importlib import resources

from graphrag_tasks.core.schemas import CELL_SEPARATOR

_WORDS = json.loads((resources.files(__package__) / "languages.json").read_text("utf-8"))
_LISTS: dict[str, frozenset[str]] = {name: frozenset(words.split()) for name, words in _WORDS["function"].items()}
_LANGUAGES_OF = {
    word: [name for name, words in _LISTS.items() if word in words] for word in frozenset().union(*_LISTS.values())
}
ENGLISH = "English"
CODES = {
    "English": "en", "German": "de", "French": "fr", "Spanish": "es", "Italian": "it",
    "Portuguese": "pt", "Dutch": "nl", "Polish": "pl", "Turkish": "tr", "Swedish": "sv",
    "Danish": "da", "Czech": "cs", "Romanian": "ro", "Hungarian": "hu", "Finnish": "fi",
    "Indonesian": "id", "Vietnamese": "vi", "Russian": "ru", "Greek": "el", "Arabic": "ar",
    "Hebrew": "he", "Hindi": "hi", "Chinese": "zh", "Japanese": "ja", "Korean": "ko", "Thai": "th",
}  # fmt: skip
"""ISO 639 codes, as in the column `documents.language`."""

_SCRIPTS = {
    "CYRILLIC": "Russian", "GREEK": "Greek", "ARABIC": "Arabic", "HEBREW": "Hebrew",
    "DEVANAGARI": "Hindi", "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean",
    "CJK": "Chinese", "THAI": "Thai",
}  # fmt: skip
"""The most used language of each script, which represents the others."""

_LATIN = "LATIN"
_SENTENCE_ENDS = (".", "!", "?", ":")
_ASKING = frozenset(_WORDS["asking"].split())
_AMBIGUOUS = frozenset(_WORDS["ambiguous"].split())
"""Function words of other languages that are also English words; they are ignored in sentences."""
_LEAST = 2
"""Least number of question words, and of function words, that identify a language: a single one may belong to a
name. Chosen by reading."""
_ENDINGS = frozenset(["s", "t", "re", "ve", "ll", "d", "m"])  # English endings after an apostrophe: "you're".
_WORD = re.compile(r"(?<!\S)[(\[\"“‘'«]?((?:[^\W\d_]+['’])?)([^\W\d_]+)['’]?[)\].,;:!?\"”»]*(?!\S)")
"""A word of letters only, with an elided prefix ("l'"); names with punctuation do not match."""

_LABEL = re.compile(r"(?:^|(?<=\| ))[^\W\d_][^\W\d_]+(?=(?: [^\W\d_]+){0,2}: )")
"""First word of a label, at the start of a line or table cell, whose capital means nothing."""


def language_of(question: str) -> str:
    """Return the language of a question by its English name; `ENGLISH` if unknown."""
    script = _script(question)
    if script != _LATIN:
        return _SCRIPTS.get(script, ENGLISH)
    words = re.findall(r"\w+", question.casefold())
    found = {name: sum(word in known for word in words) for name, known in _LISTS.items()}
    best = max(found, key=lambda name: (found[name], name != ENGLISH))
    enough = 1 if words and words[0] in _ASKING - _LISTS[ENGLISH] else _LEAST
    return best if found[ENGLISH] <= 1 and found[best] >= enough else ENGLISH


def _script(text: str) -> str:
    """Return the Unicode script of most letters; `LATIN` if there are none."""
    letters = [] if text.isascii() else [letter for letter in text if letter.isalpha()]
    if not letters:
        return _LATIN
    scripts = Counter(unicodedata.name(letter, "").split(" ")[0] for letter in letters)
    if (scripts["HIRAGANA"] or scripts["KATAKANA"]) and scripts[_LATIN] * 2 <= len(letters):
        return "HIRAGANA"  # beside Chinese signs, often fewer
    script, count = scripts.most_common(1)[0]
    return script if count * 2 > len(letters) else _LATIN


def are_in(language: str, sentences: Sequence[str], is_known: Callable[[str], bool]) -> list[bool]:
    """Tell which sentences of a document are in a language.

    Undecided sentences, such as lone names, follow the majority. A label or unknown term ("Farbe: rot") is foreign if
    another sentence is.

    Args:
        language: ISO 639 code.
        sentences: Their texts.
        is_known: Tests lower-case words of the language.
    """
    judged = [_is_in(language, sentence, is_known) for sentence in sentences]
    most = judged.count(True) >= judged.count(False)
    is_mixed = False in judged
    return [
        (most and not (is_mixed and _is_unknown(sentence, is_known))) if one is None else one
        for one, sentence in zip(judged, sentences, strict=True)
    ]


def _is_unknown(sentence: str, is_known: Callable[[str], bool]) -> bool:
    words = [word.lower() for _, word in _WORD.findall(sentence) if not word.isupper()]
    return bool(words) and ": " in sentence and not any(map(is_known, words))


def _is_in(language: str, sentence: str, is_known: Callable[[str], bool]) -> bool | None:
    """Tell whether a sentence is in a language; None if it holds only names."""
    own = next((name for name, code in CODES.items() if code == language), "")
    if not own:
        return None
    script = _script(sentence)
    if script != _LATIN or own in _SCRIPTS.values():
        return _SCRIPTS.get(script) == own
    words = list(_words_outside_names(sentence, _LISTS[own]))
    is_row = CELL_SEPARATOR in sentence
    longer = [word for word in words if len(word) > 1 or not is_row]  # one letter may be a value
    ours = sum(word in _LISTS[own] for word in words)
    found = [name for word in longer if word in _LANGUAGES_OF for name in _LANGUAGES_OF[word] if name != own]
    others = max(map(found.count, set(found)), default=0)
    if ours != others:
        return ours > others
    told = [word for word in words if word not in _LANGUAGES_OF]
    known = sum(map(is_known, told))
    if not told:
        return True if ours else None
    if len(told) == 1 and not known and not sentence.endswith(_SENTENCE_ENDS):
        return None if told[0].isascii() else False  # a term
    return known * 2 > len(told) - is_row


def _words_outside_names(sentence: str, ours: frozenset[str]) -> Iterator[str]:
    """Yield a sentence's lower-case words, without names and ambiguous words.

    Capitalized words are names, and so are function words between two of them ("Rio de Janeiro"). The first word counts
    if it is one of `ours`, or if no name follows ("La Paz").
    """
    text = _LABEL.sub(_lower, sentence.lower() if sentence.isupper() else sentence)
    found = [_parts(*match) for match in _WORD.findall(text)]
    for at, (elided, word) in enumerate(found):
        before = found[at - 1][1] if at else ""
        after = found[at + 1][1] if at + 1 < len(found) else ""
        opens = at == 0 and word.lower() in (_LANGUAGES_OF if after[:1].islower() else ours)
        joins = before[:1].isupper() and after[:1].isupper() and word in _LANGUAGES_OF and word not in ours
        is_lower = not word[0].isupper() and not joins
        if elided:
            yield elided.lower()
        if (opens or is_lower) and word.lower() not in _AMBIGUOUS:
            yield word.lower()


def _lower(label: re.Match[str]) -> str:
    return label[0].lower()


def _parts(elided: str, word: str) -> tuple[str, str]:
    """Return the elided prefix of a word, and the word; in English, the word before its ending."""
    elided = elided.replace("’", "'")
    return ("", elided[:-1]) if word in _ENDINGS and elided else (elided, word)
