-- name: verbs
-- Words that relations begin with, and that are no terms.
SELECT split_part(relation, ' ', 1) AS verb FROM triples WHERE rule <> 'table_row'
GROUP BY verb HAVING count(*) > 1 AND verb NOT IN (FROM term_nouns)

-- name: distinct_names
SELECT DISTINCT name FROM surface_forms WHERE regexp_matches(name, '[a-z]{3}')

-- name: kinds
CREATE TABLE kinds AS
SELECT noun, noun IN (FROM term_nouns) AS is_term
FROM heads JOIN surface_forms USING (name)
WHERE problem IS NULL AND ((is_modified AND NOT has_more) OR (has_more AND noun IN (FROM term_nouns)))
GROUP BY noun
HAVING count(DISTINCT key) >= $least
    AND (noun IN (FROM term_nouns) OR noun NOT IN (FROM no_kinds))

-- name: headers
SELECT DISTINCT header FROM entity_dictionary WHERE header IS NOT NULL

-- name: told
CREATE TABLE told AS
WITH nodes AS (SELECT surface, type, key, name FROM surface_forms WHERE problem IS NULL),
sort AS (
    SELECT surface, type, noun, is_plural FROM surface_forms
    JOIN heads USING (name) JOIN kinds USING (noun) WHERE is_term AND NOT has_more
)
SELECT key, kind, '{key}' AS source
FROM (
    SELECT header, name AS surface FROM entity_dictionary
    WHERE header IS NOT NULL AND problem IS NULL
    QUALIFY count(DISTINCT surface) OVER (PARTITION BY header) >= $least
) AS keyed
JOIN kinds_of_headers USING (header)
JOIN nodes ON nodes.surface = keyed.surface AND nodes.type = ''
WHERE noun IN (FROM term_nouns) OR noun IN (SELECT noun FROM kinds)
UNION ALL
SELECT key, upper(noun), '{list}'
FROM triples
JOIN nodes ON nodes.surface = tail AND nodes.type = {tail_label}
JOIN sort ON sort.surface = head AND sort.type = {head_label}
WHERE relation IN {includes} AND NOT negated AND rule IN ('example', 'list_item')
    AND is_plural AND tail_resolved IS NULL AND NOT ends_with(key, ' ' || noun)
    AND regexp_matches(name, '{name_like}') AND NOT regexp_matches(name, '{no_name}')

-- name: kinds_of
-- Of one source, the kind that most say; of a frequent name one sentence alone tells none.
CREATE TABLE kinds_of AS
SELECT key, kind, source AS kind_source
FROM told LEFT JOIN (SELECT key, sum(mentions) AS mentions FROM mentioned GROUP BY key) USING (key)
GROUP BY key, kind, source
HAVING source <> '{list}' OR count(*) * {mentions} >= coalesce(any_value(mentions), 0)
QUALIFY row_number() OVER (
    PARTITION BY key
    ORDER BY list_position(['{key}', '{list}'], source), count(*) DESC, kind
) = 1
