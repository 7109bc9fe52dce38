-- name: words
-- Names of one word, by the entity that they name.
CREATE TABLE words AS
SELECT key AS word, coalesce(entity_id, {entity_id}) AS entity_id
FROM names LEFT JOIN decided USING (key) WHERE NOT contains(key, ' ')

-- name: told
-- What sentences and titles say that a name is, with what stands before the name.
SELECT entity_id, document_id, before, said, count(*) FROM (
    SELECT document_id, lower(regexp_extract(text, '{is_a}', 2)) AS word,
        regexp_extract(text, '{is_a}', 1) AS before, regexp_extract(text, '{is_a}', 3) AS said
    FROM sentences WHERE regexp_matches(text, '{may_tell}')
    UNION ALL
    SELECT document_id, lower(name), '', regexp_extract(surface, '\(([^()]+)\)$', 1)
    FROM entity_dictionary
    WHERE form = 'base' AND problem IS NULL AND regexp_matches(surface, '\(.*\p{Ll}.*\)$')
) JOIN words USING (word) GROUP BY ALL ORDER BY ALL

-- name: beside
-- Kinds of things that stand before names with a capital: "the table ORDER".
SELECT entity_id, document_id, kind, count(*) FROM (
    SELECT document_id, split_part(pair, ' ', 2) AS kind, lower(split_part(pair, ' ', 3)) AS word
    FROM (
        SELECT document_id, unnest(regexp_extract_all(text, '{beside}')) AS pair FROM sentences
    )
) SEMI JOIN kinds USING (kind) JOIN words USING (word) GROUP BY ALL ORDER BY ALL

-- name: labelled
-- Labels of people and of places that the words have as ends of triples, where labels hold.
SELECT entity_id, document_id, type IN {places}, count(*) FROM (
    SELECT document_id, {head_surface} AS surface, {head_label} AS type FROM triples
    UNION ALL
    SELECT document_id, {tail_surface}, {tail_label} FROM triples
) JOIN surface_forms USING (surface, type) JOIN words ON word = key
WHERE (type IN {places} OR type = 'PERSON')
    AND NOT EXISTS (FROM names WHERE type_source = '{doubted}')
GROUP BY ALL ORDER BY ALL

-- name: defined
-- What stands before acronyms in brackets.
SELECT DISTINCT entity_id, document_id, word, said FROM (
    SELECT document_id, lower(regexp_extract(said, '\(([^()]+)', 1)) AS word,
        lower(regexp_extract(said, '^[^(]*[^( ]')) AS said
    FROM (SELECT document_id, unnest(regexp_extract_all(text, '{defined}')) AS said FROM sentences)
) JOIN words USING (word) ORDER BY ALL

-- name: places
-- Where the words of the asked entities stand as they are written, but for those in longer names.
CREATE OR REPLACE TABLE places AS
WITH split AS (
    SELECT document_id, chunk_id, regexp_extract_all(text, '{token}') AS tokens FROM sentences
),
found AS (
    SELECT document_id, chunk_id, list_extract(tokens, place) AS token, place, tokens
    FROM (
        SELECT *, unnest(generate_series(1, array_length(tokens))) AS place
        FROM split WHERE array_length(tokens) > 0
    )
)
SELECT entity_id, document_id, chunk_id, token, count(*) AS mentions,
    count(*) FILTER (token <> lower(token) AND place > 1) AS capitals
FROM found JOIN words ON word = lower(token) SEMI JOIN asked USING (entity_id)
WHERE token = lower(token) OR NOT (
    regexp_matches(coalesce(list_extract(tokens, place + 1), ''), '^\p{Lu}')
    OR regexp_matches(CASE WHEN place > 1 THEN list_extract(tokens, place - 1) ELSE '' END, '^\p{Lu}')
        AND NOT regexp_full_match(lower(list_extract(tokens, place - 1)), '{openers}')
)
GROUP BY ALL

-- name: spelled
SELECT entity_id, document_id, token, sum(mentions)::BIGINT, sum(capitals)::BIGINT
FROM places GROUP BY ALL ORDER BY ALL

-- name: company
-- The words of the chunks that the asked entities stand in, entity by entity.
SELECT entity_id, document_id, word, count(*) AS count FROM (
    SELECT chunk_id, document_id, unnest(regexp_extract_all(lower(text), '\p{L}{3,}')) AS word
    FROM sentences
) JOIN (
    SELECT DISTINCT entity_id, document_id, chunk_id FROM places SEMI JOIN asked USING (entity_id)
) USING (chunk_id, document_id)
ANTI JOIN words USING (entity_id, word)
GROUP BY ALL ORDER BY entity_id
