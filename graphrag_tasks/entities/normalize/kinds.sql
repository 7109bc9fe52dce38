-- name: headers
SELECT DISTINCT header FROM entity_dictionary WHERE header IS NOT NULL

-- name: kinds_of
-- The kind that the headers above most of its keys tell.
CREATE TABLE kinds_of AS
WITH kind AS (
    SELECT DISTINCT header, kind FROM kinds_of_headers
    WHERE noun IN (FROM term_nouns) OR noun IN (
        SELECT noun FROM kinds_of_headers JOIN surface_forms ON ends_with(key, ' ' || noun)
        WHERE problem IS NULL GROUP BY noun HAVING count(DISTINCT key) >= $least_of_kind
    )
),
keyed AS (
    SELECT header, name AS surface FROM entity_dictionary WHERE header IS NOT NULL AND problem IS NULL
    QUALIFY count(DISTINCT surface) OVER (PARTITION BY header) >= $least_of_column
)
SELECT key, kind
FROM keyed JOIN kind USING (header)
JOIN surface_forms AS form ON form.surface = keyed.surface AND form.type = '' AND form.problem IS NULL
GROUP BY key, kind
QUALIFY row_number() OVER (PARTITION BY key ORDER BY count(*) DESC, kind) = 1
