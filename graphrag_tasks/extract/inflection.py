"""English past participles, for the passive form of relations ("store" → "be stored in").

A frame keeps the lemma of its verb only, so that active and passive mentions of a fact can
meet; the participle is formed from it when a triple needs it.
"""

from __future__ import annotations

import re
from collections.abc import Collection

_IRREGULAR = {
    line.split()[0]: line.split()[1]
    for line in """
    be been|bear borne|beat beaten|become become|begin begun|bend bent|bind bound|bite bitten
    bleed bled|blow blown|break broken|breed bred|bring brought|build built|burst burst|buy bought
    cast cast|catch caught|choose chosen|come come|cost cost|cut cut|deal dealt|dig dug|do done
    draw drawn|drink drunk|drive driven|eat eaten|fall fallen|feed fed|feel felt|fight fought
    find found|fly flown|forbid forbidden|forget forgotten|forgive forgiven|freeze frozen|get got
    give given|go gone|grow grown|hang hung|have had|hear heard|hide hidden|hit hit|hold held
    hurt hurt|keep kept|know known|lay laid|lead led|leave left|lend lent|let let|light lit
    lose lost|make made|mean meant|meet met|pay paid|put put|quit quit|read read|ride ridden
    ring rung|rise risen|run run|say said|see seen|seek sought|sell sold|send sent|set set
    shake shaken|shed shed|shoot shot|show shown|shut shut|sing sung|sink sunk|sit sat
    sleep slept|speak spoken|spend spent|spin spun|split split|spread spread|stand stood
    steal stolen|stick stuck|strike struck|swear sworn|sweep swept|swim swum|swing swung
    take taken|teach taught|tear torn|tell told|think thought|throw thrown|understand understood
    wake woken|wear worn|win won|wind wound|write written
    """.replace("|", "\n").splitlines()
    if line.strip()
}
_IRREGULAR_PREFIXES = (
    "over",
    "under",
    "with",
    "fore",
    "re",
    "out",
    "up",
    "off",
    "pre",
    "mis",
    "un",
)
_REGULAR_WITH_PREFIX = frozenset({"relay"})
_STRESSED_LAST = frozenset(
    {"admit", "allot", "commit", "compel", "confer", "control", "debug", "defer", "embed", "emit"}
    | {
        "equip",
        "expel",
        "format",
        "impel",
        "incur",
        "infer",
        "instal",
        "occur",
        "omit",
        "patrol",
        "permit",
    }
    | {"prefer", "program", "rebut", "recur", "refer", "regret", "repel", "submit", "transfer"}
    | {"transmit", "unplug", "unzip"}
)
"""Verbs of several syllables that double their last consonant."""
_DOUBLING = re.compile(r"(?:^|[^aeiou])[aeiouy][bdfgklmnprtvz]$")
_VOWELS = re.compile(r"[aeiouy]+")


def past_participle(lemma: str) -> str:
    """Return the past participle of a verb's lemma.

    Returns:
        The participle: from the list of irregular verbs (also behind a prefix, as in
        "overwrite"), or else by the spelling rules of regular ones.
    """
    if lemma in _IRREGULAR:
        return _IRREGULAR[lemma]
    for prefix in _IRREGULAR_PREFIXES if lemma not in _REGULAR_WITH_PREFIX else ():
        stem = lemma.removeprefix(prefix)
        if stem != lemma and stem in _IRREGULAR:
            return prefix + _IRREGULAR[stem]
    return _regular(lemma)


def base_of_third_person(verb: str) -> str:
    """Return the base form of a regular verb's third person ("carries": "carry")."""
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return verb[:-2]
    return verb.removesuffix("s")


def base_of_gerund(gerund: str, verbs: Collection[str]) -> str | None:
    """Return which of some verbs a gerund is of ("mapping": "map", "using": "use"), or None."""
    stem = gerund.removesuffix("ing")
    if stem == gerund:
        return None
    undoubled = stem[:-1] if stem[-1:] == stem[-2:-1] else stem
    return next((one for one in (stem, stem + "e", undoubled) if one in verbs), None)


def _regular(lemma: str) -> str:
    if lemma.endswith("e"):
        return lemma + "d"
    if re.search(r"[^aeiou]y$", lemma):
        return lemma[:-1] + "ied"
    if lemma.endswith("ic"):
        return lemma + "ked"
    single_syllable = len(_VOWELS.findall(lemma)) == 1
    if lemma in _STRESSED_LAST or (single_syllable and _DOUBLING.search(lemma)):
        return lemma + lemma[-1] + "ed"
    return lemma + "ed"
