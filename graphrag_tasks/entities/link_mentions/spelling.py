"""Spelling: with which capitals a text must write a name for it to match.

Names and texts are compared as folded tokens, so case, accents and plurals are ignored. Yet case is evidence: "Report"
may be a title where "report" is a common word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from graphrag_tasks.language.forms import unaccented

TOKEN = re.compile(r"\w+://\S+|(?:[^\W_]+(?:_+[^\W_]+)*|_+)(?:\(\))?|[^\w\s]")
"""A token: a URL, a word with its underscores and the "()" of a call, or a punctuation mark."""


def folded(token: str) -> str:
    """Return a token without case, accents and compatibility forms."""
    return unaccented(token.casefold())


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a text must write a name.

    It needs a `capital` letter somewhere, or must equal one of `forms`; where `opens` is false, a match at the start of
    a sentence does not count, as its capital is no evidence.
    """

    capital: bool = False
    forms: frozenset[str] = frozenset()
    opens: bool = True

    def allows(self, text: str, *, opening: bool) -> bool:
        """Return whether a stretch of text may be the name."""
        if self.capital and text.islower():
            return False
        if self.forms and text not in self.forms:
            return False
        return self.opens or not opening or _is_shouted(text)


ANY, CAPITAL = Spelling(), Spelling(capital=True)


def spelling_of(
    forms: Collection[str], *, is_named: bool, is_title: bool, is_known: Callable[[str], bool]
) -> Spelling | None:
    """Return how a name must be written to match, or None if it is not searched for.

    * A single common word is searched for only with capitals: if it is the title of a document, or
      never occurs in small letters and has an entity label or more than one capital.
    * Any other name that some text writes in small letters matches in any case.
    * All other names need a capital.

    `is_named`: the name has an entity label or is a title.
    """
    words = TOKEN.findall(min(forms))
    if len(words) == 1 and (len(words[0]) == 1 or is_known(words[0].casefold())):
        return _of_common_word(forms, is_named=is_named, is_title=is_title)
    return ANY if any(form == form.lower() for form in forms) else CAPITAL


def _of_common_word(forms: Collection[str], *, is_named: bool, is_title: bool) -> Spelling | None:
    as_names = frozenset(form for form in forms if form != form.lower())
    if len(as_names) < len(forms) and not is_title:
        return None
    if not as_names or not (is_named or all(map(_is_shouted, as_names))):
        return None
    return Spelling(forms=as_names, opens=is_title)


def _is_shouted(form: str) -> bool:
    """Return whether a form has a capital after its first letter: "SAP", "BAdI"."""
    return form[1:] != form[1:].lower()
