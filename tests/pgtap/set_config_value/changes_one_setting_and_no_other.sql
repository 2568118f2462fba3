begin;
\ir ../_helpers/load.sql
select plan(5);

create temporary table result (key text, config jsonb);

do $$
declare
    v_key text;
begin
    foreach v_key in array array[
        'max_payload_bytes', 'max_signal_bytes', 'max_signals_per_minute', 'lag_alert_ms', 'lag_resync_ms'
    ] loop
        begin
            perform runstore.set_config_value(v_key, '12345');
            raise exception using errcode = 'ZZ001', message = (select to_jsonb(c)::text from runstore.config as c);
        exception
            when sqlstate 'ZZ001' then
                insert into result values (v_key, sqlerrm::jsonb);
        end;
    end loop;
end
$$;

select is(r.config, to_jsonb(c) || jsonb_build_object(r.key, 12345), r.key)
from result as r
cross join runstore.config as c;

select * from finish();
rollback;
