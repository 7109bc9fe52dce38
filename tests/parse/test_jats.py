"""Journal articles in JATS: what is read, what is counted, and what other XML says."""

from __future__ import annotations

from typing import Any

import pytest

ARTICLE = """<?xml version="1.0"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS v1.2//EN" "http://127.0.0.1:9/JATS.dtd">
<article xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:m="http://www.w3.org/1998/Math/MathML">
<front><article-meta><article-id>10.1/x</article-id><title-group>
<article-title>Cranes of <italic>May</italic></article-title></title-group><contrib-group><contrib>
<name><surname>Lind</surname><given-names>Nora</given-names></name></contrib></contrib-group>
<abstract><p>It tells of cranes.</p></abstract></article-meta></front>
<body><sec><label>1</label><title>Harbour</title><p>They move &alpha; <bold>fast</bold><xref
rid="r1">[1]</xref>.<fn><p>Not all.</p></fn> See <ext-link xlink:href="https://x.org">it</ext-link>.
<!-- A remark --></p><fig><label>Figure 1</label><caption><title>A crane</title><p>In blue.</p>
</caption><alt-text>Blue</alt-text></fig><table-wrap><caption><p>Weights</p></caption><table><tr>
<th>Name</th><th>Tons</th></tr><tr><td>Big</td><!-- Two --><td>12</td></tr></table><table-wrap-foot>
<p>In May.</p></table-wrap-foot></table-wrap><list><list-item><p>First</p></list-item></list>
<disp-formula><alternatives><tex-math>a+b</tex-math><m:math><m:mi>ab</m:mi></m:math></alternatives>
</disp-formula></sec></body><back><ref-list><title>References</title><ref id="r1"><label>1</label>
<element-citation><name><surname>Roe</surname></name><article-title>Old</article-title><year>1999
</year></element-citation></ref></ref-list></back></article>"""


def test_an_article_is_read(parse_one: Any) -> None:
    parsed = parse_one("a.xml", ARTICLE.encode())
    assert parsed.kinds == [
        ("title", "Cranes of May"),
        ("paragraph", "Lind Nora"),
        ("paragraph", "It tells of cranes."),
        ("heading", "1 Harbour"),
        ("paragraph", "They move \u03b1 fast[1]. See it."),
        ("paragraph", "Not all."),
        ("paragraph", "Figure 1"),
        ("paragraph", "A crane"),
        ("paragraph", "In blue."),
        ("paragraph", "Weights"),
        ("table", "Name: Big | Tons: 12"),
        ("paragraph", "In May."),
        ("list_item", "First"),
        ("paragraph", "ab"),
        ("heading", "References"),
        ("paragraph", "1 Roe Old 1999"),
    ]
    assert parsed.document["title"] == "Cranes of May"
    assert parsed.blocks[4]["has_link"]
    left_out = {one["reason"]: one["count"] for one in parsed.document["left_out"]}
    assert left_out == {"alternative": 1, "comment": 2, "hidden": 1, "picture": 1}


BOMB = '<!DOCTYPE article [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><article><body>&b;</body></article>'


@pytest.mark.parametrize(
    ("data", "code", "status"),
    [
        ("", "empty_file", "empty"),
        ("<book><p>Words</p></book>", "unknown_type", "skipped"),
        ("<article><section><p>Words</p></section></article>", "unknown_type", "skipped"),
        ("<article><body/></article>", "no_text", "empty"),
        ("<article><body>", "broken", "failed"),
        (BOMB, "broken", "failed"),
        (f"<article><body>{'<sec>' * 300}{'</sec>' * 300}</body></article>", "broken", "failed"),
    ],
)
def test_what_is_no_article_is_refused(parse_one: Any, data: str, code: str, status: str) -> None:
    document = parse_one("a.xml", data.encode()).document
    assert (document["error_code"], document["status"]) == (code, status)
