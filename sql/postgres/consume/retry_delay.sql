-- How long a consumer leaves a run alone after its p_attempts-th failure in a row: doubling between the consumer's
-- limits. Reads one row.
create function runstore.retry_delay(p_consumer text, p_attempts int)
returns interval
language plpgsql stable
as $$
begin
    return (
        select least(c.max_retry, c.min_retry * pg_catalog.power(2, least(p_attempts, 30) - 1))
        from runstore.consumers as c
        where c.name = p_consumer
    );
end
$$;

comment on function runstore.retry_delay(text, int) is
'How long a consumer leaves a run alone after so many failures.';

revoke all on function runstore.retry_delay(text, int) from public;
