-- name: bracketed
-- What stands before brackets, up to eight words, and in them, once each.
SELECT DISTINCT unnest(regexp_extract_all(
    text, '(?:[\pL\pN_/&+.-]+ ){0,7}[\pL\pN_/&+.-]+ \([^()]{2,60}\)'
)) AS text
FROM (SELECT text FROM sentences UNION ALL SELECT text FROM cells)
WHERE contains(text, '(')
ORDER BY text

-- name: renamed
SELECT DISTINCT text FROM sentences WHERE regexp_matches(text, '{renamed}') ORDER BY text

-- name: known
-- Of the readings of each place, the longest both of whose names are known. What a person was is no name.
SELECT DISTINCT arg_max(one, length(one || other)), arg_max(other, length(one || other))
FROM readings
JOIN names AS this ON this.key = one
JOIN names AS that ON that.key = other
WHERE one <> other
    AND (told OR (this.type = 'PERSON') IS NOT DISTINCT FROM (that.type = 'PERSON'))
GROUP BY place
ORDER BY ALL
