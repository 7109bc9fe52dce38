-- name: begun
-- Names of three words and more that begin with a capital word, and what is left without it.
CREATE TABLE begun AS
SELECT key, split_part(key, ' ', 1) AS vendor, substr(key, strpos(key, ' ') + 1) AS rest
FROM names WHERE regexp_matches(name, '^\p{Lu}\p{L}+ [^ ]+ [^ ]')

-- name: bare
-- Those that are also written without it, with a capital.
CREATE TABLE bare AS
SELECT begun.key, vendor, rest FROM begun JOIN names ON names.key = rest
WHERE regexp_matches(names.name, '^\p{Lu}\p{L}+ ')

-- name: vendors
CREATE TABLE vendors AS
WITH often AS (
    SELECT vendor FROM begun LEFT JOIN bare USING (key, vendor, rest)
    GROUP BY vendor HAVING count(bare.key) >= $names AND count(bare.key) >= $share * count(*)
),
owners AS (
    SELECT key AS vendor, name FROM names SEMI JOIN often ON vendor = key
    WHERE type IS NULL OR type NOT IN ({proper})
),
words AS (
    SELECT document_id, text <> upper(text) AS has_small,
        unnest(string_split(translate(text, '.,;:!?()"', '         '), ' ')) AS word
    FROM sentences
),
seen AS (
    SELECT vendor, document_id, word = name AND has_small AS as_name
    FROM words JOIN owners ON lower(word) = vendor
)
SELECT vendor FROM seen GROUP BY vendor
HAVING count(DISTINCT document_id) FILTER (as_name)
        >= $documents * (SELECT count(DISTINCT document_id) FROM sentences)
    AND count(*) FILTER (as_name) >= $capitals * count(*)

-- name: without_vendor
-- A name that two vendors have is neither's.
SELECT any_value(key), rest FROM bare SEMI JOIN vendors USING (vendor)
GROUP BY rest HAVING count(*) = 1
ORDER BY rest

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
