-- name: ends
CREATE TABLE ends AS
SELECT surface, surface_forms.type AS type, problem, entity_id, resolved.type AS entity_type,
    is_term
FROM surface_forms LEFT JOIN resolved USING (key)

-- name: told
CREATE VIEW told AS
SELECT
    triple_id, sentence_id, chunk_id, triples.document_id, relation, phrase, negated, conditional,
    said, confidence, worth, valid_kind, valid_from, valid_to, head, tail,
    h.entity_id AS head_id, t.entity_id AS tail_id,
    h.type AS head_label, t.type AS tail_label,
    h.entity_type AS head_type, t.entity_type AS tail_type,
    h.problem AS head_problem, t.problem AS tail_problem,
    relation = 'be' AND t.problem IS NULL AND NOT t.is_term AND head_id <> tail_id
        AND regexp_full_match(t.surface, '[\p{Ll}-]+') AS is_ascribed
FROM triples
JOIN ends AS h ON h.surface = {head_surface} AND h.type = {head_label}
JOIN ends AS t ON t.surface = {tail_surface} AND t.type = {tail_label}

-- name: all_facts
-- Triples are facts as they are.
CREATE TABLE facts AS
SELECT * EXCLUDE (head_type, tail_type), NULL::VARCHAR AS violation, false AS refused FROM told

-- name: judged
-- Each triple in the words of the schema, with what is outside it.
CREATE VIEW judged AS
WITH worded AS (
    SELECT told.*, coalesce(inverse, false) AS turned, canonical, heads, tails,
        CASE WHEN turned THEN told.tail_id ELSE told.head_id END AS from_id,
        CASE WHEN turned THEN told.head_id ELSE told.tail_id END AS to_id,
        CASE WHEN turned THEN tail_type ELSE head_type END AS from_type,
        CASE WHEN turned THEN head_type ELSE tail_type END AS to_type
    FROM told LEFT JOIN rules
        ON wording = relation AND head_problem IS NULL AND tail_problem IS NULL
)
SELECT *, CASE
    WHEN head_problem IS NOT NULL OR tail_problem IS NOT NULL THEN NULL
    WHEN canonical IS NULL THEN '{unknown_relation}'
    WHEN NOT coalesce(list_contains(heads, from_type), heads IS NULL OR $untyped)
        THEN '{wrong_head}'
    WHEN NOT coalesce(list_contains(tails, to_type), tails IS NULL OR $untyped)
        THEN '{wrong_tail}'
END AS violation
FROM worded

-- name: facts_of_schema
CREATE TABLE facts AS
SELECT triple_id, sentence_id, chunk_id, document_id, negated, conditional, said, confidence, worth,
    valid_kind, valid_from, valid_to, head, head_label, tail, tail_label, head_problem, tail_problem, violation, is_ascribed,
    CASE WHEN violation IS NOT NULL AND $map THEN $map_to ELSE coalesce(canonical, relation) END
        AS relation,
    CASE WHEN NOT turned AND coalesce(canonical, relation) = relation
            AND NOT (violation IS NOT NULL AND $map)
        THEN phrase END AS phrase,
    CASE WHEN violation IS NOT NULL AND $map THEN head_id ELSE from_id END AS head_id,
    CASE WHEN violation IS NOT NULL AND $map THEN tail_id ELSE to_id END AS tail_id,
    violation IS NOT NULL AND $drop AS refused
FROM judged

-- name: witnesses
-- Copies of a sentence are one witness of a relation.
CREATE VIEW witnesses AS
SELECT head_id, relation, tail_id, negated, said, bool_and(conditional) AS conditional,
    bool_or(worth >= {least_worth} AND NOT conditional) AS is_told, max(confidence) AS confidence
FROM facts WHERE {related} GROUP BY head_id, relation, tail_id, negated, said

-- name: grouped
CREATE TABLE grouped AS
SELECT {relation_id} AS relation_id, * EXCLUDE (is_condition, is_told), CASE
        WHEN is_condition THEN '{condition}'
        WHEN is_told THEN '{fact}' ELSE '{association}' END AS kind
FROM (
    SELECT head_id, relation, tail_id, negated, count(*) AS weight,
        bool_and(conditional) AS is_condition, bool_or(is_told) AS is_told, {joint_confidence} AS confidence
    FROM witnesses GROUP BY head_id, relation, tail_id, negated
) WHERE confidence >= $least

-- name: unrelated
CREATE VIEW unrelated AS
SELECT coalesce(
    head_problem, tail_problem,
    CASE WHEN head_id = tail_id THEN '{same_ends}' ELSE violation END
) AS reason
FROM facts WHERE NOT ({related}) AND NOT ({attributed})
UNION ALL
SELECT '{unsure}' AS reason
FROM facts ANTI JOIN grouped USING (head_id, relation, tail_id, negated) WHERE {related}

-- name: phrased
-- Each relation in the words of most sentences, those that assert it first.
CREATE TABLE phrased AS
SELECT relation_id, phrase FROM stated
GROUP BY relation_id, phrase
QUALIFY row_number() OVER (
    PARTITION BY relation_id
    ORDER BY count(*) FILTER (NOT conditional) DESC, count(*) DESC, phrase
) = 1

-- name: stated
CREATE VIEW stated AS
SELECT relation_id, triple_id, sentence_id, chunk_id, document_id, coalesce(
        phrase, CASE WHEN negated THEN 'not ' || relation ELSE relation END
    ) AS phrase, conditional, said, facts.confidence, valid_kind, valid_from, valid_to
FROM facts JOIN grouped USING (head_id, relation, tail_id, negated)
WHERE {related}

-- name: named
CREATE TABLE named AS
SELECT entity_id, any_value(name) AS name FROM resolved GROUP BY entity_id

-- name: relations
SELECT relation_id, head_id, relation, tail_id,
    concat_ws(' ', h.name, CASE WHEN negated THEN 'not' END, relation, t.name) AS text,
    phrase, kind, negated, weight, confidence
FROM grouped JOIN phrased USING (relation_id)
JOIN named AS h ON h.entity_id = head_id
JOIN named AS t ON t.entity_id = tail_id
ORDER BY relation_id

-- name: evidence
FROM stated ORDER BY relation_id, triple_id

-- name: attributes
SELECT CASE WHEN is_head THEN tail_id ELSE head_id END AS entity_id, relation,
    coalesce(phrase, relation) AS phrase,
    CASE WHEN is_head THEN head ELSE tail END AS value,
    CASE WHEN is_head THEN head_label ELSE tail_label END AS type, negated, is_head,
    NOT is_head AND coalesce(tail_problem, '') = '{literal}' AND worth >= {least_worth} AND NOT conditional AS is_told,
    triple_id, sentence_id, chunk_id, document_id, confidence
FROM (SELECT *, head_problem IS NOT NULL AS is_head FROM facts WHERE {attributed})
ORDER BY entity_id, relation, value, triple_id

-- name: reasons
SELECT reason, count(*) FROM unrelated GROUP BY reason

-- name: violations
SELECT violation, count(*) FROM facts WHERE violation IS NOT NULL GROUP BY ALL
