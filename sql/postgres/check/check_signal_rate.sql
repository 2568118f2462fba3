-- Refuses a signal that is one too many for its run in this minute (RS006). The caller holds the run's lock, so
-- nothing can slip in between. Reads config and at most as many index entries as signals are allowed.
create function runstore.check_signal_rate(p_run_id text, p_now timestamptz)
returns void
language plpgsql volatile
as $$
declare
    v_max_signals constant int := (select c.max_signals_per_minute from runstore.config as c);
    v_wait_ms constant bigint := runstore.signal_wait_ms(p_run_id, p_now, v_max_signals);
begin
    if v_wait_ms > 0 then
        perform runstore.refuse_signal(p_run_id, v_max_signals, v_wait_ms);
    end if;
end
$$;

comment on function runstore.check_signal_rate(text, timestamptz) is
'Raises RS006 for a signal over the run''s limit per minute.';

revoke all on function runstore.check_signal_rate(text, timestamptz) from public;
