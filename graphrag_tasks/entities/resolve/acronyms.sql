-- name: acronyms
WITH introduced AS (
    SELECT {head_surface} AS long, {head_label} AS long_type,
        {tail_surface} AS short, {tail_label} AS short_type
    FROM triples WHERE rule = '{alias_rule}'
    UNION ALL
    SELECT long.name, '', short.name, ''
    FROM entity_dictionary AS long
        JOIN entity_dictionary AS short USING (chunk_id, source, surface)
    WHERE long.form = 'base' AND short.form = 'acronym' AND long.problem IS NULL
)
SELECT DISTINCT short.key AS short, long.key AS long
FROM introduced
JOIN surface_forms AS long ON long.surface = introduced.long AND long.type = long_type
JOIN surface_forms AS short ON short.surface = introduced.short AND short.type = short_type
WHERE long.problem IS NULL AND short.problem IS NULL
ORDER BY ALL

-- name: bracketed
-- What stands before brackets, up to eight words, and in them, once each.
SELECT DISTINCT unnest(regexp_extract_all(
    text, '(?:[\pL\pN_/&+.-]+ ){0,7}[\pL\pN_/&+.-]+ \([^()]{2,60}\)'
)) AS text
FROM (SELECT text FROM sentences UNION ALL SELECT text FROM cells)
WHERE contains(text, '(')
ORDER BY text

-- name: initials
WITH bare AS (
    SELECT key, name, key AS rest FROM names
    UNION ALL
    SELECT key, substr(name, strpos(name, ' ') + 1), substr(key, strpos(key, ' ') + 1)
    FROM names JOIN vendors ON vendor = split_part(key, ' ', 1)
    WHERE contains(key, ' ')
),
short AS (
    SELECT key, replace(rest, '.', '') AS letters FROM bare
    WHERE regexp_full_match(name, '(?:[A-Z]\.?){3,6}')
),
long AS (
    SELECT key, array_to_string(list_transform(list_filter(
        string_split_regex(rest, '[ -]+'),
        lambda word: NOT list_contains(['and', 'for', 'in', 'of', 'the'], word)
    ), lambda word: left(word, 1)), '') AS letters
    FROM bare
    WHERE regexp_full_match(name, '[A-Z][^ ]*(?:[ -]+(?:[A-Z][^ -]*|and|for|in|of|the))+')
),
pairs AS (SELECT short.key AS short, long.key AS long FROM short JOIN long USING (letters)),
sought AS (SELECT short AS key FROM pairs UNION SELECT long FROM pairs),
spelled AS (
    SELECT surface, type, key FROM surface_forms SEMI JOIN sought USING (key)
    WHERE problem IS NULL
),
places AS (
    SELECT key, document_id FROM triples
    JOIN spelled ON surface = {head_surface} AND type = {head_label}
    UNION
    SELECT key, document_id FROM triples
    JOIN spelled ON surface = {tail_surface} AND type = {tail_label}
    UNION
    SELECT key, document_id FROM entity_dictionary
    JOIN spelled ON spelled.surface = entity_dictionary.name AND spelled.type = ''
),
counted AS (SELECT key, count(*) AS documents FROM places GROUP BY key)
SELECT short, long FROM pairs
JOIN places AS here ON here.key = short
JOIN places AS there ON there.key = long AND there.document_id = here.document_id
JOIN counted ON counted.key = short
GROUP BY short, long, documents HAVING 3 * count(*) >= documents
ORDER BY ALL
