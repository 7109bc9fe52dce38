-- name: things
-- Entities by number, in order of their ids: mentions are many, and ids are long.
CREATE TABLE things AS
SELECT entity_id, centre AS key, any_value(name) AS name, any_value(type) AS type,
    any_value(is_term) AS is_term,
    any_value(type_source) AS type_source, any_value(is_named) AS is_named,
    row_number() OVER (ORDER BY entity_id) - 1 AS entity
FROM resolved GROUP BY entity_id, centre

-- name: ends
CREATE TABLE ends AS
SELECT surface, form.type AS type, form.name AS alias, form.key AS key, entity_id, entity
FROM surface_forms AS form JOIN resolved USING (key) JOIN things USING (entity_id)
WHERE problem IS NULL

-- name: titles
CREATE TABLE titles AS
SELECT entity_id, chunk_id, document_id, min(alias) AS alias, max(source) AS source
FROM entity_dictionary JOIN ends ON ends.surface = entity_dictionary.name AND ends.type = ''
WHERE problem IS NULL AND source IN ('title', 'heading') GROUP BY ALL

-- name: places
-- Sentences by number, in order of their ids.
CREATE TABLE places AS
SELECT *, row_number() OVER (ORDER BY sentence_id, chunk_id, document_id) - 1 AS place
FROM (
    SELECT sentence_id, chunk_id, document_id FROM sentences
    UNION SELECT sentence_id, chunk_id, document_id FROM triples
)

-- name: extracted
CREATE TABLE extracted AS
SELECT entity, place, start, "end", min(alias) AS alias, nullif(max(type), '') AS type FROM (
    SELECT entity, sentence_id, chunk_id, document_id, head_start AS start, head_end AS "end",
        alias, ends.type AS type
    FROM triples JOIN ends ON ends.surface = {head_surface} AND ends.type = {head_label}
    UNION ALL
    SELECT entity, sentence_id, chunk_id, document_id, tail_start, tail_end, alias, ends.type
    FROM triples JOIN ends ON ends.surface = {tail_surface} AND ends.type = {tail_label}
) JOIN places USING (sentence_id, chunk_id, document_id)
GROUP BY ALL

-- name: sought_names
SELECT key, entity, list(DISTINCT alias) AS forms, bool_or(names.type IS NOT NULL) AS typed,
    bool_or(titled.name IS NOT NULL) AS title
FROM ends JOIN names USING (key) LEFT JOIN (
    SELECT DISTINCT name FROM entity_dictionary WHERE source = 'title' AND problem IS NULL
) AS titled ON titled.name = surface
GROUP BY key, entity, mentions ORDER BY mentions DESC, key

-- name: texts
CREATE TABLE texts AS
SELECT place, text FROM sentences JOIN places USING (sentence_id, chunk_id, document_id)

-- name: located
CREATE TABLE located AS
WITH named AS (
    SELECT entity, place, start, "end", alias FROM found JOIN numbered USING (number)
)
SELECT entity, place, start, "end", alias, type, '{extracted}' AS source FROM extracted
UNION ALL
SELECT entity, place, start, "end", alias, NULL, '{name}'
FROM named
ANTI JOIN extracted ON extracted.entity = named.entity AND extracted.place = named.place
    AND extracted.start < named."end" AND named.start < extracted."end"

-- name: by_source
SELECT source, count(*) FROM located GROUP BY ALL

-- name: entities
SELECT entity_id, key, name, type, type_source, is_named, coalesce(counted.mentions, 0) AS mentions,
    coalesce(counted.chunks, 0) AS chunks, is_term
FROM things LEFT JOIN (
    SELECT entity, count(*) AS mentions, count(DISTINCT chunk) AS chunks
    FROM located JOIN (
        SELECT place, dense_rank() OVER (ORDER BY chunk_id) AS chunk FROM places
    ) USING (place) GROUP BY entity
) AS counted USING (entity)
WHERE counted.mentions IS NOT NULL OR entity_id IN (SELECT entity_id FROM titles)
ORDER BY entity_id

-- name: aliases
SELECT entity_id, alias, mentions
FROM (SELECT entity, alias, count(*) AS mentions FROM located GROUP BY entity, alias)
JOIN things USING (entity) ORDER BY entity, alias

-- name: mentions
SELECT entity, place, start, "end", alias, type, source FROM located
ORDER BY entity, place, start, "end"

-- name: sorted_titles
SELECT * FROM titles ORDER BY entity_id, chunk_id

-- name: entity_ids
SELECT entity_id FROM things ORDER BY entity

-- name: place_ids
SELECT sentence_id, chunk_id, document_id FROM places ORDER BY place
