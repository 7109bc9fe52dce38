"""Spelling: in which letters a text must write a name to mean it.

Names and texts meet in folded tokens, so that case, accents and plurals do not part them. Case
tells much all the same: "Report" may be a title where "report" is a word like any other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from graphrag_tasks.language.forms import unaccented

TOKEN = re.compile(r"\w+://\S+|[^\W_]+(?:_+[^\W_]+)*|[^\w\s]|_+")
"""A token: an address, a word with its underscores, or a sign."""


def folded(token: str) -> str:
    """Return a token without case, accents and compatibility forms."""
    return unaccented(token.casefold())


@dataclass(frozen=True, slots=True)
class Spelling:
    """What the text that a name is found in must look like.

    It needs a `capital` letter somewhere, or must be one of `forms`; where it `opens`, it may open
    a sentence, whose capital says nothing.
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
    """Return how a name must be written to be found, or None for one that is not looked for.

    * A single common word is looked for only in the capitals of a name: if it is the title of a
      document, or never stands in small letters and either has an entity label or more than one
      capital. Else it is a word like any other.
    * Any other name that some text writes in small letters is found in any.
    * Else the text must have a capital.

    A name `is_named` if it has an entity label or is a title.
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
    """Return whether a form has a capital beyond its first letter: "SAP", "BAdI"."""
    return form[1:] != form[1:].lower()
