begin;
select plan(15);

select is(
    runstore.detect_gap(v.last_seq, v.next_seq), v.has_gap,
    format('%s, %s', coalesce(v.last_seq::text, 'null'), coalesce(v.next_seq::text, 'null'))
)
from (values
    (0::bigint, 1::bigint, false),
    (0, 2, true),
    (1, 2, false),
    (1, 3, true),
    (1, 100, true),
    (5, 5, false),
    (5, 4, false),
    (5, 0, false),
    (9223372036854775806, 9223372036854775807, false),
    (9223372036854775805, 9223372036854775807, true),
    (9223372036854775807, 9223372036854775807, false),
    (9223372036854775807, -9223372036854775808, false),
    (-9223372036854775808, 9223372036854775807, true),
    (0, 9223372036854775807, true),
    (-9223372036854775808, -9223372036854775807, false)
) as v (last_seq, next_seq, has_gap);

select * from finish();
rollback;
