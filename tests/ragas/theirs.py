"""The figures of the ragas package on the cases, as JSON; runs in an environment of its own."""

import asyncio
import json
import sys
from typing import Any

from cases import Case, Guesses, cases, named, vector
from ragas.embeddings.base import BaseRagasEmbedding
from ragas.llms.base import InstructorBaseRagasLLM
from ragas.metrics.collections import AnswerRelevancy, ContextPrecisionWithReference, Faithfulness


class Scripted(InstructorBaseRagasLLM):
    def __init__(self) -> None:
        self._cases = {one.number: one for one in cases()}
        self._guesses = Guesses()

    def generate(self, prompt: str, response_model: Any) -> Any:
        fields = response_model.model_fields
        if "noncommittal" in fields:
            question, evasive = self._guesses.next(prompt)
            return response_model(question=question, noncommittal=int(evasive))
        if "verdict" in fields:
            number, place = named(prompt, "passage")
            return response_model(reason="", verdict=int(self._cases[number].relevant[place]))
        if response_model.__name__ == "StatementGeneratorOutput":
            number, _ = named(prompt, "answer")
            return response_model(statements=self._cases[number].statements)
        number, _ = named(prompt, "statement")
        case = self._cases[number]
        said = zip(case.statements, case.supported, strict=True)
        return response_model.model_validate(
            {"statements": [{"statement": text, "reason": "", "verdict": int(one)} for text, one in said]}
        )

    async def agenerate(self, prompt: str, response_model: Any) -> Any:
        return self.generate(prompt, response_model)


class Vectors(BaseRagasEmbedding):
    def embed_text(self, text: str, **_: Any) -> list[float]:
        return vector(text)

    async def aembed_text(self, text: str, **_: Any) -> list[float]:
        return vector(text)


async def figures(case: Case, llm: Scripted) -> dict[str, float]:
    precision = await ContextPrecisionWithReference(llm=llm).ascore(
        user_input=case.question, reference=case.reference, retrieved_contexts=case.passages
    )
    faithful = await Faithfulness(llm=llm).ascore(
        user_input=case.question, response=case.answer, retrieved_contexts=case.passages
    )
    relevancy = await AnswerRelevancy(llm=llm, embeddings=Vectors()).ascore(
        user_input=case.question, response=case.answer
    )
    return {"context_precision": precision.value, "faithfulness": faithful.value, "answer_relevancy": relevancy.value}


async def main() -> None:
    llm = Scripted()
    sys.stdout.write(json.dumps([await figures(one, llm) for one in cases()]))


asyncio.run(main())
