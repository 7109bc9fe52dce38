"""Terms of a corpus: common nouns that are far more frequent in it than in general English.

Contrastive term extraction by the log-ratio of shares (Kilgarriff, "Simple maths for keywords", 2009). It works from
one document on: git's manual keeps "commit" and "branch" as terms, a novel does not. Words frequent in every manual
("example", "value") are never terms.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Set

from graphrag_tasks.entities.words import words
from graphrag_tasks.language.dictionary import shares_of_nouns
from graphrag_tasks.language.domain import Domain
from graphrag_tasks.language.names import singular_noun

_WORDS_OF_MANUALS = words("words_of_manuals")
_UNSEEN = 2e-6  # Added to the share in general English, so that rare words need several occurrences, too.
_HALF = 0.5  # Added to a count, the usual correction, so that the logarithm of zero counts is finite.
_FEWEST = 2  # Fewest uses of a term: a word used once in a one-page corpus is no evidence.
_CONTRAST = 4.0  # Doublings by which a term is used more often than in general English; chosen by reading.


class Terms:
    """Tells which common nouns are terms of a corpus.

    Args:
        counts: Frequency of each word of the corpus in small letters, in any form.
        defined: Singular nouns that a glossary of the corpus explains: terms however rare.
        domain: Words that the user adds or takes away.
    """

    def __init__(self, counts: Iterable[tuple[str, int]], *, defined: Set[str], domain: Domain) -> None:
        self._counts: Counter[str] = Counter()
        for word, count in counts:
            self._counts[singular_noun(word)] += count
        self._total = max(self._counts.total(), 1)
        self._added = defined | set(map(singular_noun, domain.terms))
        self._taken = set(map(singular_noun, domain.no_terms))

    def is_term(self, noun: str) -> bool:
        """Return whether a singular noun is a term; the user's lists come first."""
        if noun in self._taken:
            return False
        if noun in self._added:
            return True
        is_used = self._counts[noun] >= _FEWEST and noun not in _WORDS_OF_MANUALS
        return is_used and self.contrast(noun) >= _CONTRAST

    def contrast(self, noun: str) -> float:
        """Return the binary logarithm of a noun's share in the corpus over its share in English."""
        general: Mapping[str, float] = shares_of_nouns()
        share = (self._counts[noun] + _HALF) / self._total
        return math.log2(share / (general.get(noun, 0.0) + _UNSEEN))
