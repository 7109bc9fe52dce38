"""Mode `paper` against a slow, literal reading of Algorithm 2 (Min et al., arXiv 2507.03226)."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphrag_tasks.retrieval import Context, open_index
from graphrag_tasks.retrieval.modes import paper
from graphrag_tasks.retrieval.question import query as seeds
from tests.retrieval.small_worlds import FakeEmbedder, World, publish

vector = FakeEmbedder.vector
Constants = dict[str, int]


def cosine(left: Sequence[float], right: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))


def same_name(left: str, right: str) -> bool:
    return left.casefold().split() == right.casefold().split()


def best_first(scores: dict[str, float]) -> list[str]:
    return sorted(scores, key=lambda one: (-scores[one], one))


def find_seeds(world: World, query: list[float], phrases: Sequence[str], number: int) -> dict[str, str]:
    seeds: dict[str, str] = {}
    for phrase in phrases:
        for entity, name, aliases in sorted(world.entities):
            if any(same_name(phrase, one) for one in (name, *aliases)):
                seeds.setdefault(entity, f"noun phrase '{phrase}'")
    nearest = best_first({one: cosine(vector(name), query) for one, name, _ in world.entities})
    for entity in nearest[:number]:
        seeds.setdefault(entity, "vector")
    return seeds


def find_relations(world: World, seeds: dict[str, str], constants: Constants) -> list[str]:
    touching = sorted(one for one, head, _, tail in world.relations if head in seeds or tail in seeds)
    large = len(world.relations) >= constants["LARGE_GRAPH_RELATIONS"]
    cap = constants["RANDOM_K_RELATIONS_LARGE" if large else "RANDOM_K_RELATIONS"]
    if len(touching) <= cap:
        return touching
    generator = np.random.Generator(np.random.PCG64(constants["SEED"]))
    return [touching[place] for place in generator.choice(len(touching), cap, replace=False)]


def algorithm_2(world: World, question: str, phrases: Sequence[str], k: int, constants: Constants) -> dict[str, Any]:
    """Return ids with their scores, as the listing gives them."""
    query = vector(question)
    named = find_seeds(world, query, phrases, constants["SEED_ENTITIES"])
    relations = find_relations(world, named, constants)

    chunk_of = {sentence: chunk for sentence, chunk, _ in world.sentences}
    candidates = set()
    for relation, sentence, _ in world.evidence:
        if relation in relations:
            candidates.add(chunk_of[sentence])
    for entity, sentence in world.mentions:
        if entity in named:
            candidates.add(chunk_of[sentence])

    chunk_scores = {one: cosine(vector(text), query) for one, _, text in world.chunks}
    dense = best_first(chunk_scores)
    graph = best_first({one: chunk_scores[one] for one in candidates})
    fused: dict[str, float] = {}
    for ranked in (graph, dense):
        for place, chunk in enumerate(ranked, 1):
            fused[chunk] = fused.get(chunk, 0.0) + 1.0 / (constants["RRF_K"] + place)

    texts = {one: text for one, _, text, _ in world.relations}
    relation_scores = {one: cosine(vector(texts[one]), query) for one in relations}
    return {
        "chunks": [(one, fused[one]) for one in best_first(fused)[:k]],
        "relations": [(one, relation_scores[one]) for one in best_first(relation_scores)[: 2 * k]],
        "entity": list(named.items()),
    }


def ids_of(context: Context) -> dict[str, Any]:
    return {
        "chunks": [(one.chunk_id, one.ranking_score) for one in context.chunks],
        "relations": [(one.relation_id, one.score) for one in context.relations],
        "entity": [(one.entity_id, one.found_by) for one in context.entities],
    }


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Draw the tables of a small graph; ids are not in the order of the rows."""
    chunks = [f"c{number}" for number in draw(st.permutations(range(draw(st.integers(1, 12)))))]
    entities = [f"e{number}" for number in draw(st.permutations(range(draw(st.integers(0, 9)))))]
    names = [draw(st.sampled_from(["Alpha", "Beta box", "Gamma", "delta"])) + one[1:] for one in entities]
    count = draw(st.integers(0, 25)) if entities else 0
    relations = [f"r{number}" for number in draw(st.permutations(range(count)))]
    sentences = tuple((f"s{one}", one, f"sentence {one}") for one in chunks)
    some_entity, some_sentence = (st.sampled_from(entities or [""]), st.sampled_from([one for one, _, _ in sentences]))
    pairs = st.lists(st.tuples(some_entity, some_sentence), max_size=15)
    return World(
        documents=(("d", "Document"),),
        chunks=tuple((one, "d", draw(st.sampled_from("abcdefgh"))) for one in chunks),
        sentences=sentences,
        entities=tuple(
            (one, name, ("shared  alias",) if draw(st.booleans()) else ())
            for one, name in zip(entities, names, strict=True)
        ),
        relations=tuple(
            (one, draw(some_entity), draw(st.sampled_from("ijklmnop")), draw(some_entity)) for one in relations
        ),
        evidence=tuple(
            (one, sentence, 0.5)
            for one in relations
            for sentence in draw(st.lists(some_sentence, min_size=1, max_size=3))
        ),
        mentions=tuple(draw(pairs)) if entities else (),
        vectors_reversed=draw(st.booleans()),
    )


@settings(suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(
    world=worlds(),
    question=st.sampled_from("qrstuv"),
    phrases=st.lists(st.sampled_from(["alpha0", "BETA  BOX1", "Shared Alias", "gamma2", "nobody", ""]), max_size=3),
    k=st.integers(1, 6),
    constants=st.fixed_dictionaries(
        {
            "SEED_ENTITIES": st.integers(1, 4),
            "RANDOM_K_RELATIONS": st.integers(1, 8),
            "RANDOM_K_RELATIONS_LARGE": st.integers(4, 12),
            "LARGE_GRAPH_RELATIONS": st.integers(5, 30),
            "RRF_K": st.sampled_from([1, 60]),
            "SEED": st.integers(0, 3),
        }
    ),
)
def test_equals_the_literal_algorithm(
    world: World, question: str, phrases: list[str], k: int, constants: Constants
) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        for name, value in constants.items():
            patch.setattr(seeds if name == "SEED_ENTITIES" else paper, name, value)
        publish(Path(folder), world)
        index = open_index(folder, embedder=FakeEmbedder(), noun_phrases=lambda _: phrases)
        context = index.search(question, "paper", k)
    expected = algorithm_2(world, question, phrases, k, constants)
    assert ids_of(context) == expected
