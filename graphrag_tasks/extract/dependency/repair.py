"""Reword sentences for the small model, and repair parses that it gets wrong in technical prose.

The model was trained on news, which has few commands: "Use table VBBE" is often read as a noun phrase, and in "run
transaction SPAU" the name is taken for a time or another object. Both have a recognizable form and are corrected before
the rules run; nothing else is changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from graphrag_tasks.extract.dependency.syntax import (
    NOMINAL_POS,
    PLURAL_TAGS,
    SUBJECT_DEPS,
    TIME_ENTITIES,
    first_child,
    has_subject,
    is_verbal,
    is_within_name,
)
from graphrag_tasks.extract.words import any_of, base_of_gerund, words
from graphrag_tasks.language.names import base_of_third_person
from graphrag_tasks.language.parser import copied
from graphrag_tasks.language.tokens import Doc, Token, attach, may_be_verb

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


MAX_NOUNS = 3  # Longest noun compound that a command may seem to modify ("open transaction SE38").

_BEFORE_COMMAND = frozenset({"intj", "punct", "advmod"})
_NOUN_GERUNDS = frozenset({"build", "log", "map", "plan", "print", "report", "start", "test"})
"""Verbs whose gerund names a thing: "Mapping tables", "Test planning"."""
_NOUN_MODIFIERS = frozenset({"compound", "amod", "nmod"})
_NAME_DEPS = frozenset({"compound", "dobj", "npadvmod", "nsubj", "nsubjpass", "oprd"})


def repaired(doc: Doc) -> Doc:
    """Return a new doc with repaired commands and names, or `doc` if nothing is wrong."""
    command = _misread_command(doc)
    repairs = [(repair, token) for is_misread, repair in _REPAIRS for token in doc if is_misread(token)]
    if command is None and not repairs:
        return doc
    made, heads = copied(doc), [token.head.i for token in doc]
    if command is not None:
        _read_as_command(made, heads, *command)
    for repair, token in repairs:
        repair(made, heads, token)
    for token in made:
        token.children = []
    attach(list(made), heads)
    return made


def _misread_command(doc: Doc) -> tuple[Token, str] | None:
    """Return the command verb that was read as a noun or adjective, with its lemma, or None."""
    first = next((token for token in doc if token.dep_ not in _BEFORE_COMMAND), None)
    lemma = None if first is None else _command_of(first)
    if first is None or lemma is None or (len(first) > 1 and first.text.isupper()):
        return None
    if first.dep_ == "ROOT":
        governs = first_child(first, "dobj") or (first.tag_ == "VB" and first_child(first, "prep"))
        return (first, lemma) if governs else None
    noun = _modified_noun(first)
    if noun is first or noun.dep_ != "ROOT" or noun.pos_ not in NOMINAL_POS:
        return None
    return None if any(map(is_finite, doc)) else (first, lemma)


def _command_of(first: Token) -> str | None:
    """Return the verb that a sentence begins with, if the model missed it, or None.

    Titles begin with a gerund: "Managing keys in BTP". Some gerunds are nouns ("Mapping tables").
    """
    if first.lower_.endswith("ing") and first.dep_ in _NOUN_MODIFIERS:
        return base_of_gerund(first.lower_, COMMAND_VERBS - _NOUN_GERUNDS)
    return first.lower_ if first.lower_ in COMMAND_VERBS and not is_verbal(first) else None


def _modified_noun(token: Token) -> Token:
    for _ in range(MAX_NOUNS):
        if token.dep_ in _NOUN_MODIFIERS:
            token = token.head
    return token


def _read_as_command(made: Doc, heads: list[int], command: Token, lemma: str) -> None:
    """Make the command the root, and the noun that it seemed to modify its object."""
    root = _modified_noun(command)
    verb = made[command.i]
    verb.tag_, verb.pos_, verb.lemma_ = "VB", "VERB", lemma
    if verb.i == root.i:
        return
    verb.dep_, heads[verb.i] = "ROOT", verb.i
    made[root.i].dep_, heads[root.i] = "dobj", verb.i
    for child in root.children:
        verbal = child.dep_ == "conj" and is_verbal(child)
        oblique = child.dep_ == "prep" and child.lower_ != "of"
        if verbal or oblique or child.dep_ in ("punct", "advmod") or child.i < verb.i:
            heads[child.i] = verb.i


def _is_misread_noun(token: Token) -> bool:
    """Tell whether a plural was read as a verb: "deletes the status tables VBUK"."""
    return token.tag_ == "VBZ" and token.dep_ in ("dobj", "pobj") and token.text.islower()


def _read_as_noun(made: Doc, heads: list[int], noun: Token) -> None:
    """Turn a verb into a noun; its subject becomes a part, its object a name."""
    made[noun.i].tag_, made[noun.i].pos_ = "NNS", "NOUN"
    for child in noun.children:
        if child.dep_ == "nsubj" and child.i == noun.i - 1:
            made[child.i].dep_ = "compound"
            for part in child.children:
                heads[part.i] = noun.i
        elif child.dep_ == "dobj" and child.i == noun.i + 1:
            made[child.i].dep_ = "appos"


def _is_misplaced_means(token: Token) -> bool:
    """Tell whether "using" was attached to an object: "Connects the steps using an adapter"."""
    if token.lower_ != "using" or token.dep_ != "acl" or first_child(token, "dobj") is None:
        return False
    return is_verbal(_acting(token.head))


def _read_as_means(made: Doc, heads: list[int], using: Token) -> None:
    made[using.i].dep_, heads[using.i] = "advcl", _acting(using.head).i


def _acting(noun: Token) -> Token:
    """Return the verb that governs an object or a preposition's noun, or another word."""
    while noun.dep_ in ("conj", "pobj", "prep") and noun.head.i < noun.i:
        noun = noun.head
    return noun.head if noun.dep_ == "dobj" else noun


