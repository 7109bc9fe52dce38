"""The word lists of `words.json`, which rules and patterns read."""

from __future__ import annotations

import re
from collections.abc import Collection

from graphrag_tasks.language.dictionary import WordLists

_LISTS = WordLists("graphrag_tasks.extract")
words, mapping, any_of = _LISTS.words, _LISTS.mapping, _LISTS.any_of


# English verb forms: participles for passive relations ("be stored in"), past tense, bases.

_IRREGULAR = mapping("irregular_participles")
_IRREGULAR_PASTS = mapping("irregular_pasts")  # Past tenses that differ from the participle.
_PREFIXES = ("over", "under", "with", "fore", "re", "out", "up", "off", "pre", "mis", "un")
_REGULAR_WITH_PREFIX = frozenset({"relay"})
_DOUBLING_VERBS = words("doubling_verbs")  # Verbs of several syllables that double their last consonant.
_DOUBLING = re.compile(r"(?:^|[^aeiou])[aeiouy][bdfgklmnprtvz]$")
_VOWELS = re.compile(r"[aeiouy]+")


def past_participle(lemma: str) -> str:
    """Return the past participle of a lemma, which may have a prefix: "overwrite"."""
    if lemma in _IRREGULAR:
        return _IRREGULAR[lemma]
    for prefix in _PREFIXES if lemma not in _REGULAR_WITH_PREFIX else ():
        stem = lemma.removeprefix(prefix)
        if stem != lemma and stem in _IRREGULAR:
            return prefix + _IRREGULAR[stem]
    if lemma.endswith("e"):
        return lemma + "d"
    if re.search(r"[^aeiou]y$", lemma):
        return lemma[:-1] + "ied"
    if lemma.endswith("ic"):
        return lemma + "ked"
    is_short = len(_VOWELS.findall(lemma)) == 1
    if lemma in _DOUBLING_VERBS or (is_short and _DOUBLING.search(lemma)):
        return lemma + lemma[-1] + "ed"
    return lemma + "ed"


def past_tense(lemma: str) -> str:
    """Return the past tense of a lemma, by default its participle."""
    for prefix in ("", *_PREFIXES):
        stem = lemma.removeprefix(prefix)
        if stem in _IRREGULAR_PASTS and (not prefix or stem != lemma):
            return prefix + _IRREGULAR_PASTS[stem]
    return past_participle(lemma)


def base_of_gerund(gerund: str, verbs: Collection[str]) -> str | None:
    """Return the verb of `verbs` that a gerund is formed of ("mapping": "map"), or None."""
    stem = gerund.removesuffix("ing")
    if stem == gerund:
        return None
    undoubled = stem[:-1] if stem[-1:] == stem[-2:-1] else stem
    return next((one for one in (stem, stem + "e", undoubled) if one in verbs), None)
