-- Trigger function of the append-only guard: refuses UPDATE, DELETE and TRUNCATE of the log, whoever asks. Raises
-- RS009 before any row is touched. Security definer, so that the refusal reads the same for every role.
create function runstore.refuse_log_change()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    perform runstore.raise_error(
        'RS009',
        format('%s of %I.%I is refused: events are never changed', tg_op, tg_table_schema, tg_table_name),
        'Append a correcting event instead.'
    );
    return null;
end
$$;

comment on function runstore.refuse_log_change() is
'Trigger function: refuses UPDATE, DELETE and TRUNCATE of the log with RS009.';

revoke all on function runstore.refuse_log_change() from public;