def _is_misread_choice(token: Token) -> bool:
    """Tell whether "instead of" was read as coordination: "A instead of B"."""
    if token.dep_ != "cc" or token.lower_ != "of" or not token.i:
        return False
    return token.doc[token.i - 1].lower_ == "instead" and is_verbal(token.head.head)


def _read_as_preposition(made: Doc, heads: list[int], of: Token) -> None:
    """Make "instead of" a preposition of the verb."""
    noun = of.head
    made[of.i].dep_, heads[of.i] = "prep", noun.head.i
    heads[of.i - 1] = of.i
    for child in noun.children:
        if child.dep_ == "conj" and child.i > of.i:
            made[child.i].dep_, heads[child.i] = "pobj", of.i


def _is_misread_name(token: Token) -> bool:
    """Tell whether a name right after its noun was read as a time or another object."""
    if token.dep_ not in _NAME_DEPS:
        return False
    if _names_subject(token):
        return True
    if token.dep_ not in ("npadvmod", "dobj") or token.i == 0 or token.left_edge.i != token.i:
        return False
    noun = token.doc[token.i - 1]
    if noun.head != token.head or noun.dep_ != "dobj" or noun.pos_ != "NOUN":
        return False
    is_plain = token.tag_ in ("NN", "NNP") and not token.text.islower()
    return is_plain and token.ent_type_ not in TIME_ENTITIES


def _read_as_name(made: Doc, heads: list[int], name: Token) -> None:
    made[name.i].dep_, heads[name.i] = "appos", name.i - 1


def _names_subject(token: Token) -> bool:
    """Tell whether a subject's name was read as another subject: "the report ZSALES reads"."""
    if token.dep_ not in SUBJECT_DEPS or token.tag_ != "NNP" or token.left_edge.i != token.i:
        return False
    if token.i == 0 or token.text.islower():
        return False
    noun = token.doc[token.i - 1]
    return noun.head == token.head and noun.dep_ == token.dep_ and noun.tag_ == "NN"


def _ties_names(token: Token) -> bool:
    """Tell whether a "for" inside a name was attached elsewhere than to the first part."""
    if not is_within_name(token):
        return False
    name = token.doc[token.i - 1]
    governor = name.head.head if name.dep_ == "pobj" else name.head
    return token.head != name and governor == token.head


def _read_as_tie(_made: Doc, heads: list[int], tie: Token) -> None:
    heads[tie.i] = tie.i - 1


_REPAIRS: tuple[tuple[Callable[[Token], bool], Callable[[Doc, list[int], Token], None]], ...] = (
    (_is_misread_name, _read_as_name),
    (_is_misread_noun, _read_as_noun),
    (_is_misread_choice, _read_as_preposition),
    (_is_misplaced_means, _read_as_means),
    (_ties_names, _read_as_tie),
)
"""Pairs of a test for a misread word and its repair; later repairs may change earlier ones."""
