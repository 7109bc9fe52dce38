"""Recognize parsed appositions that do not name the noun before them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_PERSON = "PERSON"
_ITEM = re.compile(r"[\s\"”]{0,2},\s[\"“]?(?:an?\s|the\s)?")
_BARE_ITEM = re.compile(r"[\s\"”]{0,2},\s[\"“]?(?!an?\s|the\s)")
_LAST_ITEM = re.compile(r"[^.;:]{0,80}?,\s(?:and|or|an?|the)\b")
_APART = re.compile(r"[;|)]|:(?!\w)|\be\.g\.")  # Characters that separate two different things.
_SET_OFF_AGAIN = re.compile(r"[^,.;:()]{0,60},")
_FRONTED = re.compile(
    r"(?:^|[,;:.]\s)(?:to|if|when|while|for|in|on|at|by|with|after|before|since|as|from|until)\b[^,;:.]*$",
    re.IGNORECASE,
)
"""Start of an introductory phrase that ends with a comma: "In the dialog, the user"."""
_NAMES_AT_END = re.compile(r"\s*(?:,[^()]{2,90})?\)[\s.§]*")
"""What may follow the first name in a list of credited people."""
_CAPITALIZED = r"(?![a-z\d_])\w[\w.'’-]*"
_FULL_NAME = re.compile(rf"{_CAPITALIZED}(?: {_CAPITALIZED}){{1,3}}")
_ALL_NAMES = re.compile(rf"\s?\({_FULL_NAME.pattern}(?:, {_FULL_NAME.pattern})+\)")
_OPEN_LIST = re.compile(r"[^()]*(?:\.\.\.|…|\betc\b)")
_SET_OFF = re.compile(r"[,(\[:;–—-]")


def is_no_apposition(row: Mapping[str, Any], text: str) -> bool:
    """Tell whether an apposition is no other name of the noun before it.

    In brackets it may be a remark ("(Optional)"), an abbreviation of something else, an author ("(Tom Lane)") or a
    function's arguments ("rank ( args )"). After a comma it is the next item of an enumeration, if it has no article or
    a last item with "and" follows.
    """
    between, tail = text[row["head_end"] : row["tail_start"]], row["tail"]
    after = text[row["tail_end"] :]
    if between.rstrip().endswith("(") and row["head_type"] != _PERSON:
        ends = _NAMES_AT_END.fullmatch(after) is not None and row["head"].islower()
        if row["tail_type"] == _PERSON or (ends and _FULL_NAME.fullmatch(tail)):
            return True
        if _OPEN_LIST.match(after):
            return True
    if between.endswith("( "):
        return True
    if between.endswith("("):
        is_word = tail.isalpha() and (tail[1:].islower() or tail.isupper())
        return after.startswith(")") and is_word and not tail.islower()
    if _APART.search(between) or _ALL_NAMES.match(text, row["head_end"]):
        return True
    if _ITEM.match(between):
        is_bare, ends = _BARE_ITEM.match(between), _SET_OFF_AGAIN.match(after)
        if _ITEM.fullmatch(between) is None or is_bare or _LAST_ITEM.match(after):
            return True
        return ends is None and _FRONTED.search(text[: row["head_start"]]) is not None
    return not _SET_OFF.search(between)
