"""Reword sentences for the model, which was trained on news.

Before the parse, multi-word names become one word: statements in capitals ("COMMIT ENTITIES", "ORDER BY"), account
paths ("Assets:Current Assets"), menu paths ("File → Save As"), quoted titles and references in brackets ("(see Section
2)"). After it, sentences whose verb was taken for a noun are parsed again: "Insert the code" as "You must insert the
code", "This section explores classes" as "This section shows classes". The sentence's own words get that parse.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from graphrag_tasks.extract.dependency.syntax import PLURAL_TAGS, SUBJECT_DEPS, has_subject, is_verbal
from graphrag_tasks.extract.words import any_of, words
from graphrag_tasks.language.agreement import base_of_third_person
from graphrag_tasks.language.hidden_verbs import may_be_verb
from graphrag_tasks.language.parser import copied
from graphrag_tasks.language.tokens import Doc, Token, attach

COMMAND_VERBS = words("command_verbs")
"""Verbs that begin instructions. A verb that is also a noun ("test", "plan") counts only if the sentence has no
finite verb."""

_STATEMENT = re.compile(
    rf"(?<![\w-])(?=(?:[A-Z_]+ ){{0,12}}{any_of('statement_keywords')}\b)"
    r"[A-Z][A-Z_]+(?: [A-Z][A-Z_]+)+(?![\w-])"
)
_WORD = r"[A-Z0-9][\w&/-]{0,40}"
_NEXT_WORD = rf"(?: (?:(?:a|and|as|by|for|from|in|of|the|to|with|&) ){{0,2}}{_WORD})"
_TITLE = rf"{_WORD}{_NEXT_WORD}{{0,4}}"
_STEP = rf"{_WORD}(?: {_WORD}| & {_WORD}){{0,3}}(?: \([^()]{{1,12}}\))?"
_ARROW = r"(?:→|▸|»|>(?= [A-Z][a-z]))"
_PLACE = r"(?:Section|Chapter|Appendix|Figure|Table) [\w.-]*\d[\w-]*"
_QUOTED = r"[“\"][^“”\"]{1,90}[”\"]"
_NAME = re.compile(
    rf"(?<![\w:/]){_WORD}(?::{_WORD}(?: {_WORD}){{0,3}}(?=:))*:(?=[A-Z]){_WORD}(?![\w:/])"
    rf"|(?<![\w-]){_STEP}(?: {_ARROW} {_STEP})* {_ARROW} {_TITLE}"
    rf"|(?<=\()(?:see|cf\.|refer to) [^()]{{3,90}}(?=\))|{_PLACE}, {_QUOTED}"
    rf"|(?<=[“\"]){_WORD}{_NEXT_WORD}{{1,5}}(?=[”\"])"
)
"""Account path, menu path, reference, title."""
_COMMANDED = re.compile(rf"{_WORD} (?=[A-Z])")
_JOINT, _LAST = re.compile(r"\W"), re.compile(r"\W$")
_SIGIL = re.compile(r"(?<![\w%])%(?=[a-z]\w+)")
_SIGN = "X"  # stands for a sign that a name begins or ends with
_MISREAD_DEPS = frozenset({"advmod", "dep", "det", "intj", "meta", "predet", "quantmod"})

_CAPITALS_TO_SMALL, _SPACES_OF_SENTENCE = 4, 3
"""From how many capitals to a small letter on, and of how many words, a text is in capitals."""
_READER = "You must "
_READER_WORDS = 2
_VERB = "shows"  # stands for a verb that the model does not know as one
_VERB_WITH_PREPOSITION = "belongs"
_NOUN_STARTS = frozenset({"DT", "PRP$", "PDT"})
_NOMINAL_DEPS = frozenset({"compound", "amod", "nmod", "nsubj", "nsubjpass", "ROOT", "dep"})
_SINGULAR = frozenset({"a", "an", "another", "each", "every", "this"})


def masked(text: str) -> str:
    """Return a text of the same length in which each multi-word name is one word.

    A sentence in capitals is told in small letters, the only ones in which the model knows words.
    """
    if _is_in_capitals(text):
        lowered = text[:1] + text[1:].lower()
        return lowered if len(lowered) == len(text) else text
    text = _STATEMENT.sub(lambda match: match[0].replace(" ", "_"), text)
    text = _NAME.sub(_as_word, text)
    return _SIGIL.sub(_SIGN, text)


def _is_in_capitals(text: str) -> bool:
    large, small = sum(map(str.isupper, text)), sum(map(str.islower, text))
    return large > _CAPITALS_TO_SMALL * small and text.count(" ") >= _SPACES_OF_SENTENCE


def _as_word(name: re.Match[str]) -> str:
    """Return a name as one word, except for a command before a menu path: "Use File → Close"."""
    command = None if name.start() else _COMMANDED.match(name[0])
    if command is None or command[0].strip().lower() not in COMMAND_VERBS:
        return _JOINT.sub("_", _LAST.sub(_SIGN, name[0]))
    return command[0] + _JOINT.sub("_", name[0][command.end() - name.start() :])


def unmasked(doc: Doc, text: str) -> Doc:
    """Restore the original words in a masked text's parse."""
    if doc.text != text and len(doc):
        doc.text = text
        for token in doc:
            word = text[token.idx : token.idx + len(token.text)]
            if word.lower() == token.lower_:
                token.text = word
            elif word != token.text:
                token.text = token.lemma_ = word
                token.lower_ = word.lower()
                token.tag_, token.pos_ = "NNP", "PROPN"
                if token.i < token.head.i and token.dep_ in _MISREAD_DEPS:
                    token.dep_ = "compound"
    return doc


