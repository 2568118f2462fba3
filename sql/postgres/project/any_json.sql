-- The one value that is not null in a group, or null: for groups in which at most one row has a value. Costs less than
-- building an array of one.
create aggregate runstore.any_json(p_value jsonb) ( -- noqa: LT01
    sfunc = runstore.keep_first,
    stype = jsonb,
    parallel = safe
);

comment on aggregate runstore.any_json(jsonb) is -- noqa: LT01
'The one value of a group that is not null.';

revoke all on function runstore.any_json(jsonb) from public;
