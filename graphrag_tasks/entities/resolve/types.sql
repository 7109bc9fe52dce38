-- name: chosen
CREATE TABLE chosen AS
FROM decided
UNION ALL
SELECT key, {entity_id}, key, name, type, is_term FROM names ANTI JOIN decided USING (key)

-- name: plain
-- An entity's type is that of its names by vote, else their kind; labels that do not hold are none.
CREATE TABLE plain AS
WITH entity AS (
    SELECT entity_id,
        list_extract({sources}, min(list_position({sources}, names.type_source))
            FILTER (names.type = chosen.type)) AS source,
        arg_min(struct_pack(kind, kind_source), struct_pack(
            place := list_position({kind_sources}, kind_source), less := -mentions, kind := kind
        )) FILTER (kind IS NOT NULL) AS kind
    FROM chosen JOIN names USING (key) GROUP BY entity_id
)
SELECT key, entity_id, centre, name,
    CASE WHEN source <> '{doubted}' THEN type ELSE kind.kind END AS type,
    CASE WHEN source <> '{doubted}' THEN source ELSE kind.kind_source END AS type_source,
    type IS NOT NULL AS is_named, is_term
FROM chosen JOIN entity USING (entity_id)

-- name: asked
SELECT DISTINCT key, entity_id, centre, name FROM chosen
WHERE entity_id IN (SELECT unnest($entities)) OR key IN (SELECT unnest($keys))

-- name: resolved
-- Names, and those of senses besides; what already has the name of a sense is that.
WITH row AS (
    SELECT key, coalesce(sense_id, entity_id) AS entity_id, coalesce(sense_key, centre) AS centre,
        coalesce(sense_name, name) AS name, kind, type, type_source, is_named, is_term
    FROM plain LEFT JOIN named_senses ON was = entity_id
    UNION ALL
    SELECT alias, sense_id, sense_key, sense_name, kind, CASE WHEN is_first THEN type END,
        CASE WHEN is_first THEN type_source END, is_named, is_term
    FROM further_names JOIN plain ON plain.key = homonym
    WHERE alias NOT IN (SELECT key FROM plain)
)
SELECT key, entity_id, centre, name,
    CASE WHEN kind IS NULL OR type_source = '{user}' THEN type ELSE kind END AS type,
    CASE WHEN kind IS NULL OR type_source = '{user}' THEN type_source ELSE '{is_a}' END
        AS type_source,
    is_named, is_term
FROM row ORDER BY key
