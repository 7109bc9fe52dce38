"""Where syntax forbids that a name is the antecedent of a pronoun of the same sentence.

After Chomsky's binding principles B and C, read off the dependency tree. Only what the tree shows
without doubt is excluded, for parses are wrong more often than writers break these rules.
"""

from __future__ import annotations

from graphrag_tasks.extract.coref.names import Mention
from graphrag_tasks.extract.coref.parses import OBJECTS, SUBJECTS, Parse, Role

_ARGUMENTS = (Role.SUBJECT, Role.OBJECT)


def is_excluded(parse: Parse, pronoun: int, mention: Mention) -> bool:
    """Return whether the name cannot be what the pronoun stands for.

    Args:
        parse: The sentence of both.
        pronoun: Token of a pronoun that is not reflexive.
        mention: The name.
    """
    return (
        mention.start <= pronoun < mention.end
        or _holds(parse, pronoun, mention)
        or (parse.deps[pronoun] == "poss" and _is_possessed(parse, pronoun, mention))
        or _is_coargument(parse, pronoun, mention)
        or _is_below_subject(parse, pronoun, mention)
    )


def _holds(parse: Parse, pronoun: int, mention: Mention) -> bool:
    """Return whether the pronoun stands inside the name's own phrase: "[his brother John]"."""
    top = parse.name_head(mention.head)
    above = parse.ancestors(pronoun)
    if top not in above or parse.pos[top] not in ("NOUN", "PROPN"):
        return False
    path = [pronoun, *above[: above.index(top)]]
    return len(path) == 1 or (len(path) == 2 and parse.deps[path[1]] in ("appos", "compound"))


def _is_possessed(parse: Parse, pronoun: int, mention: Mention) -> bool:
    owned, top = parse.heads[pronoun], parse.name_head(mention.head)
    apposed = (parse.deps[top] == "appos" and parse.heads[top] == owned) or (
        parse.deps[owned] == "appos" and parse.heads[owned] == top
    )
    return owned in (top, mention.head) or apposed


def _is_coargument(parse: Parse, pronoun: int, mention: Mention) -> bool:
    """Return whether pronoun and name are arguments of one verb: "John saw him"."""
    role, other = parse.role(pronoun), parse.role(mention.role_head)
    verb, governor = parse.heads[pronoun], parse.heads[mention.role_head]
    if role in _ARGUMENTS and other in _ARGUMENTS and governor == verb:
        return mention.role_head != pronoun
    if role in (Role.OBLIQUE, Role.AGENT) and governor == parse.heads[verb]:
        verbal = parse.pos[governor] in ("VERB", "AUX")
        before = mention.head < pronoun
        return other == Role.OBJECT or (other == Role.SUBJECT and before and verbal)
    if role == Role.OBJECT and parse.deps[verb] == "xcomp" and governor == parse.heads[verb]:
        controlled = any(parse.deps[child] in OBJECTS for child in parse.children(governor))
        return other == Role.OBJECT or (other == Role.SUBJECT and not controlled)
    return False


def _is_below_subject(parse: Parse, pronoun: int, mention: Mention) -> bool:
    """Return whether the pronoun is a subject and the name follows below its verb."""
    if mention.head < pronoun or parse.deps[pronoun] not in SUBJECTS:
        return False
    verb = parse.heads[pronoun]
    return verb == mention.head or verb in parse.ancestors(mention.head)
