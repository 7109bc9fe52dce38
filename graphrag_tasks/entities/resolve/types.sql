-- name: chosen
CREATE TABLE chosen AS
FROM decided
UNION ALL
SELECT key, {entity_id}, key, name, type, is_term FROM names ANTI JOIN decided USING (key)

-- name: resolved
-- An entity's type is that of its names by vote, else their kind; labels that do not hold are none.
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
ORDER BY key
