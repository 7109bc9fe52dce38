-- name: thing
CREATE TABLE thing AS
SELECT entity_id, (row_number() OVER (ORDER BY entity_id) - 1)::INT AS entity FROM entities

-- name: tie
CREATE TABLE tie AS
SELECT relation_id, (row_number() OVER (ORDER BY relation_id) - 1)::INT AS relation,
    h.entity AS head, t.entity AS tail, weight, confidence, kind = '{fact}' AS is_fact
FROM relations JOIN thing AS h ON h.entity_id = head_id JOIN thing AS t ON t.entity_id = tail_id

-- name: mentioned
CREATE TABLE mentioned AS
SELECT entity, chunk_id, count(*) AS times FROM mentions JOIN thing USING (entity_id) GROUP BY ALL

-- name: closeness
-- The cosine of both ends' mentions by chunk. The end in fewer chunks leads, so hubs cost no more.
WITH spread AS (
    SELECT entity, count(*) AS chunks, sqrt(sum(times * times)::DOUBLE) AS length
    FROM mentioned GROUP BY entity
),
pair AS (
    SELECT relation, h.length * t.length AS lengths,
        CASE WHEN h.chunks <= t.chunks THEN head ELSE tail END AS narrow,
        CASE WHEN h.chunks <= t.chunks THEN tail ELSE head END AS wide
    FROM tie JOIN spread AS h ON h.entity = head JOIN spread AS t ON t.entity = tail
),
shared AS (
    SELECT relation, sum(a.times * b.times)::DOUBLE / any_value(lengths) AS closeness
    FROM pair JOIN mentioned AS a ON a.entity = narrow
    JOIN mentioned AS b ON b.entity = wide AND b.chunk_id = a.chunk_id
    GROUP BY relation
)
SELECT coalesce(closeness, 0) AS closeness FROM tie LEFT JOIN shared USING (relation)
ORDER BY relation

-- name: standing
-- Headings that an entity stands under, and how many entities stand under each.
CREATE TABLE standing AS
SELECT *, count(*) OVER (PARTITION BY heading) AS entities FROM (
    SELECT DISTINCT entity, heading FROM mentioned JOIN (
        SELECT chunk_id, unnest(CASE WHEN len(heading_path) > 0 THEN heading_path ELSE [title] END)
            AS heading
        FROM chunks JOIN documents USING (document_id)
    ) USING (chunk_id)
    WHERE length(heading) BETWEEN 1 AND {longest_heading} AND NOT ends_with(heading, '?')
)

-- name: headings
-- Headings of most members, the best fit first (Sørensen and Dice).
WITH sized AS (SELECT *, count(*) OVER (PARTITION BY level, community) AS size FROM member)
SELECT level, community, heading
FROM sized JOIN standing USING (entity)
GROUP BY level, community, heading
HAVING count(*) * 2 >= any_value(size)
    AND count(*) * 2 >= {least_fit} * (any_value(size) + any_value(entities))
ORDER BY count(*) / (any_value(size) + any_value(entities)) DESC, level, community, heading

-- name: quotable
CREATE TABLE quotable AS
SELECT sentence_id, sentence, document, min(sentence) OVER (PARTITION BY hash) AS text FROM (
    SELECT sentence_id, (dense_rank() OVER (ORDER BY document_id) - 1)::INT AS document, (row_number() OVER (ORDER BY sentence_id) - 1)::INT AS sentence,
        md5_number(text) AS hash
    FROM sentences WHERE length(text) <= {longest_sentence}
        AND NOT regexp_matches(text, '(?i):\s*$|\b(?:above|below|following)\b') -- they point elsewhere
)

-- name: ties
SELECT head, tail, weight, confidence, is_fact FROM tie ORDER BY relation

-- name: stated
SELECT DISTINCT relation, sentence, text, document
FROM evidence JOIN tie USING (relation_id) JOIN quotable USING (sentence_id)
ORDER BY relation, sentence

-- name: names
SELECT name FROM chosen JOIN thing ON entity = number JOIN entities USING (entity_id)
ORDER BY place

-- name: telling
-- How much is said of an entity, and in how few chunks, as tf-idf weighs words.
WITH all_chunks AS (SELECT count(DISTINCT chunk_id) AS chunks FROM mentioned)
SELECT coalesce(ln(1 + sum(times)) * ln(1 + any_value(chunks) / count(times)), 0) AS telling
FROM chosen CROSS JOIN all_chunks LEFT JOIN mentioned ON entity = chosen.number GROUP BY place
ORDER BY place

-- name: wordings
SELECT {head: h.name, relation: relations.relation, phrase: phrase, tail: t.name}
FROM chosen JOIN tie ON relation = number JOIN relations USING (relation_id)
JOIN entities AS h ON h.entity_id = head_id JOIN entities AS t ON t.entity_id = tail_id
ORDER BY place

-- name: quotations
SELECT {text: sentences.text, title: title, page: page}
FROM chosen JOIN quotable ON sentence = number JOIN sentences USING (sentence_id)
JOIN documents USING (document_id)
ORDER BY place
