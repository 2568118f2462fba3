-- Whether a payload's artifactRefs, if it has any, are pointers: an array of objects with non-empty uri and kind, at
-- most sha256, sizeBytes and expiresAt besides, and no content smuggled in as a data: uri. Null for a null payload.
-- One pattern that looks for offences (the regular expression in it is only tried where the first character calls for
-- it); inlined, linear in the number of references.
create function runstore.artifact_refs_are_pointers(p_payload jsonb)
returns boolean
language sql immutable parallel safe
return (
    not p_payload ? 'artifactRefs' or not p_payload @? '$ ? (
        @.artifactRefs.type() != "array"
        || exists (@.artifactRefs[*].type() ? (@ != "object"))
        || exists (@.artifactRefs[*] ? (
            !(@.uri.type() == "string")
            || @.uri == ""
            || (@.uri < "!" || @.uri starts with "d" || @.uri starts with "D")
            && @.uri like_regex "^[\\x01-\\x20]*data:" flag "i"
            || !(@.kind.type() == "string")
            || @.kind == ""
            || @.sha256.type() != "string"
            || @.sizeBytes.type() != "number"
            || @.sizeBytes < 0
            || @.expiresAt.type() != "string"
        ))
        || exists (@.artifactRefs[*].keyvalue().key ? (
            @ != "uri" && @ != "kind" && @ != "sizeBytes" && @ != "sha256" && @ != "expiresAt"
        ))
    )'
);

comment on function runstore.artifact_refs_are_pointers(jsonb) is
'Whether a payload''s artifactRefs, if any, are well-formed pointers.';

revoke all on function runstore.artifact_refs_are_pointers(jsonb) from public;
