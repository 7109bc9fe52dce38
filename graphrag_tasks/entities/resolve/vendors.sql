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

-- name: pairs
-- A name that two vendors have is neither's.
SELECT any_value(key), rest FROM bare SEMI JOIN vendors USING (vendor)
GROUP BY rest HAVING count(*) = 1
ORDER BY rest
