-- name: comparable
SELECT key, name, type, mentions FROM names WHERE key IN (
    SELECT key FROM forms
    WHERE form IN (SELECT form FROM forms GROUP BY form HAVING count(*) > 1)
    UNION ALL
    SELECT unnest([shorter.key, other])
    FROM shorter JOIN names ON names.key = other
    UNION ALL
    SELECT key FROM named
) ORDER BY key

-- name: may_have_shorter
-- Others have no code, title or company form that `ShorterNames` takes away.
SELECT key, name, type, mentions FROM names
WHERE regexp_matches(name, '[A-Z]') OR type IN ('PERSON', 'ORG')
