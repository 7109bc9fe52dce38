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

-- name: in_same_documents
-- Pairs of a short form and what it may stand for: by initials, or a person's first name, or surname with its title.
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
people AS (
    SELECT key, string_split(key, ' ') AS words FROM names
    WHERE type = 'PERSON' AND type_source = '{words}' AND regexp_full_match(name, '\p{Lu}[\p{L}''’-]+\.?( \p{Lu}[\p{L}.''’-]*){1,3}')
),
short_people AS (
    SELECT names.key AS short, people.key AS long FROM names JOIN people ON names.key = words[1]
    WHERE regexp_full_match(name, '\p{Lu}\p{Ll}+') AND NOT regexp_full_match(name, '{titles}')
    UNION
    SELECT names.key, people.key FROM names JOIN people
        ON split_part(names.key, ' ', 1) = words[1] AND split_part(names.key, ' ', 2) = words[-1]
    WHERE regexp_full_match(name, '{titles} \p{Lu}[^ ]+') AND len(words) > 2
),
pairs AS (
    SELECT short.key AS short, long.key AS long, '{initials}' AS rule FROM short JOIN long USING (letters)
    UNION ALL
    SELECT short, long, '{person}' FROM short_people QUALIFY count(*) OVER (PARTITION BY short) = 1
),
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
SELECT short, long, rule FROM pairs
JOIN places AS here ON here.key = short
JOIN places AS there ON there.key = long AND there.document_id = here.document_id
JOIN counted ON counted.key = short
GROUP BY short, long, rule, documents HAVING rule = '{person}' OR 3 * count(*) >= documents
ORDER BY ALL
