begin;
select plan(11);

select is(
    runstore.idempotency_key(v.run_id, v.step_id, 1, v.event_type, v.plan_id, v.plan_version),
    v.digest,
    format('of %s', v.run_id || '|' || v.step_id || '|1|' || v.event_type || '|' || v.plan_id || '|' || v.plan_version)
)
from (values
    ('r', 's', 't', 'p', '1', '8254579d1d3e9204abebba016eeed63249a5f7bcc9759a42b069dddf9e147816'::text),
    (' r', 's', 't', 'p', '1', '8101910c8749c12dfab665fceddfe61b7ad852d1d7b843e91e005d1b6a19897b'),
    ('r ', 's', 't', 'p', '1', 'ebe70790e31bb0816cab5a0487edb57391353e946ff04bdf3132ae70612194c1'),
    ('R', 's', 't', 'p', '1', '34721096519e704a413bb68cf4a2ffac058075774792e43f1431a141a37502f2'),
    ('r', 'S', 't', 'p', '1', '8c598f13abd926a9d62cdf3b8f579a38fc1c5ed00c73268c5117a4d72fa72b94'),
    ('r', 's ', 't', 'p', '1', '9752b54bd1d1d726bae4483811f51f34fb3011a56bb5ad7e58063f8e62a5332e'),
    ('r', 's', 'T', 'p', '1', '47d071bf74c4c58a3596cf5234e8c58e2546e84802e8617ca78085fb007d1e22'),
    ('r', 's', 't', 'P', '1', '7175f99a0386cd1feb35c4c37330c5ebd28c441d61802fef62f83a12079ab85f'),
    ('r', 's', 't', 'p', '01', 'e72854d42c624ec57db2db9cde49a8f3451cb8a6e52ddfef40cd24ddbcb980e7'),
    ('r', 's', 't', 'p', '1 ', 'bff45394d388d8db9ae35bc74d14f0cbc9a8b35be6acb354507935be009dbb50'),
    (E'r\t', E's\n', 't', 'p', '1', 'd8a1a0d36e7732db4e6bf332f1ca15c4b961d046f46ab8126d1b2b1aac6f49c9')
) as v (run_id, step_id, event_type, plan_id, plan_version, digest);

select * from finish();
rollback;
