-- name: thing
CREATE TABLE thing AS
SELECT entity_id, (row_number() OVER (ORDER BY entity_id) - 1)::INT AS entity FROM entities

-- name: tie
CREATE TABLE tie AS
SELECT relation_id, (row_number() OVER (ORDER BY relation_id) - 1)::INT AS relation,
    h.entity AS head, t.entity AS tail, weight, confidence, kind = '{fact}' AS is_fact
FROM relations JOIN thing AS h ON h.entity_id = head_id JOIN thing AS t ON t.entity_id = tail_id

-- name: quotable
CREATE TABLE quotable AS
SELECT sentence_id, sentence, document, min(sentence) OVER (PARTITION BY hash) AS text FROM (
    SELECT sentence_id, (dense_rank() OVER (ORDER BY document_id) - 1)::INT AS document, (row_number() OVER (ORDER BY sentence_id) - 1)::INT AS sentence,
        md5_number(text) AS hash
    FROM sentences WHERE length(text) <= {longest_sentence}
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
