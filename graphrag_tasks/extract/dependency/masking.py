"""Names of several words that the model takes for a clause: "COMMIT ENTITIES", "ORDER BY".

Statements of a language are written in capitals, and are verbs and prepositions to the model,
which was trained on news. Before the parse their spaces are filled, so that each is one word, as
long as it was; after it, the words are as they stand in the sentence.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphrag_tasks.language.tokens import Doc

_KEYWORDS = (
    "ADD|ADDING|AND|APPEND|APPENDING|AS|ASSIGN|ASSIGNING|AT|BASE|BEGIN|BETWEEN|BY|CALL|CASE|CAST|"
    "CHECK|CLEAR|CLOSE|COLLECT|COMMIT|COMPONENTS|CONCATENATE|CONV|CORRESPONDING|CREATE|DATA|DEFAULT|"
    "DEFINE|DELETE|DESCRIBE|DISTINCT|DO|ELSE|END|EXCEPT|EXISTS|EXPORT|FIND|FOR|FOUND|FREE|FROM|GET|"
    "GROUP|HAVING|IF|IMPORT|IN|INITIAL|INNER|INSERT|INTO|IS|JOIN|LEFT|LIKE|LINE|LOOP|MODIFY|MOVE|NEW|"
    "NOT|NULL|OF|ON|OPEN|OR|ORDER|OUTER|PERFORM|RAISE|READ|REDUCE|REF|REFERENCE|REPLACE|RETURN|ROLLBACK|"
    "SELECT|SET|SORT|SORTED|SPLIT|STANDARD|SUBMIT|SUPPLY|SWITCH|TO|TRANSPORTING|TRUNCATE|TRY|TYPE|UNION|"
    "UP|UPDATE|USING|VALUE|WHEN|WHERE|WHILE|WITH|WORK|WRITE"
)
_RUN = re.compile(
    rf"(?<![\w-])(?=(?:[A-Z_]+ )*(?:{_KEYWORDS})\b)[A-Z][A-Z_]+(?: [A-Z][A-Z_]+)+(?![\w-])"
)
_SIGIL = re.compile(r"(?<![\w%])%(?=[a-z]\w+)")
_MISREAD_DEPS = frozenset({"advmod", "dep", "det", "intj", "meta", "predet", "quantmod"})
_SIGN = "X"
"""Stands for a sign that a name begins with."""


def masked(text: str) -> str:
    """Return a text of the same length whose statements are one word each."""
    if text.isupper():
        return text
    text = _RUN.sub(lambda match: match[0].replace(" ", "_"), text)
    return _SIGIL.sub(_SIGN, text)


def unmasked(doc: Doc, text: str) -> Doc:
    """Give the tokens of a masked text's parse the words of the text."""
    if doc.text != text and len(doc):
        doc.text = text
        for token in doc:
            word = text[token.idx : token.idx + len(token.text)]
            if word != token.text:
                token.text = token.lemma_ = word
                token.lower_ = word.lower()
                token.tag_, token.pos_ = "NNP", "PROPN"
                if token.i < token.head.i and token.dep_ in _MISREAD_DEPS:
                    token.dep_ = "compound"
    return doc