class Rewording(NamedTuple):
    """A sentence in words that the model knows."""

    text: str
    skipped: int  # words before the first one of the sentence
    verb: int  # number of the word, in the sentence, that is a verb in it


def reworded(doc: Doc) -> Rewording | None:
    """Return the rewording of a parsed sentence, or None if no verb was misread."""
    if _is_misread_command(doc):
        text = f"{_READER}{doc.text[0].lower()}{doc.text[1:]}"
        return Rewording(text, skipped=_READER_WORDS, verb=0)
    verb = next((token for token in doc if _is_misread_verb(token)), None)
    if verb is None:
        return None
    is_with_preposition = verb.i + 1 < len(doc) and doc[verb.i + 1].tag_ in ("IN", "TO")
    known = _VERB_WITH_PREPOSITION if is_with_preposition else _VERB
    text = doc.text[: verb.idx] + known + doc.text[verb.idx + len(verb) :]
    return Rewording(text, skipped=0, verb=verb.i)


def reread(doc: Doc, rewording: Rewording, parse: Doc) -> Doc:
    """Return a sentence with its rewording's parse, or unchanged if that has no verb either."""
    parsed = list(parse)[rewording.skipped :]
    if len(parsed) != len(doc) or not _is_read(parsed[rewording.verb], rewording):
        return doc
    made = copied(doc)
    for token, read in zip(made, parsed, strict=True):
        token.tag_, token.pos_, token.dep_ = read.tag_, read.pos_, read.dep_
        token.ent_type_, token.lemma_ = read.ent_type_, read.lemma_
        token.children = []
    if not rewording.skipped:
        verb = made[rewording.verb]
        verb.lemma_ = base_of_third_person(verb.lower_)
    attach(list(made), [max(read.head.i - rewording.skipped, 0) for read in parsed])
    return made


def is_finite(token: Token) -> bool:
    """Tell whether a verb has a subject or a tense."""
    return is_verbal(token) and (has_subject(token) or token.tag_ in ("VBZ", "VBD", "MD"))


def _is_misread_command(doc: Doc) -> bool:
    """Tell whether a sentence seems to be a command whose verb was read as a noun.

    It begins with a word of `COMMAND_VERBS` that is not parsed as a verb, and either has no finite verb or has an
    article right after that word.
    """
    if len(doc) < 3 or not doc[0].text[1:].islower() or doc[0].lower_ not in COMMAND_VERBS:
        return False
    first, second = doc[0], doc[1]
    if is_verbal(first) or first.dep_ not in _NOMINAL_DEPS or second.lower_ == "of":
        return False
    return second.tag_ in _NOUN_STARTS or not any(map(is_finite, doc))


def _is_misread_verb(token: Token) -> bool:
    """Tell whether a verb was read as a plural noun.

    It follows a singular noun with its own article ("this section explores"), or the gap of a label's colon ("Audit Log
    stores"), or it stands between nouns of a sentence that has no other verb ("the server stores files").
    """
    torn = token.tag_ == "VBZ" and token.dep_ in SUBJECT_DEPS
    if not (torn or token.tag_ in PLURAL_TAGS) or not token.i or not token.text.islower():
        return False
    noun = token.doc[token.i - 1]
    if noun.is_space:
        return token.i > 1
    if noun.tag_ not in ("NN", "NNP"):
        return False
    if may_be_verb(token.doc, token.i) and not any(map(is_verbal, token.doc)):
        return True
    if token.dep_ == "compound":
        return False
    first = noun.i
    while first and token.doc[first - 1].head.i in (noun.i, token.i) and first > noun.i - 3:
        first -= 1
    article = token.doc[first]
    return article.lower_ in _SINGULAR and article.dep_ == "det" and article.i < noun.i


def _is_read(verb: Token, rewording: Rewording) -> bool:
    if rewording.skipped:
        return verb.dep_ == "ROOT" and verb.tag_ == "VB"
    return verb.tag_ == "VBZ" and has_subject(verb)
