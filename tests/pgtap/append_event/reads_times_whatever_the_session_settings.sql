begin;
\ir ../_helpers/load.sql
select plan(24);

create temporary table setting (nth int generated always as identity, zone text, style text, intervals text);
insert into setting (zone, style, intervals) values
('UTC', 'ISO, MDY', 'postgres'),
('America/New_York', 'SQL, DMY', 'sql_standard'),
('Asia/Kathmandu', 'German', 'iso_8601'),
('Pacific/Apia', 'Postgres, YMD', 'postgres_verbose');

do $$
declare
    v_setting record;
    v_form text;
    v_statement text;
begin
    for v_setting in select s.* from setting as s loop
        for v_form, v_statement in
            select c.form, c.statement
            from unnest(array['json', 'batch']) as f (form)
            cross join (values
                ('2026-03-04T05:06:07.89Z'), ('2026-03-04T05:06:07.89-10:30'), ('2026-03-04T05:06:07.89+10:30')
            ) as t (text)
            cross join lateral pg_temp.calls(pg_temp.event(jsonb_build_object(
                'runId', f.form || v_setting.nth || substr(t.text, 23), 'emittedAt', t.text
            ))) as c
            where c.form = f.form
        loop
            perform set_config('timezone', v_setting.zone, true);
            perform set_config('datestyle', v_setting.style, true);
            perform set_config('intervalstyle', v_setting.intervals, true);
            execute v_statement;
            set local timezone = 'UTC';
            set local datestyle = 'ISO, MDY';
            set local intervalstyle = 'postgres';
        end loop;
    end loop;
end
$$;

select is(
    e.emitted_at,
    case substr(e.run_id, length(e.run_id) - 5)
        when '-10:30' then '2026-03-04 15:36:07.89+00'::timestamptz
        when '+10:30' then '2026-03-03 18:36:07.89+00'
        else '2026-03-04 05:06:07.89+00'
    end,
    e.run_id
)
from runstore.run_event_records as e;

select * from finish();
rollback;
