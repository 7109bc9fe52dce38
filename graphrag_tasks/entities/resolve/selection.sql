-- name: comparable
SELECT key, name, type, mentions, is_term FROM names WHERE key IN (
    SELECT key FROM forms
    WHERE form IN (SELECT form FROM forms GROUP BY form HAVING count(*) > 1)
    UNION ALL
    SELECT unnest([shorter.key, other])
    FROM shorter JOIN names ON names.key = other
    UNION ALL
    SELECT key FROM named
) ORDER BY key

-- name: may_have_shorter
-- Others have no code whose kind `ShorterNames` takes away.
SELECT key, name, type, mentions, is_term FROM names WHERE regexp_matches(name, '[A-Z]')

-- name: names_of
-- The keys of the names that some documents have: in triples, titles, headings and tables.
SELECT DISTINCT key FROM surface_forms WHERE surface IN (
    SELECT unnest([head, tail, head_resolved, tail_resolved]) FROM triples SEMI JOIN of_documents USING (document_id)
    UNION ALL
    SELECT unnest([surface, name]) FROM entity_dictionary SEMI JOIN of_documents USING (document_id)
)

-- name: contexts
-- For each asked key, the first statements that the documents make of it.
WITH forms AS (SELECT DISTINCT surface, key FROM surface_forms JOIN asked USING (key)),
said AS (
    SELECT key, head || ' ' || relation || ' ' || tail AS statement
    FROM triples JOIN forms ON surface IN (head, tail)
),
numbered AS (
    SELECT key, statement, row_number() OVER (PARTITION BY key ORDER BY length(statement), statement) AS place
    FROM (SELECT DISTINCT key, statement FROM said)
)
SELECT key, list(statement ORDER BY place) FROM numbered WHERE place <= 2 GROUP BY key ORDER BY key
