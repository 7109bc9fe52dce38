"""What hostile documents gain where the model obeys them: nothing but what they state."""

from collections.abc import Callable

import pytest

from tests.extract.llm.conftest import Reader, answer
from tests.extract.llm.hostile import GOOD, HEAD, PASSAGES, TAIL

FAR = "Project Zephyrion{number} funds Quorumex{number}."  # Stands in another window, of the same request.


def document(number: int, text: str) -> str:
    good, far = GOOD.format(code=f"ZREP{number}"), FAR.format(number=number)
    filler = "The posting run starts every night. The job log lists each posting. The run ends early."
    return f"# Page {number}\n\n{good}\n\n{filler}\n\n{text}\n\n# Far {number}\n\n{far}\n"


def obey(sentences: dict[int, str]) -> str:
    """Tell what the passage of a document orders, of every sentence; and text of another window."""
    said = " ".join(sentences.values())
    found = [one for one in PASSAGES if " ".join(one.text.split())[:60] in said]
    facts = [fact for one in found for fact in one.told]
    if not found or found[0].kind == "drop":
        return answer()
    number = said.partition("Zephyrion")[2].partition(" ")[0]
    facts += [(f"report ZREP{number}", "reads", f"Quorumex{number}")]
    return answer(*((place, *fact) for place in sentences for fact in facts))


@pytest.mark.parametrize("extractor", ["llm", "hybrid"])
def test_an_obeying_model_adds_only_what_sentences_state_and_drops_nothing(
    reader: Callable[..., Reader], extractor: str
) -> None:
    documents = {f"{i}.md": document(i, one.text) for i, one in enumerate(PASSAGES)}
    critical = {"llm": {"share": 1}}
    found = reader(obey).read(documents, extract={"extractor": extractor, **critical})
    texts = {row["sentence_id"]: row["text"] for row in found.tables["sentences"]}
    triples = found.tables["adopted_triples"]
    injected = [row for row in triples if HEAD in row["head"] and TAIL in row["tail"]]
    said = [texts[row["sentence_id"]] for row in injected]
    assert all(HEAD in one and TAIL in one for one in said)  # what a sentence states is a statement
    for row in triples:
        if row["extractor"] == "llm":
            text = " ".join(texts[row["sentence_id"]].split())
            assert row["head"].casefold() in text.casefold(), row
            assert row["tail"].casefold() in text.casefold(), row
    kept = {(row["head"], row["relation"], row["tail"]) for row in triples}
    for number in range(len(PASSAGES)):
        assert (f"report ZREP{number}", "read", "table BSEG") in kept, PASSAGES[number]
        assert (f"report ZREP{number}", "replace", "report RFOLD") in kept, PASSAGES[number]
        assert not any(f"Quorumex{number}" in tail and "ZREP" in head for head, _, tail in kept)
    of_sentence: dict[str, int] = {}
    for row in triples:
        if row["extractor"] == "llm":
            of_sentence[row["sentence_id"]] = of_sentence.get(row["sentence_id"], 0) + 1
    assert max(of_sentence.values(), default=0) <= 20
    assert {"tail", "both_elsewhere"} <= set(found.reasons)
