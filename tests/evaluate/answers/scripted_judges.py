"""Judges with known faults, as an endpoint answers: by the form that is asked for."""

import json
import random
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

Body = dict[str, Any]
NOTHING: Mapping[str, float] = MappingProxyType({})
Compare = Callable[[dict[str, Any], Body], str]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def is_right(text: str, reference: str) -> bool:
    """Tell whether a text has all words of the reference, and no other number or "not"."""
    said, wanted = words(text), words(reference)
    telling = {one for one in [*said, *wanted] if one.isdigit() or one == "not"}
    return set(wanted) <= set(said) and all(said.count(one) == wanted.count(one) for one in telling)


def honest(shown: dict[str, Any], _: Body) -> str:
    if "legacy" in shown:
        first, second = (shown[one] == shown["right"] for one in ("first", "second"))
    else:
        first, second = (is_right(shown[one], shown["reference"]) for one in ("first", "second"))
    return "neither" if first == second else "first" if first else "second"


def first_place(*_: object) -> str:
    return "first"


def longer(shown: dict[str, Any], _: Body) -> str:
    first, second = len(shown["first"]), len(shown["second"])
    return "neither" if first == second else "first" if first > second else "second"


class Guesser:
    """Answers at random, though not by the clock."""

    def __init__(self) -> None:
        self._draw = random.Random(0)

    def __call__(self, *_: object) -> str:
        return self._draw.choice(["first", "second"])


def judge(compare: Compare, known: Mapping[str, float] = NOTHING) -> Callable[[Body], str]:
    """Return the answers of a judge that is honest in all but how it compares two things.

    `known` are answers that it judges as a person does.
    """

    def answer(body: Body) -> str:
        shown = json.loads(body["messages"][1]["content"].split("\n\nYour last answer")[0])
        form = body["response_format"]["json_schema"]["schema"]["properties"]
        if "verdict" in form and (said := known.get(shown["answer"])) is not None:
            names = {1.0: "same", 0.5: "partly", 0.0: "different"}
            return json.dumps({"reason": "scripted", "verdict": names[said]})
        return json.dumps({"reason": "scripted"} | _verdict(form, shown, body, compare))

    return answer


def _verdict(form: Body, shown: dict[str, Any], body: Body, compare: Compare) -> Body:
    if "verdict" in form:
        right = is_right(shown["answer"], shown["reference"])
        return {"verdict": "same" if right else "different"}
    if "relevant" in form:
        shared = set(words(shown["answer"])) & set(words(shown["passage"]))
        return {"relevant": len(shared) > len(set(words(shown["answer"]))) / 2}
    if "statements" in form:
        return {"statements": [one for one in re.split(r"(?<=[.])\s+", shown["answer"]) if one]}
    if "verdicts" in form:
        text = " ".join(" ".join(shown["passages"]).split())
        said = {number: one in text for number, one in shown["statements"].items()}
        return {"verdicts": [{"statement": int(number), "reason": "", "supported": one}
                             for number, one in said.items()]}  # fmt: skip
    if "evasive" in form:
        return {"question": shown["answer"], "evasive": False}
    return {"better": compare(shown, body)}
