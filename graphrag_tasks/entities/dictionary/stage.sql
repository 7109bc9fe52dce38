-- name: keys
-- Cells of first columns below a header; a column in which one comes twice has no keys.
CREATE TABLE keys AS
SELECT document_id, ordinal, sheet, text, char_start, header FROM cells
WHERE "column" = 0 AND col_span = 1 AND value_type = 'text' AND NOT is_header AND header <> ''
WINDOW of_table AS (PARTITION BY document_id, ordinal, sheet)
QUALIFY count(*) OVER of_table > 1
    AND count(*) OVER of_table = count(DISTINCT text) OVER of_table

-- name: terms
-- Items of lists in which two or more have a few words before a colon or a dash.
CREATE TABLE terms AS
WITH items AS (
    SELECT document_id, char_start,
        ordinal - row_number() OVER (PARTITION BY document_id ORDER BY ordinal) AS list,
        regexp_extract(text, '{defines}', 1) AS term,
        regexp_extract(text, '{defines}', 2) AS explanation
    FROM blocks WHERE kind = 'list_item'
)
SELECT document_id, char_start, term AS text, left(explanation, 200) AS explanation
FROM items WHERE term <> ''
QUALIFY count(*) OVER (PARTITION BY document_id, list) > 1

-- name: glossary
-- What stands in a glossary: items and cells before their explanation, and headings below its own.
CREATE TABLE glossary AS
WITH placed AS (
    SELECT *, lead(kind) OVER of_document AS next_kind,
        last_value(CASE WHEN kind IN ('title', 'heading') AND length(text) > 1 THEN text END
            IGNORE NULLS) OVER of_document AS heading
    FROM blocks WINDOW of_document AS (PARTITION BY document_id ORDER BY ordinal)
)
SELECT text, document_id, char_start FROM placed
WHERE kind = 'list_item' AND next_kind IN ('list_item', 'paragraph')
    AND length(text) <= 60 AND regexp_matches(heading, '{is_glossary}')
UNION
SELECT regexp_extract(text, '^([^:\n]{2,60}?)(?: ?:| [-–—])\s', 1), document_id, char_start
FROM placed WHERE kind IN ('list_item', 'paragraph') AND regexp_matches(heading, '{is_glossary}')
UNION
SELECT text, document_id, char_start FROM cells
WHERE "column" = 0 AND NOT is_header AND char_start IS NOT NULL
    AND regexp_matches(header, '{is_column}')
UNION
SELECT list_extract(heading_path, array_length(heading_path)), document_id, char_start FROM chunks
WHERE array_length(heading_path) > 1 AND array_length(list_filter(
    list_slice(heading_path, 1, array_length(heading_path) - 1),
    lambda one: regexp_matches(one, '{is_glossary}'))) > 0

-- name: defined
-- Keys of the columns of which at least half are names, and terms that are defined.
CREATE TABLE defined AS
SELECT text, '{key}' AS source, document_id, char_start, header FROM (
    FROM (SELECT *, text IN (FROM named_keys) AS is_name FROM keys)
    WINDOW of_table AS (PARTITION BY document_id, ordinal, sheet)
    QUALIFY 2 * count(*) FILTER (is_name) OVER of_table >= count(*) OVER of_table
) WHERE is_name
UNION ALL
SELECT text, '{term}', document_id, char_start, NULL
FROM terms SEMI JOIN named_terms USING (text, explanation)
UNION
SELECT text, '{term}', document_id, char_start, NULL FROM glossary SEMI JOIN glossary_terms USING (text)

-- name: places
CREATE TABLE places AS
SELECT DISTINCT unnest(heading_path) AS surface, '{heading}' AS source, document_id, chunk_id,
    title_source, NULL AS header
FROM chunks JOIN documents USING (document_id)
UNION ALL
SELECT title, '{title}', document_id, chunk_id, title_source, NULL
FROM chunks JOIN documents USING (document_id)
UNION ALL
SELECT DISTINCT defined.text, source, document_id, chunk_id, '', header
FROM defined JOIN chunks USING (document_id)
WHERE defined.char_start >= chunks.char_start AND defined.char_start < chunks.char_end

-- name: distinct
SELECT surface, source, title_source, list(DISTINCT document_id) AS documents
FROM places GROUP BY ALL ORDER BY ALL

-- name: entity_dictionary
SELECT surface, name, form, source, document_id, chunk_id, header, problem
FROM places JOIN judged USING (surface, source, title_source)
ORDER BY document_id, chunk_id, source, surface, form, header
