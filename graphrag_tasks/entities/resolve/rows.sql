-- name: rows
-- Cells of columns of codes with those beside them in columns of names, one to one everywhere.
WITH single AS (
    SELECT document_id, ordinal, "row", "column", any_value(header) AS header,
        any_value(trim(text)) AS text
    FROM cells WHERE NOT is_header
    GROUP BY document_id, ordinal, "row", "column" HAVING count(*) = 1
),
told AS (
    SELECT *, regexp_full_match(text, '(?:/\w+/)?[A-Z][A-Z0-9_]+|\w+_\w+') AS is_code,
        regexp_full_match(text, '\p{Lu}[^ ]*(?: [^ ]+){1,7}') AND text <> upper(text)
            AND NOT regexp_matches(text, '[.:;]$') AS is_name
    FROM single
    WHERE NOT regexp_matches(lower(coalesce(header, '')), '\b(?:{no_names})')
),
sides AS (
    SELECT document_id, ordinal, "column",
        count(*) FILTER (is_code) >= $codes * count(*) AS has_codes,
        count(*) FILTER (is_name) >= $names * count(*) AS has_names
    FROM told GROUP BY document_id, ordinal, "column"
    HAVING count(*) > 1 AND count(DISTINCT text) >= $distinct * count(*)
),
pairs AS (
    SELECT DISTINCT lower(code.text) AS code, lower(name.text) AS name
    FROM sides AS left_side
    JOIN sides AS right_side USING (document_id, ordinal)
    JOIN told AS code USING (document_id, ordinal)
    JOIN told AS name USING (document_id, ordinal, "row")
    WHERE left_side.has_codes AND right_side.has_names
        AND abs(left_side."column" - right_side."column") = 1
        AND code."column" = left_side."column" AND name."column" = right_side."column"
        AND code.is_code AND name.is_name
),
single_pairs AS (
    FROM pairs QUALIFY count(*) OVER (PARTITION BY code) = 1
        AND count(*) OVER (PARTITION BY name) = 1
)
SELECT code, name FROM single_pairs
WHERE code IN (SELECT key FROM names) AND name IN (SELECT key FROM names)
ORDER BY ALL
