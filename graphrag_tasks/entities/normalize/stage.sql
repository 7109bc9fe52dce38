-- name: ends
CREATE VIEW ends AS
SELECT {head_surface} AS surface, {head_label} AS type, document_id,
    sentence_id AS place, head_start AS start, NULL AS source,
    extractor = '{given}' AND head_type IS NOT NULL AS is_given, extractor = 'llm' AS is_read
FROM triples
UNION ALL
SELECT {tail_surface}, {tail_label}, document_id, sentence_id, tail_start, NULL,
    extractor = '{given}' AND tail_type IS NOT NULL, extractor = 'llm'
FROM triples
UNION ALL
SELECT DISTINCT name, '', document_id, document_id, 0, source, false, false
FROM entity_dictionary WHERE problem IS NULL

-- name: found
CREATE TABLE found AS
SELECT surface, type, max(source) AS source,
    bool_or(source IS NULL) AS told, bool_or(is_given) AS is_given, bool_or(is_read) AS is_read
FROM ends GROUP BY surface, type

-- name: words
SELECT word, count(*) FROM (
    SELECT unnest(regexp_extract_all(lower(text), '\p{L}+')) AS word FROM sentences
) GROUP BY word

-- name: defined
SELECT lower(name) FROM entity_dictionary WHERE source = 'term' AND problem IS NULL
UNION
SELECT lower(head) FROM triples WHERE extractor = '{given}'
UNION
SELECT lower(tail) FROM triples WHERE extractor = '{given}'

-- name: nouns
SELECT bare FROM judged WHERE bare IS NOT NULL
UNION
SELECT key FROM judged WHERE problem IS NULL AND regexp_full_match(key, '\p{Ll}+')

-- name: generic
-- Nouns that are no terms, in many documents or in many sentences.
CREATE TABLE generic AS
SELECT bare FROM ends JOIN judged USING (surface, type)
WHERE bare IS NOT NULL AND bare NOT IN (FROM terms)
GROUP BY bare HAVING count(DISTINCT document_id) >= greatest(
    $documents, $share * (SELECT count(DISTINCT document_id) FROM triples)
) OR count(DISTINCT place) >= greatest(
    $sentences, $share_of_sentences * (SELECT count(*) FROM sentences)
)

-- name: surface_forms
CREATE TABLE surface_forms AS
SELECT surface, type, key, name, label, told_by, CASE
    WHEN problem IS NULL AND source IS DISTINCT FROM '{title}'
        AND key IN (SELECT key FROM judged WHERE bare IN (FROM generic))
    THEN '{generic}' ELSE problem
END AS problem
FROM judged

-- name: sorted_surface_forms
SELECT surface, type, key, name, problem FROM surface_forms ORDER BY surface, type

-- name: mentioned
CREATE TABLE mentioned AS
SELECT key, alias, label, told_by, count(*) AS mentions FROM (
    SELECT DISTINCT key, name AS alias, label, told_by, place, start
    FROM ends JOIN surface_forms USING (surface, type) WHERE problem IS NULL
) GROUP BY ALL

-- name: named
CREATE TABLE named AS
SELECT key, alias AS name FROM mentioned GROUP BY key, alias
QUALIFY row_number() OVER (PARTITION BY key ORDER BY sum(mentions) DESC, alias) = 1

-- name: labelled
-- A user's type, else the technical type of most mentions, else the label of most, be it none.
CREATE TABLE labelled AS
SELECT key, label AS type, list_extract({sources}, min(list_position({sources}, told_by))) AS type_source
FROM mentioned GROUP BY key, label
QUALIFY row_number() OVER (
    PARTITION BY key
    ORDER BY coalesce(min(list_position({sources}, told_by)) = 1, false) DESC,
        coalesce(min(list_position({sources}, told_by)) <= {technical}, false) DESC,
        sum(mentions) DESC, label NULLS LAST
) = 1

-- name: names
WITH counted AS (SELECT key, sum(mentions)::BIGINT AS mentions FROM mentioned GROUP BY key),
term AS (
    SELECT key FROM judged WHERE bare IN (FROM terms) OR key IN (FROM terms)
    UNION
    SELECT key FROM judged SEMI JOIN (
        SELECT name AS surface FROM entity_dictionary
        WHERE source IN ('key', 'term') AND problem IS NULL
    ) USING (surface) WHERE problem IS NULL
)
SELECT key, name, type, type_source, kind, mentions, key IN (FROM term) AS is_term
FROM counted JOIN named USING (key) JOIN labelled USING (key) LEFT JOIN kinds_of USING (key)
ORDER BY key

-- name: problems
SELECT problem, count(*) FROM surface_forms WHERE problem IS NOT NULL GROUP BY problem
