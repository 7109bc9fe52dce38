"""Technical names stay whole, the text is covered, and time is linear."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.lang.en import English
from spacy.tokens import Doc

from graphrag_tasks.language.models import TechnicalTokenizer

STOCK = English().tokenizer
TOKENIZER = TechnicalTokenizer(STOCK)
NAMES = re.split(
    r"\s+",
    """
/SCMB/TOOL S/4HANA R/3 VBBS-MATNR SAP-UI5 BC-CST-EQ CL_GUI_ALV_GRID CL_ABAP=>METHOD sy-subrc
lo_obj->get_data ls_order-matnr if_oo_adt_classrun~main I_SalesOrder~Material 7.50 v2.1.0
/usr/share/doc/x.txt C:\\Users\\x\\a.exe ./run.sh ../a/b.md ~/.ssh/config $HOME/bin src/app/main.py
/nSE38 SE16N https://a.b/c?d=e#f http://localhost:8080/x info@sap.com <name> <host>:<port>
--foo-bar --file=a.txt -x C++ C# F# .NET Node.js com.sap.foo.Bar get_data() foo.bar()
sap-client=100 ${VAR} {{name}} %TEMP% ZCL_* /IWFND/CL_* *.txt I/O ISO-8859-1 192.168.0.1""".strip(),
)
PLAIN = [
    "custom-code", "read/write", "VBAK/VBAP", "TCP/IP", "S/4HANA-based", "don't", "well-known",
    "end.Next", "50/60", "and/or", "(see above)", "2019-01-31", "U.S.", "e.g.", "rock'n'roll",
]  # fmt: skip


def words(text: str) -> list[str]:
    return [token.text for token in TOKENIZER(text)]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_one_token_and_marks_around_it_are_others(name: str) -> None:
    assert words(name) == [name]
    assert words(f"Use {name}, ({name}).") == ["Use", name, ",", "(", name, ")", "."]
    assert words(f"It uses {name}.") == ["It", "uses", name, "."]
    assert words(f'See "{name}": it is {name}!') == (["See", '"', name, '"', ":", "it", "is", name, "!"])


def assert_covers(doc: Doc, text: str) -> None:
    assert doc.text == text
    end = 0
    for token in doc:
        assert text[token.idx : token.idx + len(token)] == token.text
        assert text[end : token.idx] in ("", " ")
        end = token.idx + len(token)
    assert text[end:] in ("", " ")


pieces = st.sampled_from([*NAMES, *PLAIN, "x" * 90, "(" * 60, " ", ".", "\n", "é", "🙂"])


@given(st.lists(pieces | st.text(max_size=5), max_size=12).map("".join))
def test_tokens_cover_any_text(text: str) -> None:
    assert_covers(TOKENIZER(text), text)


@pytest.mark.parametrize("unit", ["(", "=>", "$%", "'\"", "<", "{", "a/", "A-", "a->", "{{a", "/.", "é", "a=", "--a"])
def test_time_grows_with_the_length_only(unit: str) -> None:
    start = time.perf_counter()
    text = unit * (200_000 // len(unit))
    assert_covers(TOKENIZER(text), text)
    assert time.perf_counter() - start < 5  # the model's own tokenizer would need hours
