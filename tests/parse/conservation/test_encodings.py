"""Prose in any encoding and text format comes out equal, or is refused: never as nonsense."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from graphrag_tasks.core.config import ParseConfig
from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.sources.encodings import decode
from tests.parse.conservation.prose import PROSE

_UNICODE = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le")
_WEST = ("iso-8859-1", "cp1252", "iso-8859-15", "cp850", "mac-roman")
_OLD: dict[str, tuple[str, ...]] = {
    "russian": ("cp1251", "koi8-r", "iso-8859-5", "cp866", "mac-cyrillic"),
    "polish": ("iso-8859-2", "cp1250"),
    "czech": ("iso-8859-2", "cp1250", "cp852"),
    "greek": ("iso-8859-7", "cp1253"),
    "japanese": ("euc-jp", "shift_jis", "cp932", "iso2022_jp"),
    "chinese_simplified": ("gbk", "gb18030"),
    "chinese_traditional": ("big5",),
    "korean": ("euc-kr", "cp949", "iso2022_kr"),
    "arabic": ("cp1256", "iso-8859-6"),
    "french": _WEST,
    "german": _WEST,
}
PAIRS = [(language, encoding) for language in PROSE for encoding in (*_UNICODE, *_OLD[language])]
_CERTAIN = 1.0


def _html(sentences: Sequence[str]) -> str:
    return "<html><body>" + "".join(f"<p>{one}</p>\n" for one in sentences) + "</body></html>"


def _csv(sentences: Sequence[str]) -> str:
    rows = (f'{number},"{one}"' for number, one in enumerate(sentences))
    return "\n".join(["no,text", *rows])


def _passage(sentences: Sequence[str]) -> str:
    return json.dumps({"id": "1", "text": "\n".join(sentences)}, ensure_ascii=False)


FORMATS: dict[str, Callable[[Sequence[str]], str]] = {
    "txt": "\n\n".join,
    "md": "\n\n".join,
    "html": _html,
    "csv": _csv,
    "passage": _passage,
}


@pytest.mark.parametrize("media_type", FORMATS)
def test_every_sentence_is_kept_or_the_document_refused(parse_files: Any, media_type: str) -> None:
    files = {
        f"{language}/{encoding}.{media_type}": FORMATS[media_type](PROSE[language]).encode(encoding)
        for language, encoding in PAIRS
    }
    result = parse_files(files)
    texts: dict[str, str] = dict.fromkeys(files, "")
    names = {row["document_id"]: row["uri"] for row in result.tables["documents"].to_pylist()}
    for block in result.tables["blocks"].to_pylist():
        texts[names[block["document_id"]]] += block["text"] + "\n"
    refused = set()
    for row in result.tables["documents"].to_pylist():
        name = row["uri"]
        if row["status"] == "failed":
            assert row["error_code"] in ("encoding", "broken")
            refused.add(name)
            continue
        wrong = [one for one in PROSE[name.partition("/")[0]] if one not in texts[name]]
        assert not wrong, (name, row["encoding"], texts[name])
        assert row["encoding"]
        assert 0 < row["encoding_confidence"] <= 1
    if media_type == "passage":  # JSON is Unicode: RFC 8259
        assert refused == {name for name in files if "/utf" not in name}
    else:
        assert not refused


@pytest.mark.parametrize("encoding", ["cp1251", "koi8-r", "gbk", "iso-8859-2", "utf-16", "latin-1"])
@pytest.mark.parametrize(
    ("language", "true"),
    [
        ("russian", "cp1251"), ("russian", "koi8-r"), ("czech", "iso-8859-2"),
        ("polish", "cp1250"), ("french", "cp1252"), ("russian", "utf-8"), ("japanese", "utf-8"),
        ("greek", "iso-8859-7"), ("chinese_simplified", "gbk"), ("arabic", "cp1256"),
    ],
)  # fmt: skip
def test_what_a_page_declares_may_be_wrong(language: str, true: str, encoding: str) -> None:
    text = _html(PROSE[language]).replace("<html>", f"<html><meta charset={encoding}>")
    assert decode(text.encode(true), encoding).text == text


@pytest.mark.parametrize("encoding", ["cp1252", "iso-8859-1"])
@pytest.mark.parametrize("media_type", ["txt", "md", "csv", "html"])
def test_lines_in_another_encoding_leave_the_others_alone(parse_one: Any, media_type: str, encoding: str) -> None:
    lines = [f"Le café numéro {number} coûte cher, là où l'été dure." for number in range(40)]
    data = "\n\n".join(lines).encode().split(b"\n\n")
    for number in range(10, 15):
        data[number] = lines[number].encode(encoding)
    wrapped = [b"<p>%s</p>" % line for line in data] if media_type == "html" else data
    parsed = parse_one(f"a.{media_type}", b"\n\n".join(wrapped))
    text = "\n".join(text for _, text in parsed.kinds)
    assert not [number for number in range(40) if f"numéro {number} coûte cher" not in text]
    assert "Ã" not in text and "\ufffd" not in text
    assert text.count("café") == text.count("coûte") == len(lines)
    assert parsed.document["encoding"] == "utf-8+cp1252"


def test_a_damaged_letter_is_marked_and_counted(parse_one: Any) -> None:
    data = " ".join(PROSE["russian"]).encode()[:-2]
    parsed = parse_one("a.txt", data)
    assert parsed.kinds[0][1].startswith(PROSE["russian"][0])
    assert parsed.kinds[0][1].endswith("\ufffd")
    assert parsed.document["left_out"] == [{"reason": "invalid_characters", "count": 1}]
    assert parsed.document["encoding"] == "utf-8"


@pytest.mark.parametrize("uri", ["a.txt", "a.csv"])
def test_a_setting_wins(parse_files: Any, uri: str) -> None:
    config = ParseConfig(encoding={"old/**": "utf-8", "old/a/*": "koi8-r"})
    data = "Москва".encode("koi8-r")
    files = {f"old/a/{uri}": data, f"old/{uri}": data, f"new/{uri}": data}
    set_, wrong, unset = parse_files(files, config=config).tables["documents"].to_pylist()
    assert (set_["status"], set_["encoding"]) == ("parsed", "koi8-r")
    assert set_["encoding_confidence"] == _CERTAIN
    assert (wrong["status"], wrong["error_code"]) == ("failed", "encoding")
    assert "not text in utf-8. Set parse.encoding" in wrong["error_message"]
    assert (unset["status"], unset["error_code"]) == ("failed", "encoding")


@pytest.mark.parametrize("size", [100, 1000, 100_000])
def test_bytes_that_say_nothing_are_refused(size: int) -> None:
    data = bytes((number * number * 7 + number * 31) % 223 + 32 for number in range(size))
    with pytest.raises(DocumentError) as refused:
        decode(data)
    assert refused.value.code == "encoding"


def test_a_large_file_is_decoded_in_seconds() -> None:
    text = "\n".join(PROSE["russian"]) + "\n"
    data = text.encode("cp1251") * 25_000
    began = time.perf_counter()
    found = decode(data)
    assert time.perf_counter() - began < 8
    assert found.text.startswith(text)
    assert found.encoding.encoding == "cp1251"
    assert decode(data.replace(b"\n", b" ")).encoding.encoding == "cp1251"
