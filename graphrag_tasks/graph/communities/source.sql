-- name: thing
CREATE TABLE thing AS
SELECT entity_id, (row_number() OVER (ORDER BY entity_id) - 1)::INT AS entity FROM entities

-- name: tie
CREATE TABLE tie AS
SELECT relation_id, (row_number() OVER (ORDER BY relation_id) - 1)::INT AS relation,
    h.entity AS head, t.entity AS tail, weight, confidence, kind = '{fact}' AS is_fact
FROM relations JOIN thing AS h ON h.entity_id = head_id JOIN thing AS t ON t.entity_id = tail_id

-- name: section
CREATE TABLE section AS
SELECT chunk_id, (dense_rank() OVER (ORDER BY document_id, heading_path) - 1)::INT AS section, title, heading_path
FROM chunks JOIN documents USING (document_id)

-- name: mentioned
-- How much an entity stands in a section, as tf-idf weighs words; at most about 1 for one mention.
CREATE TABLE mentioned AS
SELECT *, log2(1 + times) * ln(1 + sections / count(*) OVER (PARTITION BY entity)) / ln(1 + sections) AS weight
FROM (SELECT entity, section, count(*) AS times FROM mentions JOIN thing USING (entity_id)
    JOIN section USING (chunk_id) GROUP BY ALL)
CROSS JOIN (SELECT count(DISTINCT section) AS sections FROM section)

-- name: places
-- The section that names an entity most, if it is that of others, too. With all of them, a removed chunk exchanges three
-- times as many communities.
SELECT entity, section, weight FROM (
    SELECT entity, section, weight FROM mentioned WHERE entity IN (SELECT head FROM tie UNION SELECT tail FROM tie)
    QUALIFY row_number() OVER (PARTITION BY entity ORDER BY weight DESC, section) = 1
)
QUALIFY count(*) OVER (PARTITION BY section) > 1
ORDER BY entity, section

-- name: standing
-- Headings and titles that an entity stands under, and how much stands under each. They lose their numbers, a page its
-- site, and a file's name its underscores and hyphens; a heading of few words has the one above it before it, or gives
-- way to it where that has all its words.
CREATE TABLE standing AS
WITH titled AS (
    SELECT section, regexp_replace(translate(regexp_replace(title, '\s[<|]\s.*', ''),
        if(contains(title, ' '), '_', '_-'), '  '), '{numbering}', '') AS top,
        heading_path, count(DISTINCT title) OVER () > 1 AS several FROM section
),
called AS (
    SELECT section, top, several, regexp_replace(unnest([top] || heading_path), '{numbering}', '') AS heading,
        regexp_replace(unnest([top, top] || heading_path[:-2]), '{numbering}', '') AS above FROM titled
),
named AS (
    SELECT DISTINCT section, CASE WHEN starts_with(above, '(') OR NOT several AND above = top
        OR len(string_split(heading, ' ')) > {few_words}
        OR length(above) + length(heading) >= {longest_heading} - 1 THEN heading
        WHEN contains(lower(above), lower(heading)) THEN above ELSE above || ', ' || heading END AS heading
    FROM called WHERE length(heading) BETWEEN 1 AND {longest_heading}
),
sums AS (
    SELECT entity, heading, sum(weight ORDER BY section) AS weight FROM mentioned JOIN named USING (section) GROUP BY ALL
)
SELECT sums.*, whole FROM sums JOIN (
    SELECT heading, sum(weight ORDER BY entity) AS whole FROM sums GROUP BY heading
) USING (heading)

-- name: headings
-- The heading of each community that fits what is said of its members best (Sørensen and Dice), and whether it is
-- mostly about them.
WITH share AS (
    SELECT level, community, heading, sum(weight ORDER BY entity) AS part, any_value(whole) AS whole
    FROM member JOIN standing USING (entity) GROUP BY level, community, heading
),
fit AS (SELECT *, part / (whole + max(part) OVER (PARTITION BY level, community)) AS fit FROM share)
SELECT level, community, first(heading ORDER BY fit DESC, length(heading) DESC, heading),
    first(part * 2 >= whole ORDER BY fit DESC, length(heading) DESC, heading)
FROM fit GROUP BY level, community ORDER BY level, community

-- name: quotable
CREATE TABLE quotable AS
SELECT sentence_id, sentence, section, min(sentence) OVER (PARTITION BY hash) AS text FROM (
    SELECT sentence_id, (row_number() OVER (ORDER BY sentence_id) - 1)::INT AS sentence,
        section, md5_number(text) AS hash
    FROM sentences JOIN section USING (chunk_id) WHERE length(text) <= {longest_sentence}
        AND NOT regexp_matches(text, '(?i):\s*$|\b(?:above|below|following)\b') -- they point elsewhere
)

-- name: ties
SELECT head, tail, weight, confidence, is_fact FROM tie ORDER BY relation

-- name: stated
SELECT DISTINCT relation, sentence, text, section
FROM evidence JOIN tie USING (relation_id) JOIN quotable USING (sentence_id)
ORDER BY relation, sentence

-- name: names
SELECT name FROM chosen JOIN thing ON entity = number JOIN entities USING (entity_id)
ORDER BY place

-- name: telling
-- How much is said of an entity, and in how few sections, as tf-idf weighs words.
WITH all_chunks AS (SELECT count(DISTINCT section) AS chunks FROM mentioned)
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
