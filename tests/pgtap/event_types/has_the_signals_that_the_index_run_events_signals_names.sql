begin;
select plan(2);

create temporary table predicate as
select pg_get_expr(i.indpred, i.indrelid) as text
from pg_index as i
where i.indexrelid = 'runstore.run_events_signals'::regclass;

select matches(p.text, '^\(event_type = ANY \(ARRAY\[[^]]*\]\)\)$', 'the predicate is a list of types')
from predicate as p;
select set_eq(
    $$
    select m.match[1] collate "C"
    from predicate as p
    cross join lateral regexp_matches(p.text, '''([^'']+)''', 'g') as m (match)
    $$,
    'select t.event_type from runstore.event_types as t where t.is_signal',
    'of just the signals'
);

select * from finish();
rollback;
