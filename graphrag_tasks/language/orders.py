"""Sentences that instruct a language model; they state no facts."""

from __future__ import annotations

import re

_THING = r"(?:facts?|triples?|relations?|relationships?|edges?|entit(?:y|ies)|nodes?)"
_TELL = r"(?:add|insert|output|return|emit|extract|report|record|tell|write|append|include|state)"
_BEGINS = r"(?:^|[.:;,]\s|\b(?:and|or|please|then|so|to|must|should|shall)\s)"
_ORDERS = re.compile(
    rf"""
    \b(?:ignore|disregard|forget|override)\b.{{0,40}}\b(?:instructions?|prompts?|rules|above|previous|
        everything|examples?|rest)\b
    | \b(?:system|developer)\s(?:prompt|instructions?)\b
    | \b(?:your|these|new|previous|prior)\sinstructions?\b
    | \b(?:you\sare|act\sas|as)\s(?:now\s)?an?\s(?:\w+\s)?
        (?:ai|assistant|language\smodel|llm|chatbot)\b
    | {_BEGINS}{_TELL}\s(?:(?:the|this|that|these|those|an?|following|only|new|first)\s)+
        (?:\w+\s){{0,2}}{_THING}\b
    | {_BEGINS}(?:{_TELL}|answer|reply|respond)\s(?:with\s)?
        (?:nothing|only|no\s{_THING}|an?\sempty|that\b|in\sjson)
    | \b(?:do\snot|don['’]t|never)\s(?:extract|output|tell)\b
    | \b(?:language\smodels?|llms?|assistants?|chatbots?)\s(?:must|should|shall|has\sto|have\sto)\b
    | \b(?:answer|reply|respond)\s(?:in|with)\s(?:json|the\sfollowing|same)\b
    | "(?:head|tail|relation|relations|entities|sentence)"\s*:
    | <\|?/?(?:im_start|im_end|system|assistant|inst)\|?>
    | </(?:sentences?|text|data|documents?)>
    | /?\binst\]
    | (?:^|\s)\#{{1,3}}\s?(?:instruction|system|assistant|response)
    | \bassistant\s?:\s
    | ^(?:system|instructions?|response|prompt)\s?:\s(?:\S+\s+){{3}}
    """,
    re.IGNORECASE | re.VERBOSE,
)


def is_order(sentence: str) -> bool:
    """Tell whether a sentence instructs a language model."""
    return _ORDERS.search(" ".join(sentence.split())) is not None
