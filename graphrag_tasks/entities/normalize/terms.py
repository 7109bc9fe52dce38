"""Terms of a corpus: common nouns that it uses far more than general English does.

Contrastive term extraction by the log-ratio of shares (Kilgarriff, "Simple maths for keywords",
2009). It works from one document on, so a term of git ("commit", "branch") is kept in git's manual
and names nothing in a novel. What every manual says often ("example", "value") is no term of any.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Set

from graphrag_tasks.entities.words import words
from graphrag_tasks.language.domain import Domain
from graphrag_tasks.language.forms import singular_noun
from graphrag_tasks.language.general_english import shares_of_nouns

_WORDS_OF_MANUALS = words("words_of_manuals")
_UNSEEN = 2e-6
"""Added to the share in general English, so that rare words need a number of places, too."""
_HALF = 0.5
"""Added to a count, the usual correction, so that the logarithm of none is finite."""
_FEWEST = 2
"""Uses of a term, at least: of what is said once a corpus of a page tells nothing."""

_CONTRAST = 4.0
"""Doublings by which a term is used more often than in general English; chosen by reading."""


class Terms:
    """Tells which common nouns are terms of a corpus.

    Args:
        counts: How often the corpus has each word in small letters, in any form.
        defined: Singular nouns that a glossary of the corpus explains: terms however rare.
        domain: Words that the user adds or takes away.
    """

    def __init__(
        self,
        counts: Iterable[tuple[str, int]],
        *,
        defined: Set[str],
        domain: Domain,
    ) -> None:
        self._counts: Counter[str] = Counter()
        for word, count in counts:
            self._counts[singular_noun(word)] += count
        self._total = max(self._counts.total(), 1)
        self._added = defined | set(map(singular_noun, domain.terms))
        self._taken = set(map(singular_noun, domain.no_terms))

    def is_term(self, noun: str) -> bool:
        """Tell whether a singular noun is a term; the user's word counts first."""
        if noun in self._taken:
            return False
        if noun in self._added:
            return True
        is_used = self._counts[noun] >= _FEWEST and noun not in _WORDS_OF_MANUALS
        return is_used and self.contrast(noun) >= _CONTRAST

    def contrast(self, noun: str) -> float:
        """Return the binary logarithm of a noun's share in the corpus over that in English."""
        general: Mapping[str, float] = shares_of_nouns()
        share = (self._counts[noun] + _HALF) / self._total
        return math.log2(share / (general.get(noun, 0.0) + _UNSEEN))
