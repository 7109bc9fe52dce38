"""Sentences whose verb the model takes for a noun, read a second time in other words.

News text, which the model was trained on, has few commands and other verbs. "Insert the following
code into the artifact" has no verb to it, nor has "This section explores released classes", and
the rest of the parse is wrong with it. "You must insert the following code ..." and "This section
shows released classes" are read well, so these are parsed; their parse is given to the words of
the sentence.
"""

from __future__ import annotations

from dataclasses import dataclass

from graphrag_tasks.extract.dependency.syntax import (
    PLURAL_TAGS,
    SUBJECT_DEPS,
    VERBAL_POS,
    has_subject,
    is_verbal,
)
from graphrag_tasks.extract.inflection import base_of_third_person
from graphrag_tasks.language.parser import copied
from graphrag_tasks.language.tokens import Doc, Token, attach

COMMAND_VERBS = frozenset(
    {"activate", "add", "adjust", "analyze", "apply", "archive", "assign", "avoid", "build", "call"}
    | {"change", "check", "choose", "clean", "clear", "click", "close", "compare", "complete"}
    | {"configure", "confirm", "connect", "consider", "convert", "copy", "create", "customize"}
    | {"debug", "decide", "declare", "define", "delete", "deploy", "describe", "determine"}
    | {"disable", "discover", "display", "download", "drag", "edit", "enable", "ensure", "enter"}
    | {"evaluate", "execute", "expand", "explore", "export", "expose", "extend", "extract", "fill"}
    | {"filter", "find", "follow", "generate", "get", "go", "grant", "handle", "hide", "identify"}
    | {"implement", "import", "improve", "include", "inform", "insert", "inspect", "install"}
    | {"integrate", "introduce", "invoke", "join", "keep", "launch", "learn", "leave", "limit"}
    | {"load", "log", "look", "maintain", "make", "manage", "map", "mark", "merge", "migrate"}
    | {"modify", "monitor", "move", "navigate", "note", "obtain", "omit", "open", "override"}
    | {"perform", "plan", "prefer", "prepare", "press", "print", "provide", "publish", "push"}
    | {"put", "read", "rebuild", "redesign", "reduce", "refactor", "refer", "register", "reload"}
    | {"remove", "rename", "repeat", "replace", "reset", "restart", "restore", "reuse", "review"}
    | {"revoke", "rewrite", "run", "save", "schedule", "search", "see", "select", "send", "set"}
    | {"show", "simplify", "skip", "sort", "specify", "split", "start", "stop", "store", "submit"}
    | {"subscribe", "switch", "synchronize", "take", "test", "transfer", "transform", "transport"}
    | {"trigger", "try", "turn", "understand", "uninstall", "update", "upgrade", "upload", "use"}
    | {"validate", "verify", "view", "wait", "wrap", "write"}
)
"""Verbs that instructions begin with. A noun among them ("test", "plan") begins one too, unless
the sentence has a finite verb."""

_READER = "You must "
_READER_WORDS = 2
_VERB = "shows"
"""Stands for a verb that the model does not know as one."""
_NOUN_STARTS = frozenset({"DT", "PRP$", "PDT"})
_NOMINAL_DEPS = frozenset({"compound", "amod", "nmod", "nsubj", "nsubjpass", "ROOT", "dep"})
_SINGULAR = frozenset({"a", "an", "another", "each", "every", "this"})
_SINGULAR_TAGS = frozenset({"NN", "NNP"})


@dataclass(frozen=True, slots=True)
class Rewording:
    """A sentence in words that the model knows.

    Attributes:
        text: What is to be parsed.
        skipped: Words of it before the first one of the sentence.
        verb: Number of the word, in the sentence, that is a verb in it.
    """

    text: str
    skipped: int
    verb: int


def reworded(doc: Doc) -> Rewording | None:
    """Return in what words to read a parsed sentence again, or None if its verb was not misread."""
    if _is_misread_command(doc):
        text = f"{_READER}{doc.text[0].lower()}{doc.text[1:]}"
        return Rewording(text, skipped=_READER_WORDS, verb=0)
    verb = next((token for token in doc if _is_misread_verb(token)), None)
    if verb is None:
        return None
    text = doc.text[: verb.idx] + _VERB + doc.text[verb.idx + len(verb) :]
    return Rewording(text, skipped=0, verb=verb.i)


def reread(doc: Doc, rewording: Rewording, parse: Doc) -> Doc:
    """Return a sentence with the parse of its rewording, unchanged if that has no verb either."""
    words = list(parse)[rewording.skipped :]
    if len(words) != len(doc) or not _is_read(words[rewording.verb], rewording):
        return doc
    made = copied(doc)
    for token, read in zip(made, words, strict=True):
        token.tag_, token.pos_, token.dep_ = read.tag_, read.pos_, read.dep_
        token.ent_type_, token.lemma_ = read.ent_type_, read.lemma_
        token.children = []
    if not rewording.skipped:
        verb = made[rewording.verb]
        verb.lemma_ = base_of_third_person(verb.lower_)
    attach(list(made), [max(read.head.i - rewording.skipped, 0) for read in words])
    return made


def is_finite(token: Token) -> bool:
    """Return whether a verb has a subject or a tense."""
    return is_verbal(token) and (has_subject(token) or token.tag_ in ("VBZ", "VBD", "MD"))


def _is_misread_command(doc: Doc) -> bool:
    """Return whether a sentence seems to be a command whose verb was read as a noun.

    It begins with a verb of `COMMAND_VERBS` that is none in the parse, and either has no finite
    verb or has an article right after that word, where a noun has none.
    """
    if len(doc) < 3 or not doc[0].text[1:].islower() or doc[0].lower_ not in COMMAND_VERBS:
        return False
    first, second = doc[0], doc[1]
    if first.pos_ in VERBAL_POS or first.dep_ not in _NOMINAL_DEPS or second.lower_ == "of":
        return False
    return second.tag_ in _NOUN_STARTS or not any(map(is_finite, doc))


def _is_misread_verb(token: Token) -> bool:
    """Return whether a verb was read as the plural of a noun.

    It follows a singular that has its own article ("this section explores"), or the gap that the
    colon of a label left ("Audit Log  stores").
    """
    torn = token.tag_ == "VBZ" and token.dep_ in SUBJECT_DEPS
    if not (torn or token.tag_ in PLURAL_TAGS) or token.i < 2 or not token.text.islower():
        return False
    noun = token.doc[token.i - 1]
    if noun.is_space:
        return True
    if noun.tag_ not in _SINGULAR_TAGS or token.dep_ == "compound":
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
