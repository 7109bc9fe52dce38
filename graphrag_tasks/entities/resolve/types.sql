-- name: chosen
CREATE TABLE chosen AS
FROM decided
UNION ALL
SELECT key, {entity_id}, key, name, type, is_term FROM names ANTI JOIN decided USING (key)

-- name: resolved
-- An entity's type is that of its names by vote. A label that is doubted gives none, but a person's one name is a
-- person's where a longer name has it, and a name in a column of a table where all that have a type have the same one has
-- it, too. A document that people have a role in is one. Else it is their kind.
WITH entity AS (
    SELECT entity_id, any_value(chosen.name) AS called, any_value(chosen.type) AS voted,
        list_extract({sources}, min(list_position({sources}, names.type_source))
            FILTER (names.type = chosen.type)) AS source,
        CASE WHEN sum(mentions) <= {most_of_kind} THEN
            arg_min(kind, struct_pack(less := -mentions, kind := kind)) FILTER (kind IS NOT NULL) END AS kind
    FROM chosen JOIN names USING (key) GROUP BY entity_id
),
person AS (
    SELECT DISTINCT unnest(string_split(called, ' ')) AS word FROM entity
    WHERE voted = 'PERSON' AND source = '{words}'
),
known AS (
    SELECT *, coalesce(source = '{doubted}', voted IS NULL) AS is_doubted,
        coalesce(voted, 'PERSON') = 'PERSON' AND called IN (FROM person) AS is_part
    FROM entity
),
cell AS (
    SELECT document_id, relation AS header, tail AS surface FROM triples WHERE extractor = '{table}'
    UNION
    SELECT document_id, '', head FROM triples WHERE extractor = '{table}'
),
of_column AS (
    SELECT DISTINCT document_id, header, entity_id, CASE WHEN NOT is_doubted THEN voted END AS told
    FROM cell JOIN surface_forms AS form ON form.surface = cell.surface AND form.type = ''
    JOIN chosen USING (key) JOIN known USING (entity_id)
),
typed_column AS (
    SELECT document_id, header, mode(told) AS told FROM of_column GROUP BY ALL
    HAVING count(told) > 1 AND count(DISTINCT told) = 1 AND 2 * count(told) >= count(*)
),
in_column AS (
    SELECT entity_id, min(typed_column.told) AS column_type
    FROM of_column JOIN typed_column USING (document_id, header) GROUP BY entity_id
    HAVING count(DISTINCT typed_column.told) = 1
),
head AS (
    SELECT DISTINCT entity_id FROM triples
    JOIN surface_forms AS form ON form.surface = tail AND form.type = '' JOIN chosen USING (key)
    WHERE rule = '{role}'
),
typed AS (
    SELECT entity_id, CASE WHEN is_doubted THEN NULL ELSE source END AS source,
        is_part, entity_id IN (FROM head) AS is_document, kind, CASE WHEN called[1] <> lower(called[1]) THEN column_type END AS column_type
    FROM known LEFT JOIN in_column USING (entity_id)
)
SELECT key, entity_id, centre, name,
    regexp_replace(
        CASE WHEN source IS NOT NULL THEN chosen.type WHEN is_part THEN 'PERSON'
            WHEN is_document THEN 'DOCUMENT' ELSE coalesce(column_type, kind) END,
        '^(GPE|LOC|FAC)$', 'PLACE'
    ) AS type,
    CASE WHEN source IS NOT NULL THEN source WHEN is_part THEN '{part}' WHEN is_document THEN '{role}'
        WHEN column_type IS NOT NULL THEN '{column}' WHEN kind IS NOT NULL THEN '{key}' END AS type_source,
    chosen.type IS NOT NULL AS is_named, is_term
FROM chosen JOIN typed USING (entity_id)
ORDER BY key
